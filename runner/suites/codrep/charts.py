"""CodRep by the size of the file as a chart: how often the right line is named in short and in long files."""

from collections import defaultdict
from math import fsum

from runner.json_texts import stored_json
from runner.records import Outcome
from runner.report.charts import Estimate, Estimates
from runner.stats.intervals import rate_over_cases
from runner.storage.store import Row, Store

# The number of lines from which on a file is in the next group.
_SIZES = (50, 100, 200, 400, 800)
_ROWS = """
SELECT sut, prompt, case_id, solved FROM attempts
WHERE run_id = ? AND number <= ? AND outcome != ? ORDER BY sut, prompt"""


def size_charts(store: Store, run: Row, quota: int) -> tuple[Estimates, ...]:
    """Return the share of exact lines by size, over the first attempts at each task; nothing without answers."""
    sizes = _groups(store, run["replay_of"] or run["run_id"])
    cases: defaultdict[tuple[str, int], defaultdict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in store.stream(_ROWS, run["run_id"], quota, Outcome.CRASHED.value):
        if row["case_id"] in sizes:
            system = " ".join(filter(None, (row["sut"], row["prompt"])))
            cases[system, sizes[row["case_id"]]][row["case_id"]].append(bool(row["solved"]))
    rows = []
    for (system, size), by_case in sorted(cases.items()):
        rates = [fsum(values) / len(values) for values in by_case.values()]
        interval = rate_over_cases(rates, sum(map(len, by_case.values())))
        assert interval is not None
        rows.append(Estimate(system, _label(size), interval, len(rates)))
    note = "Share of tasks whose replaced line is named exactly, by the lines of the file; 95 % intervals over tasks."
    return (Estimates("CodRep by file size", note, "tasks", tuple(rows)),) if rows else ()


def _groups(store: Store, run_id: str) -> dict[str, int]:
    """Return the group of each case, by the number of lines of its file."""
    sql = "SELECT case_id, content_id FROM cases WHERE run_id = ? AND skipped IS NULL"
    groups = {}
    for row in store.stream(sql, run_id):
        content = stored_json(store.text(row["content_id"]) or "null")
        if isinstance(content, dict) and isinstance(lines := content.get("lines"), int):
            groups[row["case_id"]] = sum(lines >= size for size in _SIZES)
    return groups


def _label(group: int) -> str:
    if group == 0:
        return f"under {_SIZES[0]} lines"
    if group == len(_SIZES):
        return f"{_SIZES[-1]} lines or more"
    return f"{_SIZES[group - 1]} to {_SIZES[group] - 1} lines"
