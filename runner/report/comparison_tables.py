"""Comparisons as tables, sentences and data; and the ranks that follow from them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from runner.document import Table
from runner.report.case_figures import CaseFigures, VariantName
from runner.report.pairs import DIMENSIONS, VARIANT, Family, VariantPair

# The difference, in points, that a reader is offered a number of cases for.
EFFECT = 10.0
_SENTENCES = 30
_LOWER_IS_BETTER = frozenset({"wrong", "loss", "over_run", "cost_usd"})
_FEW = 10
# With fewer cases that differ, intervals of shares hold the true difference in more than 95 of 100 (docs/comparing.md).
_FEW_DIFFER = 12


def comparison_tables(families: Sequence[Family]) -> tuple[Table, ...]:
    """Return a table per dimension: first - second with its interval, p-value after Holm, and flips where there are."""
    return tuple(_table(family) for family in families if family.pairs)


def comparison_notes(families: Sequence[Family], effect: float = EFFECT) -> tuple[str, ...]:
    """Return a sentence per comparison; `effect` in points, or in the figure's own unit where it is no share."""
    sentences = [_sentence(pair, family, effect) for family in families for pair in family.pairs]
    left_out = len(sentences) - _SENTENCES
    more = [f"{left_out} more comparisons: `evals compare --json` lists all"] if left_out > 0 else []
    alone = sum(family.alone for family in families)
    apart = [f"{alone} pairs have fewer than two cases in common: not compared"] if alone else []
    return (*sentences[:_SENTENCES], *more, *apart, *_cautions([pair for family in families for pair in family.pairs]))


def _cautions(pairs: Sequence[VariantPair]) -> Sequence[str]:
    """Return what to know of comparisons that rest on few cases."""
    if any(pair.difference.clusters < _FEW for pair in pairs):
        return [f"fewer than {_FEW} cases: too few to show any but the largest differences"]
    few = sum(pair.shares and pair.difference.differing < _FEW_DIFFER for pair in pairs)
    if not few:
        return []
    where = f"{few} of {len(pairs)} comparisons" if len(pairs) > 1 else "the comparison"
    return [f"fewer than {_FEW_DIFFER} cases differ in {where}: intervals there are wider than 95 % needs"]


def comparison_data(families: Sequence[Family], effect: float = EFFECT) -> list[dict[str, Any]]:
    """Return every comparison as JSON values."""
    return [
        {
            "by": family.dimension,
            "metric": family.metric,
            "first": asdict(pair.first),
            "second": asdict(pair.second),
            "cases": pair.difference.cases,
            "clusters": pair.difference.clusters,
            "differing": pair.difference.differing,
            "attempts_per_case": pair.attempts,
            "difference": asdict(pair.difference.interval),
            "standard_error": pair.difference.error,
            "test": pair.test,
            "p_value": pair.p_value,
            "p_holm": pair.adjusted,
            "comparisons": len(family.pairs),
            "shown": pair.differs,
            "detectable": pair.difference.detectable,
            "effect": _effect(pair, effect),
            "cases_for_effect": pair.difference.cases_for(_effect(pair, effect)),
            "flips": asdict(pair.table) if pair.table else None,
            "sentence": _sentence(pair, family, effect),
            "simulated": pair.first.simulated,
        }
        for family in families
        for pair in family.pairs
    ]


def lower_is_better(metric: str) -> bool:
    """Return whether less of a figure is better."""
    return metric in _LOWER_IS_BETTER or metric.endswith(("_ms", "_tokens"))


def ranks_of(samples: Sequence[CaseFigures], family: Family | None) -> dict[VariantName, str]:
    """Return each variant's rank: one more than the number of variants that are shown to be better; `2=` for a tie.

    Real and simulated variants are ranked apart. Ties need not be alike among themselves: the first may be shown to be
    better than the third, while the second is not shown to differ from either.
    """
    worse = Counter(_better_first(pair)[1] for pair in (family.pairs if family else ()) if pair.differs)
    ranks = {sample.variant: 1 + worse[sample.variant] for sample in samples if sample.cases}
    shared = Counter((variant.simulated, rank) for variant, rank in ranks.items())
    return {
        variant: f"{rank}=" if shared[variant.simulated, rank] > 1 else str(rank) for variant, rank in ranks.items()
    }


def _table(family: Family) -> Table:
    sizes = sorted({pair.difference.cases for pair in family.pairs})
    cases = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    unit = "points" if family.pairs[0].shares else "difference"
    with_flips = any(pair.table for pair in family.pairs)
    context = _context(family)
    columns = (
        "first - second",
        *(("at",) if any(map(context, family.pairs)) else ()),
        f"{unit} [95 %]",
        "p",
        "verdict",
    )
    rows = tuple(
        (
            f"{_name(pair.first, family)} - {_name(pair.second, family)}",
            *((context(pair),) if len(columns) == 5 else ()),
            _signed(pair),
            f"{pair.adjusted:.2g}" if pair.adjusted >= 0.0001 else "< .0001",
            _verdict(pair),
            *(_flips(pair) if with_flips else ()),
        )
        for pair in family.pairs
    )
    family_size = f"; Holm over {len(family.pairs)}" if len(family.pairs) > 1 else ""
    title = f"{family.metric} by {family.dimension}, paired on {cases} cases{family_size}"
    important = (columns[0], f"{unit} [95 %]", "verdict", "at", "p")
    return Table(title, (*columns, *(("gained", "lost") if with_flips else ())), rows, important)


def _verdict(pair: VariantPair) -> str:
    if not pair.differs:
        return "="
    return ">" if pair.difference.interval.estimate > 0 else "<"


def _flips(pair: VariantPair) -> tuple[str, str]:
    return (str(pair.table.first_only), str(pair.table.second_only)) if pair.table else ("-", "-")


def _name(variant: VariantName, family: Family) -> str:
    if family.dimension != VARIANT:
        return variant.part(family.dimension)
    return " ".join(part for part in (variant.model, variant.prompt, variant.algorithm or variant.parser) if part)


def _context(family: Family) -> Callable[[VariantPair], str]:
    """Return what names the dimensions that the two variants of a pair share and that differ between pairs."""
    if family.dimension == VARIANT:
        return lambda _pair: ""
    names = [
        name
        for name in DIMENSIONS
        if name not in {family.dimension, "endpoint", "run"}
        and len({pair.first.part(name) for pair in family.pairs}) > 1
        and all(pair.first.part(name) == pair.second.part(name) for pair in family.pairs)
    ]
    return lambda pair: ", ".join(pair.first.part(name) for name in names)


def _better_first(pair: VariantPair) -> tuple[VariantName, VariantName]:
    """Return the variants of a pair, the one with the higher figure first."""
    higher = pair.difference.interval.estimate > 0
    return (pair.first, pair.second) if higher else (pair.second, pair.first)


def _effect(pair: VariantPair, effect: float) -> float:
    return effect / 100 if pair.shares else effect


def _sentence(pair: VariantPair, family: Family, effect: float) -> str:
    place = _context(family)(pair)
    where = f" ({place})" if place else ""
    if pair.differs:
        return f"{_better_sentence(pair, family)}{where}"
    names = f"{_name(pair.first, family)}, {_name(pair.second, family)}"
    difference = pair.difference
    needed = difference.cases_for(_effect(pair, effect))
    unit = " points" if pair.shares else ""
    seen = f"{_size(difference.detectable, pair)}{unit} or more would have been seen"
    return f"{names}{where}: no difference shown; {seen}, {needed} cases would show {effect:g}"


def _better_sentence(pair: VariantPair, family: Family) -> str:
    higher, lower = (_name(variant, family) for variant in _better_first(pair))
    interval = pair.difference.interval
    low, high = sorted((abs(interval.low), abs(interval.high)))
    size = f"{_amount(abs(interval.estimate), pair)}{' points' if pair.shares else ''}"
    ends = f"[{_amount(low, pair)}, {_amount(high, pair)}]"
    if lower_is_better(family.metric):
        return f"{lower} has a lower {family.metric} than {higher}, by {size} {ends}"
    return f"{higher} is better than {lower} by {size} {ends}"


def _signed(pair: VariantPair) -> str:
    interval = pair.difference.interval
    if pair.shares:
        return f"{100 * interval.estimate:+.1f} [{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"
    return f"{interval.estimate:+.4g} [{interval.low:+.4g}, {interval.high:+.4g}]"


def _amount(value: float, pair: VariantPair) -> str:
    return f"{100 * value:.1f}" if pair.shares else f"{value:.4g}"


def _size(value: float, pair: VariantPair) -> str:
    """Return a detectable difference, rounded up to whole points."""
    return str(-int(-100 * value // 1)) if pair.shares else f"{value:.4g}"
