"""What was planted: every answer that a run has to end with, byte for byte, with its times and its cost."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import fmean

from runner.records import Clocks
from runner.run.plan import Plan
from runner.selftest.parts import SEED, Subject
from runner.storage.ledger import Question
from runner.suites.diff_edit.attempt import truth_of
from runner.suites.diff_edit.plan import DiffDetail
from suts.simulated.answer import Ask, Sending, answer
from suts.simulated.models import Counts, case_rate, expected_counts
from suts.simulated.pace import paced
from suts.simulated.usage import prompt_tokens
from suts.sut import Truth

_OPENED, _CLOSED = "<replace_in_file>", "</replace_in_file>"


@dataclass(frozen=True, slots=True)
class PlantedAnswer:
    """One answer: its bytes, what it costs in USD, and its clocks in virtual time (`first_line_ms` left out)."""

    case_id: str
    number: int
    stream: bytes
    cost_usd: float
    clocks: Clocks


@dataclass(frozen=True, slots=True)
class Planted:
    """One model's answers to one run: the rates in it, and what a run that stops at its quotas has to find."""

    subject: Subject
    valid_rate: float
    success_rate: float
    counts: Counts
    answers: tuple[PlantedAnswer, ...]

    @property
    def cost_usd(self) -> float:
        """What all its answers cost."""
        return sum(one.cost_usd for one in self.answers)


def planted(subject: Subject, plan: Plan[DiffDetail]) -> Planted:
    """What the run of a plan has to find of one model."""
    quota, cap = plan.quota, plan.cap
    truths = _truths(plan)
    answers: list[PlantedAnswer] = []
    for truth in truths:
        attempts = expected_counts(subject.spec, [truth], quota, cap).attempts
        answers.extend(_answers(subject, plan, truth, attempts))
    return Planted(
        subject=subject,
        valid_rate=subject.spec.valid,
        success_rate=fmean(case_rate(subject.spec, truth) for truth in truths),
        counts=expected_counts(subject.spec, truths, quota, cap),
        answers=tuple(answers),
    )


def _truths(plan: Plan[DiffDetail]) -> list[Truth]:
    truth = truth_of(plan.detail.cases, SEED)
    truths = (truth(Question(lane)) for lane in dict.fromkeys(lane._replace(sut="") for lane in plan.lanes))
    return [known for known in truths if known is not None]


def _answers(subject: Subject, plan: Plan[DiffDetail], truth: Truth, attempts: int) -> Iterator[PlantedAnswer]:
    case = next(case for case in plan.detail.cases if case.case_id == truth.case_id)
    prompt = prompt_tokens(plan.detail.prompts[0].render(case.details), [message.text for message in case.messages])
    for number in range(1, attempts + 1):
        numbered = replace(truth, number=number)
        sending = answer(subject.spec, Ask(numbered, prompt, plan.options.max_tokens))
        clocks = _clocks(subject, numbered, sending)
        yield PlantedAnswer(truth.case_id, number, b"".join(sending.frames), sending.usage.cost_usd, clocks)


def _clocks(subject: Subject, truth: Truth, sending: Sending) -> Clocks:
    """When the pieces are due that bring the first event, the edit's tags, and the end."""
    spec = subject.spec
    timed = paced(spec.pace, sending.planned, (spec.identity, truth.seed, truth.case_id, truth.number, truth.step))

    def brought(tag: str) -> float | None:
        text = ""
        for piece in timed.pieces:
            text += "" if piece.reasoning else piece.text
            if tag in text:
                return _ms(piece.offset_ns)
        return None

    return Clocks(
        first_token_ms=_ms(timed.pieces[0].offset_ns),
        first_edit_ms=brought(_OPENED),
        closed_ms=brought(_CLOSED),
        round_trip_ms=_ms(timed.end_ns),
    )


def _ms(offset_ns: int) -> float:
    """Milliseconds with the microsecond as the last digit, as clocks are kept."""
    return offset_ns // 1000 / 1000
