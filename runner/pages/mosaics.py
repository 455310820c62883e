"""What one diff algorithm solves and another does not, on the same answers, as mosaics of four fields."""

from collections.abc import Sequence
from dataclasses import dataclass

from diff_apply import DIFF_ALGORITHMS
from runner.report.case_figures import VariantName
from runner.report.comparisons import Comparison
from runner.report.pairs import Family
from runner.stats.flips import Flips

SIZE = 120
_MOST = 30


@dataclass(frozen=True, slots=True)
class MosaicField:
    """A field whose area stands for a count, in pixels."""

    style: str
    x: float
    y: float
    width: float
    height: float
    count: int
    title: str


@dataclass(frozen=True, slots=True)
class Mosaic:
    """The same answers by two rules, counts as areas and in words; `command` is "" for other than diffs."""

    title: str
    context: str
    fields: tuple[MosaicField, ...]
    sentence: str
    command: str


@dataclass(frozen=True, slots=True)
class Mosaics:
    """The mosaics of a run; `note` says why there is none."""

    mosaics: tuple[Mosaic, ...]
    note: str = ""


def mosaics_of(run_id: str, families: Sequence[Family], replayed: Sequence[Comparison]) -> Mosaics:
    """Return a mosaic for each pair of algorithms: within the run, and of a replay against the run it replays."""
    own = [
        _mosaic(run_id, names, _context(pair.first.model, pair.first.prompt), table)
        for family in families
        for pair in family.pairs
        if (table := _seen_from_second(pair.table)) and len(set(names := (_rule(pair.second), _rule(pair.first)))) == 2
    ]
    others = [
        _mosaic(
            run_id,
            (comparison.compared.baseline.name, comparison.compared.rule.name),
            _context(comparison.compared.sut, comparison.compared.prompt),
            comparison.table,
        )
        for comparison in replayed
    ]
    mosaics = [*own, *others]
    if not mosaics:
        return Mosaics(
            (),
            "The answers were scored in one way: nothing flips. Score the same answers in another with evals replay.",
        )
    left_out = f"{len(mosaics) - _MOST} more pairs: see evals compare." if len(mosaics) > _MOST else ""
    return Mosaics(tuple(mosaics[:_MOST]), left_out)


def _rule(variant: VariantName) -> str:
    """Return the algorithm, or the parser of answers that are no diffs."""
    return variant.algorithm or variant.parser


def _seen_from_second(table: Flips | None) -> Flips | None:
    """Return the table with its sides swapped: what was before is the first side."""
    return Flips(table.both, table.second_only, table.first_only, table.neither) if table else None


def _context(model: str | None, prompt: str | None) -> str:
    return ", ".join(part for part in (model or "all models", prompt or "") if part)


def _mosaic(run_id: str, names: tuple[str, str], context: str, table: Flips) -> Mosaic:
    """Return the mosaic of a table whose first side is the first name."""
    before, after = names
    sentence = (
        f"{table.second_only} gained and {table.first_only} lost by {after} against {before}; "
        f"{table.both} right by both, {table.neither} by neither."
    )
    known = before in DIFF_ALGORITHMS and after in DIFF_ALGORITHMS
    command = f"evals show {run_id} --flip {before}:{after}" if known else ""
    return Mosaic(f"{before} \u2192 {after}", context, _fields(table, before, after), sentence, command)


def _fields(table: Flips, before: str, after: str) -> tuple[MosaicField, ...]:
    """Return the fields: columns are right and not right by the first, each divided by the second."""
    total = table.both + table.first_only + table.second_only + table.neither
    columns = (
        (("both", table.both, "right by both"), ("lost", table.first_only, f"right by {before} alone")),
        (("gained", table.second_only, f"right by {after} alone"), ("neither", table.neither, "right by neither")),
    )
    fields, x = [], 0.0
    for column in columns:
        in_column = sum(count for _, count, _ in column)
        width = SIZE * in_column / total if total else 0.0
        y = 0.0
        for style, count, meaning in column:
            height = SIZE * count / in_column if in_column else 0.0
            if count:
                title = f"{meaning}: {count} of {total}"
                at, top, wide, high = (round(number, 1) for number in (x, y, width, height))
                fields.append(MosaicField(style, at, top, wide, high, count, title))
            y += height
        x += width
    return tuple(fields)
