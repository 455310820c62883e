"""The charts that suites add to their pages: completion by scene, CodRep by file size, next edits over steps."""

import pytest

from runner.pages.charts import suite_charts
from runner.records import Outcome
from runner.report.charts import Curves, Shares
from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.suites.codrep.charts import size_charts
from runner.suites.completion.charts import scene_charts
from runner.suites.completion.completion_figures import figures_of
from runner.suites.nextedit.charts import step_charts
from runner.suites.nextedit.step_metrics import Flow
from runner.suites.nextedit.steps import CommitReplay
from tests.runner.made_runs import Made, make_run, plan, variant
from tests.runner.pages.made_pages import document
from tests.runner.suites.completion.test_scores import answered
from tests.runner.suites.nextedit.test_summary import _replay, _step


def lines_run(store: Store, lines: dict[str, int], right: set[str]) -> None:
    """A CodRep run over files of so many lines."""
    make_run(store, "r1", plan(lines, [variant("test/a", "", "")], suite="codrep"))
    made = Made(store)
    for case_id, count in lines.items():
        outcome = Outcome.SOLVED if case_id in right else Outcome.UNSOLVED
        answer_id, detail = made.answer(made.lane(case_id, "test/a", "")), f'{{"answer": 1, "lines": {count}}}'
        made.scoring(answer_id, outcome, {"loss": 0.0}, diff_algorithm="", detail=detail)


def test_codrep_is_divided_by_the_lines_of_the_file(store: Store) -> None:
    lines_run(store, {"a": 10, "b": 49, "c": 50, "d": 5000, "e": 800}, {"a", "d", "e"})

    (chart,) = size_charts(store, find_run(store, "r1"), 1)

    rows = [(row.group, row.label, row.interval.estimate, row.count) for row in chart.rows]
    assert rows == [
        ("test/a", "under 50 lines", 0.5, 2),
        ("test/a", "50 to 99 lines", 0.0, 1),
        ("test/a", "800 lines or more", 1.0, 2),
    ]


def test_the_page_of_a_codrep_run_has_its_chart(store: Store) -> None:
    lines_run(store, {"a": 10, "b": 49}, {"a"})

    section = document(store).by_id("suite").text

    assert "CodRep by file size" in section
    assert "under 50 lines" in section


def test_completion_is_divided_by_scene() -> None:
    answers = {number: answered(f"task {number}", number % 2, file=f"f{number}") for number in range(12)}

    (chart,) = scene_charts(figures_of({("sim/a", "basic", "raw"): answers}).chains)

    assert [(row.group, row.label, row.count) for row in chart.rows] == [
        ("sim/a basic raw", "1.1", 12), ("sim/a basic raw", "all scenes", 12),
    ]  # fmt: skip
    assert all(row.interval.estimate == pytest.approx(0.5) for row in chart.rows)


def replays(count: int) -> list[CommitReplay]:
    return [
        _replay(
            f"case {number}",
            _step(1, (Flow.KEEPING, Flow.BREAKING), allowed=2, kept=(0,)),
            *([_step(2, (Flow.REVERTING,), allowed=1, kept=())] if number else []),
        )
        for number in range(count)
    ]


def test_next_edits_are_drawn_over_the_steps_that_enough_replays_reach() -> None:
    curves, flows = step_charts({"rules": replays(3)})

    assert isinstance(curves, Curves)
    assert isinstance(flows, Shares)
    assert curves.curves[0].points == ((1.0, 0.5),)
    assert (flows.parts, flows.rows[0].counts) == (("keeping", "jumping", "breaking", "reverting"), (3, 0, 3, 2))


def test_a_run_without_data_has_no_chart(store: Store) -> None:
    make_run(store, "r1", plan(suite="codrep"))

    assert (size_charts(store, find_run(store, "r1"), 1), scene_charts([]), step_charts({})) == ((), (), ())


def test_every_kind_of_chart_is_drawn() -> None:
    drawn = suite_charts(step_charts({"rules": replays(4), "oracle": replays(5)}))

    assert [line.dash for line in drawn.lines[0].lines] == [1, 2]
    assert drawn.lines[0].lines[0].path.startswith("M254.0 123.0L")
    assert [part.width for part in drawn.bars[0].rows[0].parts] == [130.9, 130.9, 98.2]
