"""Pages of runs made by hand."""

from collections.abc import Sequence

from runner.pages.rendering import rendered
from runner.pages.run_page import Page, page_of
from runner.records import Outcome
from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.suites import suite_named
from tests.runner.made_runs import Made, make_run, plan, variant
from tests.runner.pages.html_reading import Node, read

CASES = tuple(f"c{number:02}" for number in range(12))
MODELS = ("test/a", "test/b", "test/c")


def page(store: Store, *run_ids: str) -> Page:
    runs = [find_run(store, run_id) for run_id in run_ids or ("latest",)]
    return page_of(store, [(run, suite_named(run["suite"]).report(store, run, None)) for run in runs])


def document(store: Store, *run_ids: str) -> Node:
    return read(rendered(page(store, *run_ids)))


def three_models(
    store: Store, run_id: str = "r1", right: Sequence[int] = (12, 9, 2), *, simulated: bool = False
) -> None:
    """A run of three models with two algorithms, which are right at so many cases; v1 at one less."""
    variants = [variant(sut, algorithm=name, simulated=simulated) for sut in MODELS for name in ("v4", "v1")]
    make_run(store, run_id, plan(CASES, variants))
    made = Made(store, run_id)
    for model, count in zip(MODELS, right, strict=True):
        for number, case_id in enumerate(CASES):
            clocks = {"first_edit_ms": 100.0 + 10 * number, "output_tokens": 50, "list_cost_usd": 0.01 * count}
            answer_id = made.answer(
                made.lane(case_id, model, state="full"), 1, f"answer of {model} to {case_id}", **clocks
            )
            made.scoring(answer_id, Outcome.APPLIED, equals_expected=number < count)
            made.scoring(answer_id, Outcome.APPLIED, diff_algorithm="v1", equals_expected=number < count - 1)
    store.update("runs", {"run_id": run_id}, {"state": "complete"})
