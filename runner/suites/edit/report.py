"""The report of an edit run: beside what every run shows, pass@k and how the tests ended."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from runner.document import Document, Table
from runner.report.answer_figures import commonest_first
from runner.report.attempt_stream import BY_CASE, AttemptStream
from runner.report.kept import kept
from runner.report.run_report import Report, plain_report
from runner.report.summary import Edits
from runner.stats.pass_at_k import mean_pass_at_k
from runner.storage.rows import detail_of
from runner.storage.runs import variant_key, variant_rows
from runner.storage.store import Row, Store

_KS = (1, 2, 5, 10, 100)
_COLUMNS = "l.case_id, l.settled_at, s.valid, s.solved, s.outcome, s.detail"


@dataclass(frozen=True, slots=True)
class Passing:
    """One variant: pass@k by k, the mean over problems that have at least k valid answers; verdicts by name.

    Problems that settled without a valid answer count as never passed.
    """

    sut: str
    simulated: bool
    prompt: str
    diff_algorithm: str
    problems: int
    answers: int
    passed: int
    pass_at: dict[int, float]
    verdicts: dict[str, int]


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """The plain report, then pass@k and verdicts of the whole run."""
    plain = plain_report(store, run, edits)
    tests = kept(store, run, "tests", tuple[Passing, ...], lambda: passing(store, run), "runner.suites.edit")
    return replace(plain, data={**plain.data, "tests": tests}, document=with_passing(plain.document, tests))


def passing(store: Store, run: Row) -> tuple[Passing, ...]:
    """The variants of a run in their order."""
    variants = variant_rows(store, run["run_id"])
    return tuple(_passing(row, AttemptStream(store, run, variant_key(row))) for row in variants)


def _passing(variant: Row, attempts: AttemptStream) -> Passing:
    pairs, never_valid, verdicts = list[tuple[int, int]](), 0, Counter[str]()
    rows = attempts.rows(_COLUMNS, order=BY_CASE)
    for _, of_case in groupby(rows, key=lambda row: str(row["case_id"])):
        valid, right, settled = 0, 0, False
        for row in of_case:
            verdicts[_verdict(row)] += 1
            valid, right = valid + row["valid"], right + (row["valid"] and row["solved"])
            settled = row["settled_at"] is not None
        if valid:
            pairs.append((valid, right))
        never_valid += settled and not valid
    most = max((answers for answers, _ in pairs), default=0)
    tasks = [*pairs, *[(most, 0)] * never_valid]
    ks = sorted({k for k in (*_KS, most) if 0 < k <= most})
    return Passing(
        sut=variant["sut"],
        simulated=bool(variant["simulated"]),
        prompt=variant["prompt"],
        diff_algorithm=variant["diff_algorithm"],
        problems=len(pairs),
        answers=sum(answers for answers, _ in pairs),
        passed=sum(right for _, right in pairs),
        pass_at={k: mean for k in ks if (mean := mean_pass_at_k(tasks, k)) is not None},
        verdicts=commonest_first(verdicts),
    )


def _verdict(row: Row) -> str:
    """The test's verdict; the outcome where there was no file to run."""
    return str((detail_of(row) if row["detail"] else {}).get("verdict", row["outcome"]))


def with_passing(page: Document, passings: Sequence[Passing]) -> Document:
    """The report of a run with a table of pass@k and of verdicts."""
    ks = sorted({k for passing in passings for k in passing.pass_at})
    verdicts = list(dict.fromkeys(name for passing in passings for name in passing.verdicts))
    columns = ("model", "prompt", "diff", "problems", "answers", *(f"pass@{k}" for k in ks), *verdicts)
    rows = tuple(
        (
            f"{passing.sut} (simulated)" if passing.simulated else passing.sut,
            passing.prompt,
            passing.diff_algorithm,
            str(passing.problems),
            str(passing.answers),
            *(f"{100 * passing.pass_at[k]:.1f}%" if k in passing.pass_at else "-" for k in ks),
            *(str(passing.verdicts.get(name, 0)) for name in verdicts),
        )
        for passing in passings
    )
    table = Table(
        "tests: pass@k (unbiased, mean over problems) and verdicts",
        columns,
        rows,
        ("model", "pass@1", "diff", "prompt"),
    )
    return Document(page.title, (*page.tables, table), page.notes)
