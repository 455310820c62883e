"""The report of an edit run: beside what every run shows, pass@k and how the tests ended."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runner.document import Document, Table
from runner.report.classes import never_valid
from runner.report.run_report import Report, plain_report
from runner.report.summary import Edits
from runner.stats.pass_at_k import mean_pass_at_k
from runner.storage.rows import detail_of
from runner.storage.runs import variant_key, variant_rows
from runner.storage.store import Row, Store

_KS = (1, 2, 5, 10, 100)
_ROWS = """
SELECT t.sut, t.prompt, t.parser, t.diff_algorithm, t.case_id, t.solved, t.outcome, t.valid, t.lane_id, s.detail,
    l.settled_at
FROM attempts t JOIN scorings s USING (scoring_id) JOIN lanes l USING (lane_id) WHERE t.run_id = ?
"""


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
    tests = passing(store, run["run_id"])
    return replace(plain, data={**plain.data, "tests": tests}, document=with_passing(plain.document, tests))


def passing(store: Store, run_id: str) -> tuple[Passing, ...]:
    """The variants of a run in their order."""
    groups: defaultdict[tuple[str, str, str, str], list[Row]] = defaultdict(list)
    for row in store.stream(_ROWS, run_id):
        groups[variant_key(row)].append(row)
    return tuple(_passing(variant, groups[variant_key(variant)]) for variant in variant_rows(store, run_id))


def _passing(variant: Row, rows: Sequence[Row]) -> Passing:
    valid = [row for row in rows if row["valid"]]
    counts: defaultdict[str, list[bool]] = defaultdict(list)
    for row in valid:
        counts[row["case_id"]].append(bool(row["solved"]))
    pairs = [(len(group), sum(group)) for group in counts.values()]
    most = max((answers for answers, _ in pairs), default=0)
    pairs += [(most, 0)] * len(never_valid(rows))
    ks = sorted({k for k in (*_KS, most) if 0 < k <= most})
    return Passing(
        sut=variant["sut"],
        simulated=bool(variant["simulated"]),
        prompt=variant["prompt"],
        diff_algorithm=variant["diff_algorithm"],
        problems=len(counts),
        answers=len(valid),
        passed=sum(bool(row["solved"]) for row in valid),
        pass_at={k: mean for k in ks if (mean := mean_pass_at_k(pairs, k)) is not None},
        verdicts=dict(Counter(_verdict(row) for row in rows).most_common()),
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
