"""CodRep by the size of the file as a chart: how often the right line is named in short and in long files."""

from bisect import bisect_right
from collections import defaultdict
from math import fsum

from runner.records import Outcome
from runner.report.charts import Estimate, Estimates
from runner.stats.intervals import rate_over_cases
from runner.storage.store import Row, Store

# The number of lines from which on a file is in the next group.
_SIZES = (50, 100, 200, 400, 800)
_ROWS = """
SELECT t.sut, t.prompt, t.case_id, t.solved, json_extract(s.detail, '$.lines') AS lines
FROM attempts t JOIN scorings s USING (scoring_id)
WHERE t.run_id = ? AND t.number <= ? AND t.outcome != ? AND lines IS NOT NULL"""


def size_charts(store: Store, run: Row, quota: int) -> tuple[Estimates, ...]:
    """Return the share of exact lines by size, over the first attempts at each task; nothing without answers."""
    cases: defaultdict[tuple[str, int], defaultdict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in store.stream(_ROWS, run["run_id"], quota, Outcome.CRASHED.value):
        system = " ".join(filter(None, (row["sut"], row["prompt"])))
        cases[system, bisect_right(_SIZES, row["lines"])][row["case_id"]].append(bool(row["solved"]))
    rows = []
    for (system, size), by_case in sorted(cases.items()):
        rates = [fsum(values) / len(values) for values in by_case.values()]
        interval = rate_over_cases(rates, sum(map(len, by_case.values())))
        assert interval is not None
        rows.append(Estimate(system, _label(size), interval, len(rates)))
    note = "Share of tasks whose replaced line is named exactly, by the lines of the file; 95 % intervals over tasks."
    return (Estimates("CodRep by file size", note, "tasks", tuple(rows)),) if rows else ()


def _label(group: int) -> str:
    if group == 0:
        return f"under {_SIZES[0]} lines"
    if group == len(_SIZES):
        return f"{_SIZES[-1]} lines or more"
    return f"{_SIZES[group - 1]} to {_SIZES[group] - 1} lines"
