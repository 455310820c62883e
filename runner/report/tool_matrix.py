"""Edit tools by models, where a run has several tools: right, wrong, damage, first edit, cost, commonest failures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from runner.calls import NATIVE, calls_of
from runner.document import Table
from runner.records import Outcome
from runner.report.collateral import Collateral
from runner.report.summary import VariantSummary
from runner.report.tables import estimate, milliseconds, model_name, usd
from runner.stats.intervals import Interval
from runner.storage.runs import VariantKey

_DEFAULT = "replace-in-file"


@dataclass(frozen=True, slots=True)
class ToolFigures:
    """One tool with one model; rates are over valid attempts, `first_edit_ms` is a median.

    `causes` counts the attempts that failed by their outcome, the commonest first. `collateral` is the damage of edits
    that were applied.
    """

    sut: str
    tool: str
    variant: VariantSummary
    causes: Mapping[str, int]
    collateral: Collateral

    @property
    def calls(self) -> str:
        """How it is called."""
        return calls_of(self.variant.prompt)

    @property
    def data(self) -> dict[str, object]:
        """The same as plain data."""
        first_edit = self.variant.clocks.get("first_edit_ms")
        return {
            "sut": self.sut,
            "edit_tool": self.tool,
            "calls": self.calls,
            "right": _share(self.variant.right),
            "wrong": _share(self.variant.wrong),
            "valid": _share(self.variant.valid_rate),
            "first_edit_ms": None if first_edit is None else first_edit.median,
            "usd_per_valid": self.variant.usd_per_valid,
            "collateral": self.collateral.share,
            "collateral_lines": self.collateral.lines_each,
            "causes": dict(self.causes),
        }


def tool_figures(
    variants: Sequence[VariantSummary],
    tools: Mapping[VariantKey, str],
    damage: Callable[[], Mapping[VariantKey, Collateral]],
) -> list[ToolFigures]:
    """Return the figures by model, then by tool; nothing where a run has one tool only.

    `tools` are the edit tools of the variants by their keys, "" for the default. Of the prompts and algorithms of the
    default tool each has a row of its own, and so has each way to call. `damage` gives the collateral damage by
    variant, where it is needed.
    """
    if len(set(tools.values())) < 2:
        return []
    by_variant = damage()
    figures = [
        ToolFigures(
            variant.sut,
            tools.get(variant.key) or _DEFAULT,
            variant,
            _causes(variant),
            by_variant.get(variant.key, Collateral()),
        )
        for variant in variants
    ]
    order = {sut: number for number, sut in enumerate(dict.fromkeys(variant.sut for variant in variants))}
    return sorted(figures, key=lambda row: order[row.sut])


def tool_table(figures: Sequence[ToolFigures]) -> Table:
    """Return the figures as a table; without any it has no rows."""
    several = len({(row.sut, row.tool) for row in figures}) < len(figures)
    rows = []
    for row in figures:
        variant = row.variant
        first_edit = variant.clocks.get("first_edit_ms")
        rows.append(
            (
                model_name(variant),
                row.tool + (_apart(row) if several else ""),
                *(estimate(rate) for rate in (variant.right, variant.wrong, variant.valid_rate)),
                _damage(row.collateral),
                "-" if first_edit is None else milliseconds(first_edit.median),
                usd(variant.usd_per_valid, simulated=variant.simulated),
                ", ".join(f"{name} {count}" for name, count in [*row.causes.items()][:2]) or "-",
            )
        )
    columns = (
        "model",
        "edit tool",
        "right",
        "wrong",
        "valid",
        "damage",
        "first edit",
        "per valid",
        "commonest failures",
    )
    return Table("edit tools by model: %, medians", columns, tuple(rows), ("model", "edit tool", "right", "wrong"))


def _apart(row: ToolFigures) -> str:
    """Return what distinguishes the rows of a tool: prompts and algorithms of the default one, calls of the others."""
    if row.tool == _DEFAULT:
        return f" ({row.variant.prompt}, {row.variant.diff_algorithm})"
    return f" ({NATIVE})" if row.calls == NATIVE else ""


def _damage(collateral: Collateral) -> str:
    """`4.2 (3 lines)`: the share of applied edits with damage in %, and the mean lines of these."""
    if collateral.share is None:
        return "-"
    lines = "" if collateral.lines_each is None else f" ({collateral.lines_each:.3g} lines)"
    return f"{100 * collateral.share:.1f}{lines}"


def _causes(variant: VariantSummary) -> dict[str, int]:
    failed = {
        name: count
        for name, count in variant.outcomes.items()
        if not (Outcome(name).solved or Outcome(name).infrastructure)
    }
    return dict(sorted(failed.items(), key=lambda pair: (-pair[1], pair[0])))


def _share(interval: Interval | None) -> float | None:
    return None if interval is None else interval.estimate
