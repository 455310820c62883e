"""The report of a run as `evals report --html` writes it, among the served pages; of large runs only its command."""

from runner.pages.run_page import Page, page_of
from runner.storage.store import Row, Store
from runner.suites import suite_named

# A report reads every attempt and diagnoses the failed ones: of more it would take too long for a page.
MOST_SCORINGS = 2_000
_SCORINGS = "SELECT coalesce(sum(n), 0) AS n FROM scoring_tallies WHERE run_id = ?"


def whole_report(store: Store, run: Row) -> Page | None:
    """Return the report of a run as it is now; None where it has too many attempts. Raises InputError."""
    if store.rows(_SCORINGS, run["run_id"])[0]["n"] > MOST_SCORINGS:
        return None
    suite = suite_named(run["suite"])
    return page_of(store, [(run, suite.report(store, run, None))], suite.cluster(run))
