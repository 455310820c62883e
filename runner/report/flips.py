"""What swapping the algorithm changed, as tables."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from runner.document import Document, Table
from runner.report.comparisons import Comparison
from runner.stats.intervals import Interval
from runner.storage.reread import Rereader

_SHOWN = 40


def flip_tables(comparisons: Sequence[Comparison]) -> Document:
    """Per algorithm a 2x2 table and its test; then the attempts that flipped."""
    columns = ("diff", "against", "both", "gained", "lost", "neither", "difference", "McNemar p")
    rows = tuple(
        (
            comparison.diff_algorithm,
            comparison.baseline,
            str(comparison.table.both),
            str(comparison.table.second_only),
            str(comparison.table.first_only),
            str(comparison.table.neither),
            _points(comparison.difference),
            f"{comparison.table.p_value:.3g}",
        )
        for comparison in comparisons
    )
    flipped = [
        (
            comparison.diff_algorithm,
            flip.case_id,
            flip.sut,
            flip.prompt,
            str(flip.number),
            flip.outcome_before,
            flip.outcome_after,
        )
        for comparison in comparisons
        for flip in comparison.flipped
    ]
    names = ("diff", "case", "model", "prompt", "number", "was", "is")
    notes = [f"{len(flipped) - _SHOWN} more flips: --json lists all"] if len(flipped) > _SHOWN else []
    if not flipped:
        notes.append("no attempt flipped")
    tables = [
        Table(
            "the same answers, solved by",
            columns,
            rows,
            ("diff", "against", "gained", "lost", "difference", "McNemar p"),
        )
    ]
    if flipped:
        tables.append(Table("flips", names, tuple(flipped[:_SHOWN]), ("case", "diff", "was", "is", "number", "model")))
    return Document("comparison", tuple(tables), tuple(notes))


def as_data(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return the comparisons as JSON values, every flip listed."""
    return [{**asdict(comparison), "p_value": comparison.table.p_value} for comparison in comparisons]


def reread_line(rereader: Rereader) -> str:
    """Return whether the stored bytes still say what was recorded live."""
    changes = ", ".join(f"{name} of {count}" for name, count in rereader.differing.most_common())
    differ = f"{len(rereader.different)} differ ({changes})" if changes else "0 differ"
    return (
        f"read again from their bytes: {rereader.same} answers are as recorded, {differ}, {rereader.pruned} are pruned"
    )


def as_json_counts(rereader: Rereader) -> dict[str, Any]:
    """Return the same as JSON values."""
    return {
        "same": rereader.same,
        "pruned": rereader.pruned,
        "different": rereader.different,
        "differing": dict(rereader.differing),
    }


def _points(interval: Interval | None) -> str:
    if interval is None:
        return "-"
    return f"{100 * interval.estimate:+.1f} pp [{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"
