"""The report of a CodRep run: the loss as the competition counts it, how much was shown, and the usual summary."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runner.document import Document, Table
from runner.records import Outcome
from runner.report.run_report import Report, plain_report
from runner.report.summary import Edits
from runner.report.tables import percent
from runner.stats.intervals import Interval, rate_over_cases, rate_over_clusters
from runner.storage.runs import variant_rows
from runner.storage.store import Row, Store
from runner.suites.codrep.charts import size_charts

_ROWS = """
SELECT t.sut, t.prompt, t.case_id, t.number, t.valid, t.solved, c.value AS loss,
    coalesce(json_extract(s.detail, '$.file'), t.case_id) AS file,
    json_extract(s.detail, '$.answer_shown') AS answer_shown, json_extract(s.detail, '$.shown_whole') AS shown_whole
FROM attempts t JOIN scorings s USING (scoring_id) JOIN scores c ON c.scoring_id = t.scoring_id AND c.metric = 'loss'
WHERE t.run_id = ? AND t.number <= ? AND t.outcome != ?
"""


@dataclass(frozen=True, slots=True)
class LineErrors:
    """How far one system's lines are off, over the first attempts at each task, as many as the quota wants.

    These attempts are always made, so no answer is left out because it is malformed: it costs 1 and is not exact, as
    in the competition. `loss` has a bootstrap interval over source files, `exact` is the competition's recall@1, its
    interval clustered by file; `shown_whole` and `answer_shown` are the shares of tasks whose file, or whose replaced
    line at least, was shown.
    """

    sut: str
    prompt: str
    simulated: bool
    tasks: int
    malformed: int
    loss: Interval | None
    exact: Interval | None
    shown_whole: float
    answer_shown: float


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """The line errors in front of the summary; answers are no edits, so `edits` selects rows of the summary alone."""
    plain = plain_report(store, run, edits)
    quota = plain.summary.quota
    errors = line_errors(store, run, quota)
    return replace(
        plain,
        data={**plain.data, "line_errors": errors},
        document=with_line_errors(plain.document, errors),
        charts=size_charts(store, run, quota),
    )


def line_errors(store: Store, run: Row, quota: int) -> tuple[LineErrors, ...]:
    """The systems of a run in their order."""
    groups: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in store.stream(_ROWS, run["run_id"], quota, Outcome.CRASHED.value):
        groups[row["sut"], row["prompt"]].append(row)
    variants = variant_rows(store, run["run_id"])
    return tuple(_errors(variant, groups[variant["sut"], variant["prompt"]]) for variant in variants)


def _errors(variant: Row, rows: Sequence[Row]) -> LineErrors:
    # numpy is loaded only where it is needed.
    from runner.stats.bootstrap import ratio_interval

    tasks: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        tasks[row["case_id"]].append(row)
    cases = tuple(tasks.values())
    files: defaultdict[str, list[Sequence[Row]]] = defaultdict(list)
    for case in cases:
        files[case[0]["file"]].append(case)
    counts = [len(group) for group in files.values()]
    losses, hits = (
        [math.fsum(_mean(case, name) for case in group) for group in files.values()] for name in ("loss", "solved")
    )
    return LineErrors(
        sut=variant["sut"],
        prompt=variant["prompt"],
        simulated=bool(variant["simulated"]),
        tasks=len(cases),
        malformed=sum(not row["valid"] for row in rows),
        loss=ratio_interval(losses, counts),
        exact=rate_over_clusters(hits, counts) or rate_over_cases([_mean(case, "solved") for case in cases], len(rows)),
        shown_whole=_share(cases, "shown_whole"),
        answer_shown=_share(cases, "answer_shown"),
    )


def _mean(rows: Sequence[Row], column: str) -> float:
    return math.fsum(row[column] for row in rows) / len(rows)


def _share(cases: Sequence[Sequence[Row]], column: str) -> float:
    return sum(bool(case[0][column]) for case in cases) / len(cases) if cases else 0.0


def with_line_errors(table: Document, errors: Sequence[LineErrors]) -> Document:
    """The report of a run with the losses of its systems in front."""
    columns = ("system", "prompt", "tasks", "malformed", "loss", "exact", "files shown whole", "answer shown")
    rows = tuple(
        (
            f"{row.sut} (simulated)" if row.simulated else row.sut,
            row.prompt,
            str(row.tasks),
            str(row.malformed),
            _four(row.loss),
            percent(row.exact),
            f"{100 * row.shown_whole:.1f}%",
            f"{100 * row.answer_shown:.1f}%",
        )
        for row in errors
    )
    title = "line errors: mean of tanh(distance), a malformed answer costs 1; its 95 % interval by bootstrap over files"
    note = "line errors count the first answers to each task, the results below them valid answers alone"
    return Document(
        table.title,
        (Table(title, columns, rows, ("system", "loss", "exact", "prompt")), *table.tables),
        (*table.notes, note),
    )


def _four(interval: Interval | None) -> str:
    return f"{interval.estimate:.4f} [{interval.low:.4f}, {interval.high:.4f}]" if interval else "-"
