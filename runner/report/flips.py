"""What swapping the algorithm changed, as tables."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from runner.document import Document, Table
from runner.report.comparisons import MOST_FLIPS, Compared, Comparison
from runner.stats.intervals import Interval
from runner.storage.reread import Rereader

_MAX_SHOWN = 40


def flip_tables(comparisons: Sequence[Comparison]) -> Document:
    """A 2x2 table and its test for each comparison; then the attempts that flipped."""
    columns = ("model", "prompt", "diff", "parser", "against", "both", "gained", "lost", "neither", "difference")
    rows = tuple((*_names(comparison.compared), *_figures(comparison)) for comparison in comparisons)
    flipped = [
        (
            comparison.compared.rule.name,
            _against(comparison.compared),
            flip.case_id,
            flip.sut,
            flip.prompt,
            str(flip.number),
            flip.outcome_before,
            flip.outcome_after,
        )
        for comparison in comparisons
        if not comparison.compared.is_part
        for flip in comparison.flipped
    ]
    unlisted = sum(comparison.unlisted for comparison in comparisons if not comparison.compared.is_part)
    most = f"the first {MOST_FLIPS:,} of each comparison" if unlisted else "all"
    more = len(flipped) + unlisted - _MAX_SHOWN
    notes = [f"{more} more flips: --json lists {most}"] if more > 0 else []
    if not flipped:
        notes.append("no attempt flipped")
    figures = " or ".join(dict.fromkeys(comparison.figure for comparison in comparisons))
    important = ("diff", "model", "against", "gained", "lost", "difference", "p")
    tables = [Table(f"the same answers, {figures or 'right'} by", (*columns, "p"), rows, important)]
    if flipped:
        names = ("diff", "against", "case", "model", "prompt", "number", "was", "is")
        last_left_out = ("case", "diff", "was", "is", "number", "model")
        tables.append(Table("flips", names, tuple(flipped[:_MAX_SHOWN]), last_left_out))
    return Document("comparison", tuple(tables), tuple(notes))


def _names(compared: Compared) -> tuple[str, ...]:
    sut = "all" if compared.sut is None else compared.sut
    prompt = "all" if compared.prompt is None else compared.prompt
    return sut, prompt, compared.rule.diff_algorithm, compared.rule.parser, _against(compared)


def _against(compared: Compared) -> str:
    """Return the algorithm of the run that was replayed, with its parser if that is another one."""
    baseline, rule = compared.baseline, compared.rule
    if not baseline.diff_algorithm or baseline.parser == rule.parser:
        return baseline.name
    return f"{baseline.diff_algorithm} {baseline.parser}"


def _figures(comparison: Comparison) -> tuple[str, ...]:
    table = comparison.table
    counts = (table.both, table.second_only, table.first_only, table.neither)
    return (*map(str, counts), _points(comparison.difference), f"{comparison.test.p_value:.3g}")


def as_data(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return the comparisons as JSON values: at most 10,000 flips of each; a null `sut` or `prompt` counts all."""
    return [
        {
            "diff_algorithm": comparison.compared.rule.name,
            "parser": comparison.compared.rule.parser,
            "baseline": comparison.compared.baseline.name,
            "baseline_parser": comparison.compared.baseline.parser,
            "sut": comparison.compared.sut,
            "prompt": comparison.compared.prompt,
            "table": asdict(comparison.table),
            "difference": asdict(comparison.difference) if comparison.difference else None,
            "figure": comparison.figure,
            "test": comparison.test.name,
            "p_value": comparison.test.p_value,
            "flipped": [asdict(flip) for flip in comparison.flipped],
            "unlisted": comparison.unlisted,
        }
        for comparison in comparisons
    ]


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
        "different": [*rereader.different],
        "differing": dict(rereader.differing),
    }


def _points(interval: Interval | None) -> str:
    if interval is None:
        return "-"
    return f"{100 * interval.estimate:+.1f} pp [{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"
