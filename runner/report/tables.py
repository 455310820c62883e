"""A run's summary as tables of words, shown on a terminal or written as Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from runner.document import Document, Table
from runner.prices import SIMULATED_USD
from runner.report.answer_figures import Spread
from runner.report.lateness import lateness_notes
from runner.report.replicas import replica_notes, replica_table
from runner.report.run_comparisons import RunComparisons
from runner.report.served_notes import served_notes
from runner.report.speeds import speed_table
from runner.report.summary import RunSummary, VariantSummary
from runner.stats.intervals import Interval
from runner.variant import of_agent

# Columns of results that stay longest on a narrow terminal, the most important first.
_IMPORTANT = ("rank", "model", "right [95 %]", "diff", "prompt", "wrong", "valid", "applied")
SIMULATED = "simulated: no number here is a real model's"


def document(summary: RunSummary, comparisons: RunComparisons | None = None, clusters: str = "case") -> Document:
    """Return the report of a run, ranked where there are comparisons; intervals are clustered by `clusters`."""
    comparisons = comparisons or RunComparisons()
    title = f"{summary.suite} run {summary.run_id} ({summary.state}, {summary.created_at[:19]}Z)"
    if summary.replay_of:
        title += f", replay of {summary.replay_of}"
    tables = (_results(summary, comparisons, clusters), *comparisons.tables, _scores(summary), _outcomes(summary))
    speeds = (speed_table(summary.speeds),) if summary.speeds else ()
    servers = (replica_table(summary.replicas),) if summary.replicas else ()
    filled = (table for table in (*tables, _costs(summary), *speeds, *servers) if table.columns != _NAMES)
    return Document(title, tuple(filled), (*comparisons.notes, *_notes(summary)))


def model_name(variant: VariantSummary) -> str:
    """Return the model, and whether it is simulated."""
    return f"{variant.sut} (simulated)" if variant.simulated else variant.sut


def _name(variant: VariantSummary) -> tuple[str, str, str]:
    return model_name(variant), variant.prompt, variant.diff_algorithm or variant.parser


def full_name(variant: VariantSummary) -> str:
    """Return the model, whether it is simulated, the prompt, and the algorithm or the parser, comma-separated."""
    return ", ".join(filter(None, _name(variant)))


_NAMES = ("model", "prompt", "diff")


def _results(summary: RunSummary, comparisons: RunComparisons, clusters: str) -> Table:
    """Return the rates. A prompt or algorithm that all variants share is in the title: a terminal has 80 columns."""
    variants = sorted(summary.variants, key=_order) if comparisons.ranks else summary.variants
    names = [_name(variant) for variant in variants]
    shared = [at for at in (1, 2) if len({name[at] for name in names}) == 1]
    kept = [at for at in range(3) if at not in shared]
    rows = [
        (
            *((comparisons.rank(variant),) if comparisons.ranks else ()),
            *(name[at] for at in kept),
            _percent(variant.right),
            *(estimate(rate) for rate in (variant.wrong, variant.applied, variant.valid_rate)),
        )
        for name, variant in zip(names, variants, strict=True)
    ]
    common = "".join(f", {_NAMES[at]} {names[0][at]}" for at in shared if names[0][at])
    title = f"results: %, 95 % intervals, clustered by {clusters}{common}"
    columns = (*(("rank",) if comparisons.ranks else ()), *(_NAMES[at] for at in kept))
    return Table(title, (*columns, "right [95 %]", "wrong", "applied", "valid"), tuple(rows), _IMPORTANT)


def _order(variant: VariantSummary) -> tuple[bool, float]:
    """Return the place in a ranked table: real models first, then the highest figure; unknown ones last."""
    figure = variant.right or variant.applied
    return variant.simulated, -figure.estimate if figure else 1.0


def _scores(summary: RunSummary) -> Table:
    metrics = sorted({metric for variant in summary.variants for metric in variant.scores})
    rows = [
        (*_name(variant), *(number(variant.scores.get(metric)) for metric in metrics)) for variant in summary.variants
    ]
    return Table("scores of valid answers: 95 % intervals", (*_NAMES, *metrics), tuple(rows) if metrics else ())


def _outcomes(summary: RunSummary) -> Table:
    names = list(dict.fromkeys(name for variant in summary.variants for name in variant.outcomes))
    rows = [
        (
            *_name(variant),
            *(str(count) for count in (variant.cases, variant.attempts, variant.valid)),
            *(str(variant.outcomes.get(name, 0)) for name in names),
        )
        for variant in summary.variants
    ]
    return Table("outcomes", (*_NAMES, "cases", "attempts", "valid", *names), tuple(rows), ("model", "diff", "prompt"))


def _costs(summary: RunSummary) -> Table:
    clock_names = ("first token", "first edit", "first line", "call closed", "round trip")
    writes = any(variant.tokens["cache_write_tokens"] for variant in summary.variants)
    to_cache = {"to cache": "cache_write_tokens"} if writes else {}
    classes = {"tokens in": "input_tokens", "cached": "cache_read_tokens", **to_cache, "out": "output_tokens"}
    columns = ("model", "prompt", *clock_names, *classes, "cost", "per valid")
    seen: set[tuple[str, str]] = set()
    rows = []
    for variant in summary.variants:
        sut, prompt, _ = _name(variant)
        if (sut, prompt) in seen:
            # Algorithms score the same answers: their clocks and costs are one.
            continue
        seen.add((sut, prompt))
        clocks = [_spread(variant.clocks.get(f"{name}_ms")) for name in _CLOCKS]
        tokens = [_count(variant.tokens[name]) for name in classes.values()]
        rows.append(
            (
                sut,
                prompt,
                *clocks,
                *tokens,
                *(usd(amount, simulated=variant.simulated) for amount in (variant.cost_usd, variant.usd_per_valid)),
            )
        )
    return Table("clocks (median / p90) and cost", columns, tuple(rows), ("model", "first edit", "cost", "prompt"))


_CLOCKS = ("first_token", "first_edit", "first_line", "closed", "round_trip")


# How lanes end that are short of their quota; the first kind counts in the rates.
SHORT_STATES = {
    "settled": "settled by the same invalid answer twice, at temperature 0,",
    "capped": "capped",
    "abandoned": "abandoned",
    "open": "open",
}


def _notes(summary: RunSummary) -> Iterable[str]:
    if summary.simulated:
        yield SIMULATED
    yield from replica_notes(summary.replicas)
    if summary.edits:
        yield f"only attempts whose diff has {summary.edits} block(s)"
    # Algorithms score the same answers.
    per_request = tuple({(variant.sut, variant.prompt): variant for variant in summary.variants}.values())
    yield from served_notes(per_request)
    yield from _mixtures(per_request)
    yield from _untold(per_request)
    yield from _unsent(per_request)
    for sut, outcomes in summary.infrastructure.items():
        counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
        yield f"infrastructure, in no rate: {sut}: {counts}"
    yield from _short_lanes(summary)
    yield from too_long_notes(summary)
    yield from lateness_notes(summary.lateness)
    crashed = sum(variant.crashed for variant in summary.variants)
    if crashed:
        yield f"{crashed} scorings crashed or reported nothing, in no rate; see `evals export`"
    for reason in dict.fromkeys(summary.skipped_cases.values()):
        cases = [case_id for case_id, skipped_for in summary.skipped_cases.items() if skipped_for == reason]
        yield f"skipped: {reason}: {listed(cases)}"


def _short_lanes(summary: RunSummary) -> Iterator[str]:
    """Yield a note for each way in which lanes ended before their quota."""
    for state, ended in SHORT_STATES.items():
        lanes = [lane for lane in summary.short_lanes if lane.state == state]
        if lanes:
            names = [f"{lane.case_id} ({lane.sut}, {lane.prompt})" for lane in lanes]
            counts = listed(names, 5 if state == "open" else 20)
            yield f"{ended} before the quota of {summary.quota}: {counts}"


def too_long_notes(summary: RunSummary) -> Iterator[str]:
    """Yield a note for each system and reason for which questions do not fit into its context window."""
    for sut, reason in dict.fromkeys((lane.sut, lane.state) for lane in summary.too_long):
        lanes = [lane for lane in summary.too_long if (lane.sut, lane.state) == (sut, reason)]
        names = listed([f"{lane.case_id} ({lane.prompt})" for lane in lanes])
        yield f"too long, in no rate: {len(lanes)} of {sut}: {reason}: {names}"


def _mixtures(variants: Iterable[VariantSummary]) -> Iterable[str]:
    """Yield a warning where several systems served one variant: its numbers are a mean over them."""
    for variant in variants:
        for what, counts in (("upstreams", variant.upstreams), ("models", variant.served_models)):
            if len(counts) > 1:
                items = listed([f"{name} {count}" for name, count in counts.items()])
                yield f"mixed: the answers of {variant.sut}, {variant.prompt} were served by several {what}: {items}"


def _untold(variants: Iterable[VariantSummary]) -> Iterator[str]:
    """Yield a note for sums of tokens that are too low because some answers reported none."""
    for variant in variants:
        if 0 < variant.untold < variant.attempts:
            text = f"{variant.untold} of {variant.attempts} answers of {variant.sut}, {variant.prompt}"
            yield f"tokens: {text} reported none, and are in no sum"


def _unsent(variants: Iterable[VariantSummary]) -> Iterator[str]:
    """Yield a note for each system that was asked without parameters of the run."""
    for variant in variants:
        # An agent has a sampling of its own.
        if variant.unsent and not of_agent(variant.prompt, variant.parser):
            yield f"not sent to {variant.sut}, {variant.prompt}, which does not take it: {variant.unsent}"


def listed(names: Sequence[str], limit: int = 20) -> str:
    """Return the first names, comma-separated, and how many more there are."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def percent(interval: Interval | None) -> str:
    """`93.5% [89.0, 96.3]`, or a dash."""
    if interval is None:
        return "-"
    return f"{100 * interval.estimate:.1f}% [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def _percent(interval: Interval | None) -> str:
    """`93.5 [89.0, 96.3]`, or a dash."""
    return percent(interval).replace("%", "")


def estimate(interval: Interval | None) -> str:
    """`93.5`, or a dash."""
    return "-" if interval is None else f"{100 * interval.estimate:.1f}"


def number(interval: Interval | None) -> str:
    """`0.812 [0.774, 0.850]`, or a dash."""
    return f"{interval.estimate:.3f} [{interval.low:.3f}, {interval.high:.3f}]" if interval else "-"


def usd(amount: float | None, *, simulated: bool = False) -> str:
    """Dollars with as many digits as matter; `unknown` where the price is. A simulated model costs nothing."""
    if simulated:
        return SIMULATED_USD
    if amount is None:
        return "unknown"
    return f"${amount:.2f}" if amount >= 100 else f"${amount:.4f}"


def _spread(spread: Spread | None) -> str:
    return f"{milliseconds(spread.median)} / {milliseconds(spread.p90)}" if spread else "-"


def milliseconds(ms: float) -> str:
    """`250 ms`, or `1.20 s`."""
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.2f} s"


def _count(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"
