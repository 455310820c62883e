"""Edit tools by models, where a run has several tools: right, wrong, first edit, cost, and the commonest failures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.calls import NATIVE, calls_of
from runner.document import Table
from runner.records import Outcome
from runner.report.summary import VariantSummary
from runner.report.tables import estimate, milliseconds, model_name, usd
from runner.stats.intervals import Interval

_DEFAULT = "replace-in-file"


@dataclass(frozen=True, slots=True)
class ToolFigures:
    """One tool with one model; rates are over valid attempts, `first_edit_ms` is a median.

    `causes` counts the attempts that failed by their outcome, the commonest first.
    """

    sut: str
    tool: str
    variant: VariantSummary
    causes: Mapping[str, int]

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
            "causes": dict(self.causes),
        }


def tool_figures(
    variants: Sequence[VariantSummary], tools: Mapping[tuple[str, str, str, str], str]
) -> list[ToolFigures]:
    """Return the figures by model, then by tool; nothing where a run has one tool only.

    `tools` are the edit tools of the variants by their keys, "" for the default. Of the prompts and algorithms of the
    default tool each has a row of its own, and so has each way to call.
    """
    if len(set(tools.values())) < 2:
        return []
    figures = [
        ToolFigures(variant.sut, tools.get(variant.key) or _DEFAULT, variant, _causes(variant)) for variant in variants
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
                "-" if first_edit is None else milliseconds(first_edit.median),
                usd(variant.usd_per_valid, simulated=variant.simulated),
                ", ".join(f"{name} {count}" for name, count in [*row.causes.items()][:2]) or "-",
            )
        )
    columns = ("model", "edit tool", "right", "wrong", "valid", "first edit", "per valid", "commonest failures")
    return Table("edit tools by model: %, medians", columns, tuple(rows), ("model", "edit tool", "right", "wrong"))


def _apart(row: ToolFigures) -> str:
    """Return what distinguishes the rows of a tool: prompts and algorithms of the default one, calls of the others."""
    if row.tool == _DEFAULT:
        return f" ({row.variant.prompt}, {row.variant.diff_algorithm})"
    return f" ({NATIVE})" if row.calls == NATIVE else ""


def _causes(variant: VariantSummary) -> dict[str, int]:
    failed = {
        name: count
        for name, count in variant.outcomes.items()
        if not (Outcome(name).solved or Outcome(name).infrastructure)
    }
    return dict(sorted(failed.items(), key=lambda pair: (-pair[1], pair[0])))


def _share(interval: Interval | None) -> float | None:
    return None if interval is None else interval.estimate
