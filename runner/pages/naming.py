"""The variants of a run as a page orders and names them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runner.report.run_comparisons import RunComparisons
from runner.report.summary import RunSummary, VariantSummary
from runner.stats.intervals import Interval
from runner.storage.runs import VariantKey
from runner.table_layout import shortened

LONGEST_LABEL = 34


@dataclass(frozen=True, slots=True)
class NamedVariant:
    """A variant: `first` is whether it is the first that scored the answers of its model and prompt.

    Only first variants have a rank, "" where there is nothing to compare.
    """

    summary: VariantSummary
    label: str
    first: bool
    rank: str

    @property
    def key(self) -> VariantKey:
        """What identifies the variant within its run."""
        return self.summary.key

    @property
    def request_key(self) -> tuple[str, str]:
        """The model and the prompt."""
        return self.summary.sut, self.summary.prompt


@dataclass(frozen=True, slots=True)
class Headline:
    """The figure that a page ranks by: its name, what it means, and how a variant has it."""

    name: str
    meaning: str
    of: Callable[[VariantSummary], Interval | None]


RIGHT = Headline("right", "gave an expected file, passed the tests, or named the right label", lambda row: row.right)
APPLIED = Headline("applied", "gave a file; nothing decides whether it is the right one", lambda row: row.applied)


def headline_of(summary: RunSummary) -> Headline:
    """Return `right`, or `applied` where nothing decides what is right."""
    known = any(variant.right is not None for variant in summary.variants)
    return RIGHT if known or not any(variant.applied for variant in summary.variants) else APPLIED


def named_variants(summary: RunSummary, comparisons: RunComparisons) -> tuple[NamedVariant, ...]:
    """Return the variants, the best models first, those that score the same answers together; real models first."""
    figure = headline_of(summary).of
    firsts: dict[tuple[str, str], VariantSummary] = {}
    for variant in summary.variants:
        firsts.setdefault((variant.sut, variant.prompt), variant)

    def order(variant: VariantSummary) -> tuple[bool, float, str, str, bool]:
        first = firsts[variant.sut, variant.prompt]
        interval = figure(first)
        estimate = -interval.estimate if interval else 1.0
        return variant.simulated, estimate, variant.sut, variant.prompt, variant is not first

    ordered = sorted(summary.variants, key=order)
    labels = _labels(ordered)
    return tuple(
        NamedVariant(
            variant,
            label,
            firsts[variant.sut, variant.prompt] is variant,
            (comparisons.first_ranks or {}).get(variant.key, ""),
        )
        for variant, label in zip(ordered, labels, strict=True)
    )


def plotted(named: Sequence[NamedVariant]) -> tuple[NamedVariant, ...]:
    """Return what is plotted together: the first variant of each model and prompt, real ones if there is any."""
    firsts = [variant for variant in named if variant.first]
    real = [variant for variant in firsts if not variant.summary.simulated]
    return tuple(real or firsts)


def _labels(variants: Sequence[VariantSummary]) -> list[str]:
    """Return short names that differ where the models or prompts do."""
    several = len({variant.prompt for variant in variants}) > 1
    names = [f"{variant.sut} {variant.prompt}" if several else variant.sut for variant in variants]
    return shortened(names, LONGEST_LABEL)
