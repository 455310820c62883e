"""The nextedit suite: an attempt is a commit replayed against a model, every step asked through the ledger."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from diff_apply.generate import edit_blocks
from runner.records import Outcome, Result, Scoring
from runner.run.protocols import Ask
from runner.storage.rows import to_json
from runner.suites.nextedit.answers import FILL, RECOMMEND, Answer
from runner.suites.nextedit.commit_replay import Plan, replay_commit, target_of
from runner.suites.nextedit.commits import Commit, Limits, split_lines
from runner.suites.nextedit.editor import Place, Session
from runner.suites.nextedit.matching import LEAST_BLEU, Target
from runner.suites.nextedit.orders import Order
from runner.suites.nextedit.prompted import PromptedEditor, Reading
from runner.suites.nextedit.prompting import sendable
from runner.suites.nextedit.results import judged_json
from runner.suites.nextedit.score import CUTS
from runner.suites.nextedit.sources import Ready, from_cases
from runner.suites.nextedit.state import State
from runner.suites.nextedit.steps import Call, CommitReplay, Step
from suts.sut import Truth

SUITE = "nextedit"


@dataclass(frozen=True, slots=True)
class Played:
    """A commit replayed against a model, and every answer it gave, in order."""

    replay: CommitReplay
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class NextEdit:
    """Attempts commits with one way of asking and one plan."""

    plan: Plan
    reading: Reading
    parser: str
    algorithm: str
    limits: Limits = field(default_factory=Limits)
    name: str = SUITE

    def load(self, source: Path) -> Iterator[Commit]:
        """The commits of a folder of bundles that can be replayed."""
        yield from (found.commit for found in from_cases(source, self.limits) if isinstance(found, Ready))

    async def attempt(self, case: Commit, ask: Ask, number: int) -> Result:
        """Replay a commit; answers that are on record already are not asked for again.

        Raises SutError where there is no answer to be had: the commit goes on from that step another time.
        """
        return self.result(await self.play(case, ask, number))

    def result(self, played: Played) -> Result:
        """A replayed commit as an attempt."""
        return result_of(played, self.parser, self.algorithm)

    async def play(self, case: Commit, ask: Ask, number: int) -> Played:
        """The replay of attempt `number` and the answers in it. Raises SutError as `attempt`."""
        order = self.plan.order(case)
        plan = replace(self.plan, order=lambda _case: order, seed=self.plan.seed + number - 1)

        def state_of(session: Session) -> State:
            return State(case, tuple(made.edit.idx for made in session.made))

        def truth_of(session: Session, place: Place | None) -> Truth | None:
            return right_answer(state_of(session), order, place, number)

        editor = PromptedEditor(ask, self.reading, truth_of, lambda session: state_of(session).texts(), number)
        replay = await replay_commit(case, editor, plan, lambda: 0)
        return Played(timed(replay, editor.answers), tuple(editor.answers))


def result_of(played: Played, parser: str, algorithm: str) -> Result:
    """A commit replayed as an attempt: a scoring for each answer, read by the parser and the algorithm so named."""
    costs = [answer.completion.cost_usd for answer in played.answers]
    return Result(
        valid=True,
        scorings=tuple(_scorings(played, parser, algorithm)),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _scorings(played: Played, parser: str, algorithm: str) -> Iterator[Scoring]:
    steps = {step.number: step for step in played.replay.steps}
    tellers = _tellers(played.answers)
    for position, answer in enumerate(played.answers):
        step = steps.get(answer.step)
        tells = tellers.get(answer.step) == position
        yield Scoring(
            outcome=_outcome(answer, step),
            valid=answer.valid,
            parser=parser,
            diff_algorithm=algorithm,
            error_text=answer.trouble,
            num_edits=len(answer.suggestions),
            scores=scores_of(step) if tells and step else {},
            detail=to_json(judged_json(step)) if tells and step else None,
            answer_id=answer.completion.answer_id,
        )


def _tellers(answers: Sequence[Answer]) -> dict[int, int]:
    """Which answer each step's figures stand with, once: its first valid recommendation, the last where none is."""
    found: dict[int, int] = {}
    for position, answer in enumerate(answers):
        if answer.mode == RECOMMEND and not (answer.step in found and answers[found[answer.step]].valid):
            found[answer.step] = position
    return found


def right_answer(state: State, order: Order, place: Place | None, number: int) -> Truth | None:
    """What simulated models are told: an edit that is allowed now, or the one at the place that was told.

    Where no place is told the edit is of a file that is there, for no other can be answered with: if need be one that
    is not allowed, and no edit where only files are left that are still to be begun.
    """
    there = state.texts()
    options = state.remaining if place else (*order.allowed(state.applied), *state.remaining)
    targets = (target_of(state, idx) for idx in options)
    right = next((each for each in targets if (_is_at(each, place) if place else each.path in there)), None)
    if right is None:
        return None if place else _nothing_right(state, number)
    before = there.get(right.path, "")
    lines = split_lines(before)
    after = "".join((*lines[: right.start], *right.after, *lines[right.span.end :]))
    return Truth(
        case_id=state.commit.case_id,
        number=number,
        step=len(state.applied),
        path=right.path,
        blocks=edit_blocks(sendable(before), sendable(after)),
        before=sendable(before),
    )


def _is_at(target: Target, place: Place) -> bool:
    return (target.path, target.start) == (place.path, place.start)


def _nothing_right(state: State, number: int) -> Truth | None:
    """The file that was edited last, if it is there, with no edit of it that would be right."""
    there = state.texts()
    recent = (state.commit.edits[idx].path for idx in reversed(state.applied))
    path = next((each for each in (*recent, *there) if each in there), None)
    if path is None:
        return None
    return Truth(state.commit.case_id, number, step=len(state.applied), path=path, before=sendable(there[path]))


def _outcome(answer: Answer, step: Step | None) -> Outcome:
    """Solved where the edit made was predicted, or its content was given at its place."""
    if answer.outcome is not Outcome.APPLIED or step is None:
        return answer.outcome
    content = step.content
    asked = content is not None and content.asked
    right = content is not None and (content.bleu > LEAST_BLEU if answer.mode == FILL else not asked)
    return Outcome.SOLVED if right else Outcome.UNSOLVED


def scores_of(step: Step) -> dict[str, float]:
    """The figures of a step by name, those that are known."""
    metrics, content = step.metrics, step.content
    known = {"precision": metrics.precision, "recall": metrics.recall, "f1": metrics.f1}
    scores = {name: value for name, value in known.items() if value is not None}
    scores |= {f"hit@{cut}": float(metrics.hit_at(cut)) for cut in CUTS}
    scores |= {f"tp@{cut}": float(metrics.kept_at(cut)) for cut in CUTS}
    if content is not None:
        scores |= {"bleu": content.bleu / 100, "exact": float(content.exact), **content.excision}
    return scores


def timed(replay: CommitReplay, answers: Sequence[Answer]) -> CommitReplay:
    """The replay with its answers' clocks and cost: a latency is that of the calls, when these are replayed too."""
    return replace(replay, steps=tuple(_with_calls(step, answers) for step in replay.steps))


def _with_calls(step: Step, answers: Sequence[Answer]) -> Step:
    calls = tuple(_call(answer) for answer in answers if answer.step == step.number)

    def spent(mode: str) -> int:
        trips = (call.clocks.round_trip_ms for call in calls if call.mode == mode)
        return round(sum(trip for trip in trips if trip is not None) * 1e6)

    fill_ns = None if step.fill_ns is None else spent(FILL)
    return replace(step, latency_ns=spent(RECOMMEND), fill_ns=fill_ns, calls=calls)


def _call(answer: Answer) -> Call:
    completion = answer.completion
    return Call(answer.mode, str(answer.outcome), completion.clocks, completion.tokens, completion.cost_usd)
