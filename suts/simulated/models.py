"""What a simulated model answers: a pure function of the model and of which attempt at which case asks.

A model's answer to (seed, case, number, step) never changes, so what a run must find can be computed without
one: `plan` says what an attempt answers, `expected_counts` what the whole run has to count. Outcomes are
those of strict validity and of the algorithm v4; other algorithms may see more (or less) in the same text.

Where a case does not permit the drawn outcome, `no_match` takes its place (`malformed_diff` that of `bad_arguments`
where calls are text): `ambiguous` needs a line that the file
holds twice; without right blocks `applied` and `applied_nothing` cannot be written. A question without a path
whose right answer is known is answered as plain text: `solved`, `unsolved` (the wrong answer that is known, else a line
is exchanged) or `no_answer` (prose). A hole is filled rightly (`solved`), or answered by `over_run`, `empty` or
`wrong`. Without path, answer and hole nothing can be planned but `no_call`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from suts.simulated.answers import WRITERS, Scene, call, diff_of, invented, repeated_line
from suts.simulated.calls import Body, NativeCall, native_calls, xml
from suts.simulated.deviations import deviating
from suts.simulated.draws import Key, pick, unit, weighted
from suts.simulated.holes import filling, in_fence
from suts.simulated.lines import LINE_INVALIDS, line_answer
from suts.simulated.prose import padding, sentences
from suts.simulated.spec import FAILURES, HOLES, ModelSpec
from suts.simulated.usage import tokens
from suts.sut import Hole, Truth

VALID = frozenset({"applied", "solved", "unsolved", *FAILURES, *HOLES})
SOLVED = frozenset({"applied", "solved"})
_LETTERS_A_PIECE = 4
_SETTLED_AFTER = 2
_INSTEAD = ("no_match", "malformed_diff", "truncated", "no_call")


@dataclass(frozen=True, slots=True)
class Planned:
    """One planned answer: the outcome's name, the text, and the deviations of a right answer.

    `finish_reason` is `stop` or `length`; `reasoning` is what the model shows before the text, `calls` are the native
    calls after it.
    """

    outcome: str
    text: str
    finish_reason: str = "stop"
    reasoning: str = ""
    deviations: tuple[str, ...] = ()
    calls: tuple[NativeCall, ...] = ()

    @property
    def written(self) -> str:
        """The text and the arguments of the calls: what the model has to write."""
        return "".join((self.text, *(call.arguments for call in self.calls)))

    @property
    def valid(self) -> bool:
        """The answer counts towards the quota."""
        return self.outcome in VALID


@dataclass(frozen=True, slots=True)
class Counts:
    """What a run must find: attempts made, valid ones, solved ones, and how many ended how."""

    attempts: int = 0
    valid: int = 0
    applied: int = 0
    outcomes: Mapping[str, int] = field(default_factory=dict)


def plan(spec: ModelSpec, truth: Truth, *, native: bool = False) -> Planned:
    """Return the answer of the model to this attempt; an edit is the same, be its calls text or native."""
    spec = spec.under(truth.prompt)
    if spec.greedy:
        truth = replace(truth, number=1)
    key: Key = (spec.identity, truth.seed, truth.case_id, truth.number, truth.step)
    if truth.repairs:
        key, spec = (*key, "repair", truth.repairs), replace(spec, valid=1.0, applied=spec.repairs, spread=0.0)
    if truth.hole is not None:
        return _filled(spec, truth, truth.hole, key)
    if truth.answer and not truth.path:
        return _numbered(spec, truth, key) if truth.lines else _plain(spec, truth, key)
    if truth.written:
        return _ready(spec, truth, key)
    scene = _scene(truth, key)
    outcome = _permitted(_drawn(spec, truth, key), truth, scene, native=native)
    deviations: tuple[str, ...] = ()
    if outcome == "applied":
        blocks, deviations = deviating(key, truth.blocks, truth.before, spec.style)
        body: Body = (call(truth.path, diff_of(blocks, legacy="legacy" in deviations)),)
    else:
        body = WRITERS[outcome](scene)
    calls = native_calls(body) if native else ()
    size = sum(len(call_made.arguments) for call_made in calls)
    return Planned(
        outcome=outcome,
        text=_with_prose(spec, key, "", size) if calls else _with_prose(spec, key, xml(body)),
        finish_reason="length" if outcome == "truncated" else "stop",
        reasoning=sentences((*key, "reasoning"), spec.style.reasoning),
        deviations=deviations,
        calls=calls,
    )


def limited(planned: Planned, max_tokens: int) -> Planned:
    """Return the answer under a limit of tokens; a cut one has the outcome `cut`, whose score depends on the place."""
    left = max_tokens - tokens(planned.reasoning)
    if tokens(planned.written) <= left:
        return planned
    text = _beginning(planned.text, 4 * left)
    left_bytes, calls = 4 * left - len(planned.text.encode()), list[NativeCall]()
    for call_made in planned.calls:
        if left_bytes > 0:
            calls.append(replace(call_made, arguments=_beginning(call_made.arguments, left_bytes)))
        left_bytes -= len(call_made.arguments.encode())
    reasoning = _beginning(planned.reasoning, 4 * max_tokens)
    return replace(planned, outcome="cut", text=text, reasoning=reasoning, finish_reason="length", calls=tuple(calls))


def _beginning(text: str, size: int) -> str:
    """Return the first bytes of a text, so many at most, without half a character."""
    return text.encode()[: max(0, size)].decode(errors="ignore")


def expected_counts(spec: ModelSpec, truths: Iterable[Truth], quota: int, cap: int, *, native: bool = False) -> Counts:
    """Return the counts of a run over one truth per case: each is asked until `quota` valid answers or `cap` attempts.

    The number of each truth is set here; no answer is cut by a limit of tokens. A greedy model that repeats an invalid
    answer is not asked again.
    """
    outcomes: Counter[str] = Counter()
    for truth in truths:
        valid = number = 0
        while valid < quota and number < cap and not (spec.greedy and number == _SETTLED_AFTER and not valid):
            number += 1
            planned = plan(spec, replace(truth, number=number), native=native)
            outcomes[planned.outcome] += 1
            valid += planned.valid
    return Counts(
        attempts=outcomes.total(),
        valid=sum(count for name, count in outcomes.items() if name in VALID),
        applied=sum(count for name, count in outcomes.items() if name in SOLVED),
        outcomes=dict(sorted(outcomes.items())),
    )


def case_rate(spec: ModelSpec, truth: Truth) -> float:
    """Return the configured rate of right answers among the valid ones for this case and the prompt of the truth.

    How difficult a case is does not depend on the prompt.
    """
    spec = spec.under(truth.prompt)
    difficulty = unit((spec.case_identity, truth.seed, truth.case_id, "case"))
    return spec.applied + spec.spread * (2 * difficulty - 1)


def _drawn(spec: ModelSpec, truth: Truth, key: Key) -> str:
    if unit((*key, "valid")) >= spec.valid:
        return weighted((*key, "invalid"), spec.invalids)
    if unit((*key, "applied")) < case_rate(spec, truth):
        return "applied"
    return weighted((*key, "failure"), spec.failures)


def _permitted(outcome: str, truth: Truth, scene: Scene, *, native: bool) -> str:
    if not truth.path:
        return "no_call"
    if outcome == "bad_arguments" and not native:
        return "malformed_diff"
    needs_blocks = outcome in {"applied", "applied_nothing"}
    if needs_blocks and not truth.blocks:
        return "no_match"
    if outcome == "applied_nothing" and not all(search for search, _ in truth.blocks):
        return "no_match"
    if outcome == "ambiguous" and repeated_line(scene) is None:
        return "no_match"
    return outcome


def _ready(spec: ModelSpec, truth: Truth, key: Key) -> Planned:
    """Return the answer that is written for the outcome drawn, or for the first that the case permits instead."""
    drawn = _drawn(spec, truth, key)
    outcome = next((name for name in (drawn, *_INSTEAD) if name in truth.written), next(iter(truth.written)))
    ready = truth.written[outcome]
    calls = () if isinstance(ready, str) else tuple(NativeCall(call.name, call.arguments) for call in ready)
    size = sum(len(call_made.arguments) for call_made in calls)
    return Planned(
        outcome=outcome,
        text=_with_prose(spec, key, ready if isinstance(ready, str) else "", size),
        finish_reason="length" if outcome == "truncated" else "stop",
        reasoning=sentences((*key, "reasoning"), spec.style.reasoning),
        calls=calls,
    )


def _scene(truth: Truth, key: Key) -> Scene:
    blocks = truth.blocks or ((invented((*key, "search")), invented((*key, "replace"))),)
    return Scene(key=key, path=truth.path, blocks=blocks, before=truth.before)


def _with_prose(spec: ModelSpec, key: Key, body: str, size: int = 0) -> str:
    """Return the body after some prose; `size` is how many characters follow both."""
    preface = sentences((*key, "preface"), spec.style.prose)
    missing = _LETTERS_A_PIECE * spec.pace.pieces - len(body) - size - len(preface)
    if missing > 0:
        preface = f"{preface} {padding(key, missing)}".lstrip()
    return f"{preface}\n\n{body}" if preface and body else preface + body


def _plain(spec: ModelSpec, truth: Truth, key: Key) -> Planned:
    reasoning = sentences((*key, "reasoning"), spec.style.reasoning)
    if unit((*key, "valid")) >= spec.valid:
        return Planned("no_answer", padding(key, 40), reasoning=reasoning)
    if unit((*key, "applied")) < case_rate(spec, truth):
        return Planned("solved", truth.answer, reasoning=reasoning)
    if truth.wrong:
        return Planned("unsolved", truth.wrong, reasoning=reasoning)
    lines = truth.answer.split("\n")
    filled = [at for at, line in enumerate(lines) if line.strip()]
    at = pick((*key, "wrong"), filled) if filled else 0
    lines[at] = invented((*key, "line"), lines[at] + "\n").rstrip("\n")
    return Planned("unsolved", "\n".join(lines), reasoning=reasoning)


def _numbered(spec: ModelSpec, truth: Truth, key: Key) -> Planned:
    if unit((*key, "valid")) >= spec.valid:
        outcome = weighted((*key, "invalid"), LINE_INVALIDS)
    elif truth.lines == 1 or unit((*key, "applied")) < case_rate(spec, truth):
        # A file of one line has no wrong one.
        outcome = "solved"
    else:
        outcome = "unsolved"
    text = _with_prose(spec, key, line_answer(key, truth, outcome))
    return Planned(outcome, text, reasoning=sentences((*key, "reasoning"), spec.style.reasoning))


def _filled(spec: ModelSpec, truth: Truth, hole: Hole, key: Key) -> Planned:
    right = unit((*key, "applied")) < case_rate(spec, truth)
    outcome, text = ("solved", hole.right) if right else filling(hole, weighted((*key, "hole"), spec.holes))
    if not hole.fenced:
        return Planned(outcome, text)
    reasoning = sentences((*key, "reasoning"), spec.style.reasoning)
    return Planned(outcome, _with_prose(spec, key, in_fence(text)), reasoning=reasoning)
