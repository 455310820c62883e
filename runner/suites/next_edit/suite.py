"""The next-edit suite: an attempt is a commit replayed against a model, every step asked through the ledger."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from diff_apply.generate import edit_blocks
from runner.records import Outcome, Result, Scoring
from runner.rows import to_json
from runner.suites.next_edit.answers import FILL, RECOMMEND, Answer
from runner.suites.next_edit.commits import Commit, Limits, split_lines
from runner.suites.next_edit.editor import Place, Session
from runner.suites.next_edit.judging import CUTS
from runner.suites.next_edit.matching import LEAST_BLEU
from runner.suites.next_edit.orders import Order
from runner.suites.next_edit.prompted import PromptedEditor, Reading
from runner.suites.next_edit.prompting import sendable
from runner.suites.next_edit.replay import Plan, replay_commit, target_of
from runner.suites.next_edit.results import judged_json
from runner.suites.next_edit.sources import Ready, from_cases
from runner.suites.next_edit.state import State
from runner.suites.next_edit.steps import Call, CommitReplay, Step
from runner.suites.suite import Ask
from suts.sut import Truth

SUITE = "next-edit"


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
    told: set[int] = set()
    for answer in played.answers:
        step = steps.get(answer.step)
        # The figures of a step stand once, with its first valid recommendation.
        first = answer.mode == RECOMMEND and answer.valid and answer.step not in told
        if first:
            told.add(answer.step)
        yield Scoring(
            outcome=_outcome(answer, step),
            valid=answer.valid,
            parser=parser,
            diff_algorithm=algorithm,
            error_text=answer.trouble,
            num_edits=len(answer.suggestions),
            scores=scores_of(step) if first and step else {},
            detail=to_json(judged_json(step)) if first and step else None,
            answer_id=answer.completion.answer_id,
        )


def right_answer(state: State, order: Order, place: Place | None, number: int) -> Truth | None:
    """What simulated models are told: an edit that is allowed now, or the one at the place that was told."""
    allowed = order.allowed(state.applied) or state.remaining
    targets = [target_of(state, idx) for idx in (state.remaining if place else allowed)]
    right = next(
        (each for each in targets if place is None or (each.path, each.start) == (place.path, place.start)), None
    )
    if right is None:
        return None
    before = state.text(right.path) or ""
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
