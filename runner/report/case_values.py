"""The values of a variant at each case by one figure, as numbers: 16 bytes an answer."""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from runner.report.answer_figures import CLOCKS, COST, TOKENS
from runner.report.attempt_stream import LAUNCHED, AttemptStream
from runner.report.classes import APPLIED, RIGHT, WRONG, Decisions, question_of, question_rate
from runner.storage.store import Row

CLASSES = {"right": RIGHT, "wrong": WRONG, "applied": APPLIED}
COLUMNS = {**{name: f"a.{name}" for name in (*CLOCKS, *TOKENS)}, "cost_usd": COST}
VALID = "valid"

# The same case in two runs has the same id and digest. No planner may take another order of tables.
_JOINED = """
CROSS JOIN cases k ON k.run_id = l.run_id AND k.case_id = l.case_id
LEFT JOIN scores x ON x.scoring_id = s.scoring_id AND x.metric = ?7"""
_ROWS = """l.case_id, a.step, a.mode, k.digest, a.number, a.try, l.settled_at, s.valid, c.class, a.answer_id,
    CASE WHEN ?8 = '' THEN NULL ELSE json_extract(s.detail, '$.' || ?8) END AS cluster"""

# A case by its id and the digest of all that it states.
CaseKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """A figure of a run: its name, the field of `detail` that groups cases, the quota, and what decides."""

    metric: str
    cluster: str
    quota: int
    decisions: Decisions

    @property
    def counts_settled(self) -> bool:
        """Whether a lane that settled without a valid answer counts, as one that is not of the class."""
        return self.metric == "applied" or (self.metric in CLASSES and self.decisions.decided)

    def is_open(self, row: Row) -> bool:
        """Return whether nothing decides about a row what the figure is about."""
        return self.metric != "applied" and question_of(row) in self.decisions.undecided


@dataclass(slots=True)
class CaseValues:
    """The values at one case, with the ids of their answers unless they are not of single answers."""

    case: CaseKey
    cluster: str = ""
    values: "array[float]" = field(default_factory=lambda: array("d"))
    ids: "array[int]" = field(default_factory=lambda: array("q"))

    def add(self, row: Row, value: float | None) -> None:
        """Add the value of an answer; None counts nowhere."""
        if value is not None:
            self.values.append(value)
            self.ids.append(row["answer_id"])
            self.cluster = row["cluster"] or row["case_id"]


def case_values(attempts: AttemptStream, figure: ComparedFigure) -> Iterator[CaseValues]:
    """Yield the values of the cases that have any, in the order of their names."""
    value = COLUMNS.get(figure.metric, "x.value")
    rows = attempts.rows(
        f"{_ROWS}, {value} AS value",
        figure.metric,
        figure.cluster,
        joined=_JOINED,
        where=" AND c.class != 'infrastructure'",
        order=LAUNCHED,
    )
    of_case = _rates_of_validity if figure.metric == VALID else _values
    for key, case_rows in groupby(rows, key=lambda row: (row["case_id"], row["digest"])):
        at_case = of_case(key, case_rows, figure)
        if at_case.values:
            yield at_case


def _values(case: CaseKey, rows: Iterator[Row], figure: ComparedFigure) -> CaseValues:
    at_case, value_of = CaseValues(case), _value_of(figure)
    any_valid, first = False, None
    for row in rows:
        at_case.add(row, value_of(row))
        any_valid = any_valid or row["valid"]
        if not any_valid and (first is None or (row["number"], row["try"]) < (first["number"], first["try"])):
            first = row
    if first is None or any_valid or first["settled_at"] is None or not figure.counts_settled:
        return at_case
    if not figure.is_open(first):
        at_case.add(first, 0.0)
    return at_case


def _value_of(figure: ComparedFigure) -> Callable[[Row], float | None]:
    """Return what reads the figure of one row; it returns None for a row that does not count."""
    if figure.metric in CLASSES:
        classes = CLASSES[figure.metric]
        return lambda row: float(row["class"] in classes) if row["valid"] and not figure.is_open(row) else None
    if figure.metric in COLUMNS:
        return lambda row: row["value"]
    return lambda row: row["value"] if row["valid"] else None


def _rates_of_validity(case: CaseKey, rows: Iterator[Row], figure: ComparedFigure) -> CaseValues:
    """Return the estimated rate of valid answers of each question; see `question_rate`."""
    at_case = CaseValues(case)
    for _, of_question in groupby(rows, key=question_of):
        validity, before = bytearray(), None
        for row in of_question:
            validity.append(bool(row["valid"]))
            if row["settled_at"] is not None:
                before = (before or 0) + (row["number"] < row["settled_at"])
            at_case.cluster = row["cluster"] or row["case_id"]
        at_case.values.append(question_rate(validity, before, figure.quota))
    return at_case
