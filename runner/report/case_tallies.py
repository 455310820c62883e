"""The attempts of a variant counted case by case: what its rates are made of, however many attempts a case has."""

import statistics
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from runner.report.attempt_stream import LAUNCHED, AttemptStream
from runner.report.classes import APPLIED, RIGHT, WRONG, Decisions, Question, question_of, question_rate
from runner.stats.intervals import Interval, rate_over_cases
from runner.storage.store import Row

_COLUMNS = """l.case_id, a.step, a.mode, a.number, a.try, l.settled_at,
    c.class, s.outcome, s.valid, s.solved, s.parses_after"""
_KIND_FROM = 6


class Kind(NamedTuple):
    """What attempts that are counted together have in common."""

    class_: str
    outcome: str
    valid: int
    solved: int
    parses_after: int | None


@dataclass(slots=True)
class QuestionTally:
    """The attempts at one question: how many there are of each kind, and which were valid, in launch order.

    What the infrastructure did is in `kinds` alone. `before` counts those of `validity` that came before the answer
    that settled the lane, None where none did; `first` is the number and the try of the first one.
    """

    question: Question
    kinds: Counter[Kind] = field(default_factory=Counter)
    validity: bytearray = field(default_factory=bytearray)
    before: int | None = None
    first: tuple[int, int] | None = None

    def add(self, row: Row) -> None:
        """Add the next attempt."""
        self.kinds[Kind(*row[_KIND_FROM:])] += 1
        if row["class"] == "infrastructure":
            return
        if self.first is None:
            self.first = row["number"], row["try"]
            self.before = None if row["settled_at"] is None else 0
        self.validity.append(bool(row["valid"]))
        if self.before is not None and row["number"] < row["settled_at"]:
            self.before += 1

    @property
    def counted(self) -> list[tuple[Kind, int]]:
        """The kinds of attempts that are the model's doing, with their numbers."""
        return [(kind, n) for kind, n in self.kinds.items() if kind.class_ != "infrastructure"]


@dataclass(frozen=True, slots=True)
class CaseTally:
    """The attempts of a variant at one case, by question."""

    case_id: str
    questions: list[QuestionTally]

    @property
    def never_valid(self) -> Question | None:
        """The question that counts as one neither right nor wrong, as the lane settled without a valid answer."""
        nonempty = [tally for tally in self.questions if tally.first is not None]
        if not nonempty or any(any(tally.validity) or tally.before is None for tally in nonempty):
            return None
        return min(nonempty, key=lambda tally: (tally.first, tally.question)).question

    def valid_rate(self, quota: int) -> float:
        """How often an answer is valid, over the questions with an attempt, of which there is at least one."""
        nonempty = [tally for tally in self.questions if tally.validity]
        return statistics.fmean(question_rate(tally.validity, tally.before, quota) for tally in nonempty)


def case_tallies(attempts: AttemptStream) -> Iterator[CaseTally]:
    """Yield the tallies of the cases that a variant has attempts at, in the order of their names."""
    rows = attempts.rows(_COLUMNS, order=LAUNCHED)
    for case_id, of_case in groupby(rows, key=lambda row: str(row["case_id"])):
        yield CaseTally(case_id, [_question_tally(*group) for group in groupby(of_case, key=question_of)])


def _question_tally(question: Question, rows: Iterator[Row]) -> QuestionTally:
    tally = QuestionTally(question)
    for row in rows:
        tally.add(row)
    return tally


@dataclass(slots=True)
class CaseRates:
    """The rate of each case, and over how many attempts."""

    rates: "array[float]" = field(default_factory=lambda: array("d"))
    attempts: int = 0

    def add(self, share: int, attempts: int) -> None:
        """Add a case with so many attempts of which so many are a share, unless it has none."""
        if attempts:
            self.rates.append(share / attempts)
            self.attempts += attempts

    def interval(self) -> Interval | None:
        """Return the mean over cases with its interval."""
        return rate_over_cases(self.rates, self.attempts)


@dataclass(slots=True)
class VariantTally:
    """The counts and the rates of a variant: without a `quota` no rate of validity."""

    quota: int | None
    decisions: Decisions
    cases: int = 0
    attempts: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    counted: int = 0
    valid: int = 0
    solved: int = 0
    validity: CaseRates = field(default_factory=CaseRates)
    right: CaseRates = field(default_factory=CaseRates)
    wrong: CaseRates = field(default_factory=CaseRates)
    applied: CaseRates = field(default_factory=CaseRates)
    parse_kept: CaseRates = field(default_factory=CaseRates)

    def add(self, case: CaseTally) -> None:
        """Add a case."""
        for tally in case.questions:
            for kind, n in tally.kinds.items():
                self.attempts += n
                self.outcomes[kind.outcome] += n
        counted = sum(len(tally.validity) for tally in case.questions)
        self.cases += counted > 0
        self.counted += counted
        if counted and self.quota:
            self.validity.rates.append(case.valid_rate(self.quota))
            self.validity.attempts += counted
        self._add_rates(case)

    def _add_rates(self, case: CaseTally) -> None:
        """Add what is over valid attempts, and the lane that settled without one, which counts as one more."""
        valid = [(tally.question, kind, n) for tally in case.questions for kind, n in tally.counted if kind.valid]
        total = sum(n for _, _, n in valid)
        self.valid += total
        self.solved += sum(kind.solved * n for _, kind, n in valid)
        settled, undecided = case.never_valid, self.decisions.undecided
        self.applied.add(sum(n for _, kind, n in valid if kind.class_ in APPLIED), total + (settled is not None))
        decided = [(kind, n) for question, kind, n in valid if question not in undecided]
        more = self.decisions.decided and settled is not None and settled not in undecided
        for rates, classes in ((self.right, RIGHT), (self.wrong, WRONG)):
            share = sum(n for kind, n in decided if kind.class_ in classes)
            rates.add(share, sum(n for _, n in decided) + more)
        parsed = [(kind.parses_after, n) for _, kind, n in valid if kind.parses_after is not None]
        self.parse_kept.add(sum(kept * n for kept, n in parsed), sum(n for _, n in parsed))


def variant_tally(attempts: AttemptStream, quota: int | None, decisions: Decisions) -> VariantTally:
    """Count the attempts of a variant."""
    tally = VariantTally(quota, decisions)
    for case in case_tallies(attempts):
        tally.add(case)
    return tally
