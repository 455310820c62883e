"""What a selftest expects: every answer that a run has to end with, byte for byte, with its times and its cost."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from statistics import fmean

from runner.records import Clocks
from runner.run.plan import Plan
from runner.selftest.parts import SEED, TrialModel
from runner.storage.ledger import Question
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.detail import DiffDetail
from runner.suites.diff_edit.sim_truth import truth_of
from runner.suites.diff_edit.tools import messages_for
from suts.simulated.answer import AnswerRequest, Sending, answer
from suts.simulated.calls import EDIT_TOOL
from suts.simulated.models import Counts, Planned, case_rate, expected_counts
from suts.simulated.pace import Piece, paced
from suts.simulated.usage import prompt_tokens
from suts.sut import Truth

_OPENED, _CLOSED = "<replace_in_file>", "</replace_in_file>"


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """One answer: its bytes, its cost in USD, and its clocks in virtual time (without `first_line_ms`)."""

    case_id: str
    number: int
    stream: bytes
    cost_usd: float
    clocks: Clocks


@dataclass(frozen=True, slots=True)
class Expected:
    """The answers, rates and counts that a run which stops at its quotas must have of one model."""

    subject: TrialModel
    valid_rate: float
    success_rate: float
    counts: Counts
    answers: tuple[ExpectedAnswer, ...]

    @property
    def cost_usd(self) -> float:
        """The cost of all its answers."""
        return sum(answer.cost_usd for answer in self.answers)


def expected_of(subject: TrialModel, plan: Plan[DiffDetail]) -> Expected:
    """Return what the run of a plan must have of one model."""
    quota, cap = plan.quota, plan.cap
    truths = _truths(plan)
    answers: list[ExpectedAnswer] = []
    for truth in truths:
        attempts = expected_counts(subject.spec, [truth], quota, cap, native=_is_native(plan)).attempts
        answers.extend(_answers(subject, plan, truth, attempts))
    return Expected(
        subject=subject,
        valid_rate=subject.spec.valid,
        success_rate=fmean(case_rate(subject.spec, truth) for truth in truths),
        counts=expected_counts(subject.spec, truths, quota, cap, native=_is_native(plan)),
        answers=tuple(answers),
    )


def _is_native(plan: Plan[DiffDetail]) -> bool:
    return bool(plan.detail.native_parsers)


def _truths(plan: Plan[DiffDetail]) -> list[Truth]:
    truth = truth_of(plan.detail.cases, SEED, plan.detail.choice)
    truths = (truth(Question(lane)) for lane in dict.fromkeys(lane._replace(sut="") for lane in plan.lanes))
    return [known for known in truths if known is not None]


def _answers(subject: TrialModel, plan: Plan[DiffDetail], truth: Truth, attempts: int) -> Iterator[ExpectedAnswer]:
    case = next(case for case in plan.detail.cases if case.case_id == truth.case_id)
    prompt = _prompt_tokens(plan.detail, case)
    for number in range(1, attempts + 1):
        numbered = replace(truth, number=number)
        sending = answer(
            subject.spec, AnswerRequest(numbered, prompt, plan.options.max_tokens, native=_is_native(plan))
        )
        clocks = _clocks(subject, numbered, sending)
        yield ExpectedAnswer(truth.case_id, number, b"".join(sending.frames), sending.usage.cost_usd, clocks)


def _prompt_tokens(detail: DiffDetail, case: DiffEditCase) -> int:
    """Return how many tokens a question has; the runs of a selftest have one prompt each."""
    (prompt,) = (*detail.prompts, *detail.choice.prompts)
    tools = [*detail.choice.tools.values()]
    messages = messages_for(case, tools[0]) if tools else case.messages
    return prompt_tokens(prompt.render(case.details), [text for message in messages for text in message.texts])


def _clocks(subject: TrialModel, truth: Truth, sending: Sending) -> Clocks:
    """Return when the pieces are due that hold the first event, the edit's tags, and the end."""
    spec = subject.spec
    timed = paced(spec.pace, sending.planned, (spec.identity, truth.seed, truth.case_id, truth.number, truth.step))

    times = _call_times if sending.planned.calls else _tag_times
    first_edit_ms, closed_ms = times(timed.pieces, sending.planned)
    return Clocks(
        first_token_ms=_ms(timed.pieces[0].offset_ns),
        first_edit_ms=first_edit_ms,
        closed_ms=closed_ms,
        round_trip_ms=_ms(timed.end_ns),
    )


def _tag_times(pieces: Sequence[Piece], _planned: Planned) -> tuple[float | None, float | None]:
    """Return when the edit's opening tag and its closing tag are complete."""

    def time_of(tag: str) -> float | None:
        text = ""
        for piece in pieces:
            text += "" if piece.reasoning else piece.text
            if tag in text:
                return _ms(piece.offset_ns)
        return None

    return time_of(_OPENED), time_of(_CLOSED)


def _call_times(pieces: Sequence[Piece], planned: Planned) -> tuple[float | None, float | None]:
    """Return when the first native call of the edit tool begins, and when its arguments are a whole object."""
    edit = next((call for call, native in enumerate(planned.calls) if native.name == EDIT_TOOL), None)
    arguments, own = "", [piece for piece in pieces if piece.call == edit]
    for piece in own:
        arguments += piece.text
        with suppress(ValueError):
            json.loads(arguments)
            return _ms(own[0].offset_ns), _ms(piece.offset_ns)
    return (_ms(own[0].offset_ns) if own else None), None


def _ms(offset_ns: int) -> float:
    """Return milliseconds, cut to whole microseconds, as clocks are stored."""
    return offset_ns // 1000 / 1000
