"""The page of one run: how far it is, how its variants do so far, how attempts ended, and at which cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from runner.pages.heat_map import HeatMap, heat_map
from runner.pages.naming import NamedVariant, headline_of, named_variants
from runner.pages.outcomes import Bars, outcome_bars
from runner.pages.ranking import RankTable, ranking_of
from runner.report.run_comparisons import RunComparisons
from runner.storage.store import Row, Store
from runner.view.attempt_rows import chosen_attempts
from runner.view.filters import FAILED, OUTCOME, ViewFilter, address
from runner.view.list_view import ListedAttempt, list_link, recent_attempts
from runner.view.progress import RunProgress, progress_of
from runner.view.run_figures import run_figures, simulated_words, summary_of
from runner.view.trouble import TroubleRow, trouble_of

# All cases are on the page of cases.
MOST_CASES = 120


@dataclass(frozen=True, slots=True)
class RunView:
    """The page. `links` lead from the rows of the ranking, and from the counts of each bar, to their attempts."""

    run_id: str
    suite: str
    name: str
    created_at: str
    progress: RunProgress
    simulated: str
    ranking: RankTable
    bars: Bars
    bar_links: tuple[tuple[str, ...], ...]
    links: tuple[str, ...]
    cases: HeatMap
    case_links: Mapping[str, str]
    trouble: tuple[TroubleRow, ...]
    total: int
    failed: int
    list_link: str
    failed_link: str
    events: str
    report_link: str
    latest: tuple[ListedAttempt, ...]


def run_view(store: Store, run: Row, chosen: ViewFilter) -> RunView:
    """Return the page of a run, of the attempts that a filter chooses."""
    run_id: str = run["run_id"]
    figures = run_figures(store, run, chosen)
    summary = summary_of(run, figures.variants)
    named = named_variants(summary, RunComparisons())
    bars, cases = outcome_bars(named, figures.counts), heat_map(named, figures.counts, headline_of(summary), MOST_CASES)
    failures = ViewFilter({**chosen.chosen, OUTCOME: FAILED})
    progress, ranking = progress_of(store, run), ranking_of(summary, named)
    return RunView(
        run_id=run_id,
        suite=run["suite"],
        name=run["name"] or "",
        created_at=run["created_at"][:19],
        progress=progress,
        simulated=simulated_words(figures.variants),
        ranking=_hollow(ranking) if progress.is_running else ranking,
        bars=bars,
        bar_links=tuple(_bar_links(run_id, variant, chosen, bars.columns) for variant in named),
        links=tuple(list_link(run_id, _of_variant(variant, chosen)) for variant in named),
        cases=cases,
        case_links={
            row.case_id: list_link(run_id, ViewFilter({**chosen.chosen, "case": (row.case_id,)})) for row in cases.rows
        },
        trouble=trouble_of(store, run),
        total=chosen_attempts(store, run, chosen).total,
        failed=chosen_attempts(store, run, failures).total,
        list_link=list_link(run_id, chosen),
        failed_link=list_link(run_id, failures),
        events=address(("events",), [("run", run_id)]),
        report_link=address(("run", run_id, "report")),
        latest=recent_attempts(store, run) if run["state"] == "running" else (),
    )


def _hollow(ranking: RankTable) -> RankTable:
    """Return the ranking of a run that goes on: no point of it is final."""
    rows = [replace(row, whisker=row.whisker and replace(row.whisker, filled=False)) for row in ranking.rows]
    return replace(ranking, rows=tuple(rows), note=f"Hollow points: so far. {ranking.note}")


def _of_variant(variant: NamedVariant, chosen: ViewFilter) -> ViewFilter:
    parts = dict(zip(("model", "prompt", "parser", "diff"), ((part,) for part in variant.key), strict=True))
    return ViewFilter({**chosen.chosen, **{key: value for key, value in parts.items() if value[0]}})


def _bar_links(run_id: str, variant: NamedVariant, chosen: ViewFilter, columns: Sequence[str]) -> tuple[str, ...]:
    own = _of_variant(variant, chosen).chosen
    classes = ["infrastructure" if name == "crashed" else name for name in columns]
    return tuple(list_link(run_id, ViewFilter({**own, OUTCOME: (name,)})) for name in classes)
