"""A run's summary as tables of words, shown on a terminal or written as Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from runner.document import Document, Table
from runner.report.summary import RunSummary, Spread, VariantSummary
from runner.stats.intervals import Interval

SIMULATED = "simulated: no number here is a real model's"


def document(summary: RunSummary, clusters: str = "case") -> Document:
    """The report of a run; `clusters` is what its intervals are clustered by."""
    title = f"{summary.suite} run {summary.run_id} ({summary.state}, {summary.created_at[:19]}Z)"
    if summary.replay_of:
        title += f", replay of {summary.replay_of}"
    tables = (_results(summary, clusters), _outcomes(summary), _costs(summary))
    return Document(title, tables, tuple(_notes(summary)))


def _name(variant: VariantSummary) -> tuple[str, str, str]:
    sut = f"{variant.sut} (simulated)" if variant.simulated else variant.sut
    return sut, variant.prompt, variant.diff_algorithm or variant.parser


def _results(summary: RunSummary, clusters: str) -> Table:
    columns = ("model", "prompt", "diff", "cases", "attempts", "valid rate", "success on valid", "as expected")
    metrics = sorted({metric for variant in summary.variants for metric in variant.scores})
    rows = [
        (
            *_name(one),
            str(one.cases),
            str(one.attempts),
            percent(one.valid_rate),
            percent(one.success),
            percent(one.equals_expected),
            *(number(one.scores.get(metric)) for metric in metrics),
        )
        for one in summary.variants
    ]
    return Table(f"results: 95 % intervals, clustered by {clusters}", (*columns, *metrics), tuple(rows))


def _outcomes(summary: RunSummary) -> Table:
    names = list(dict.fromkeys(name for variant in summary.variants for name in variant.outcomes))
    rows = [(*_name(one), *(str(one.outcomes.get(name, 0)) for name in names)) for one in summary.variants]
    return Table("outcomes", ("model", "prompt", "diff", *names), tuple(rows))


def _costs(summary: RunSummary) -> Table:
    clock_names = ("first token", "first edit", "first line", "call closed", "round trip")
    columns = ("model", "prompt", *clock_names, "tokens in", "cached", "out", "cost", "per valid")
    seen: set[tuple[str, str]] = set()
    rows = []
    for one in summary.variants:
        sut, prompt, _ = _name(one)
        if (sut, prompt) in seen:
            # Algorithms score the same answers: their clocks and costs are one.
            continue
        seen.add((sut, prompt))
        clocks = [_spread(one.clocks.get(f"{name}_ms")) for name in _CLOCKS]
        per_valid = one.cost_usd / one.valid if one.cost_usd is not None and one.valid else None
        tokens = [_count(one.tokens[name]) for name in ("input_tokens", "cache_read_tokens", "output_tokens")]
        rows.append((sut, prompt, *clocks, *tokens, usd(one.cost_usd), usd(per_valid)))
    return Table("clocks (median / p90) and cost", columns, tuple(rows))


_CLOCKS = ("first_token", "first_edit", "first_line", "closed", "round_trip")


def _notes(summary: RunSummary) -> Iterable[str]:
    if summary.simulated:
        yield SIMULATED
    if summary.edits:
        yield f"only attempts whose diff has {summary.edits} block(s)"
    # Algorithms score the same answers.
    asked = tuple({(one.sut, one.prompt): one for one in summary.variants}.values())
    yield from _mixtures(asked)
    yield from _untold(asked)
    for sut, outcomes in summary.infrastructure.items():
        told = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
        yield f"infrastructure, in no rate: {sut}: {told}"
    for state in ("capped", "abandoned", "open"):
        lanes = [lane for lane in summary.short_lanes if lane.state == state]
        if lanes:
            told = _listed([f"{lane.case_id} ({lane.sut}, {lane.prompt})" for lane in lanes])
            yield f"{state} before the quota of {summary.quota}: {told}"
    crashed = sum(variant.crashed for variant in summary.variants)
    if crashed:
        yield f"{crashed} scorings crashed or told nothing, in no rate; see `evals export`"
    for reason in dict.fromkeys(summary.skipped_cases.values()):
        yield f"skipped: {reason}: {_listed([one for one, why in summary.skipped_cases.items() if why == reason])}"


def _mixtures(variants: Iterable[VariantSummary]) -> Iterable[str]:
    """A warning where one variant's answers come from several places: its numbers are a mean of several systems."""
    for one in variants:
        for what, counts in (("upstreams", one.upstreams), ("models", one.served_models)):
            if len(counts) > 1:
                told = _listed([f"{name} {count}" for name, count in counts.items()])
                yield f"mixed: the answers of {one.sut}, {one.prompt} were served by several {what}: {told}"


def _untold(variants: Iterable[VariantSummary]) -> Iterator[str]:
    """Sums of tokens are too low where some answers told of none."""
    for one in variants:
        if 0 < one.untold < one.attempts:
            told = f"{one.untold} of {one.attempts} answers of {one.sut}, {one.prompt}"
            yield f"tokens: {told} told of none, and are in no sum"


def _listed(names: Sequence[str], shown: int = 20) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def percent(interval: Interval | None) -> str:
    """`93.5% [89.0, 96.3]`, or a dash."""
    if interval is None:
        return "-"
    return f"{100 * interval.estimate:.1f}% [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def number(interval: Interval | None) -> str:
    """`0.812 [0.774, 0.850]`, or a dash."""
    return f"{interval.estimate:.3f} [{interval.low:.3f}, {interval.high:.3f}]" if interval else "-"


def usd(amount: float | None) -> str:
    """Dollars with as many digits as matter; `unknown` where the price is."""
    if amount is None:
        return "unknown"
    return f"${amount:.2f}" if amount >= 100 else f"${amount:.4f}"


def _spread(spread: Spread | None) -> str:
    return f"{_seconds(spread.median)} / {_seconds(spread.p90)}" if spread else "-"


def _seconds(ms: float) -> str:
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.2f} s"


def _count(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"
