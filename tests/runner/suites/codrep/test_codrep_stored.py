"""What a run's database keeps of a task: enough to score its answers again, and its file where it was shown whole."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.blocks import Block
from runner.records import Completion, Outcome
from runner.run.resolve import Named
from runner.storage.runs import begin
from runner.storage.store import Store
from runner.suites.codrep.cases import CodrepCase, ReplacedLine, read_cases
from runner.suites.codrep.dataset import CodrepTask, open_dataset
from runner.suites.codrep.question import least_question, question, read_back, shortest_line
from runner.suites.codrep.score import judge
from runner.suites.codrep.showing import Shown
from runner.suites.codrep.stored import case_row, stored_task
from runner.suites.codrep.windowing import LONGEST, Window, whole_window
from tests.codrep import PROGRAM, SAMPLE, task_of
from tests.runner.made_runs import plan

TEXT = st.text(st.characters(exclude_characters="\n"), max_size=30)
TASKS = st.builds(lambda new_line, lines: task_of(new_line, *lines), TEXT, st.lists(TEXT, min_size=1, max_size=12))
PART = Window(((2, 3), (6, 9)), 40, whole=False)


def shown_whole(task: CodrepTask) -> str:
    return question(task, whole_window(len(task.lines)))


class TestReadBack:
    @given(TASKS)
    def test_a_question_that_shows_the_whole_file_gives_the_file_back(self, task: CodrepTask) -> None:
        assert read_back(shown_whole(task)) == (task.new_line, task.lines)

    @given(TASKS, st.integers(1, 12))
    def test_a_question_that_leaves_lines_out_gives_nothing_back(self, task: CodrepTask, last: int) -> None:
        longer = replace(task, lines=(*task.lines, *("more",) * 12))

        assert read_back(question(longer, Window(((1, last),), 0, whole=False))) is None

    @given(st.text())
    @pytest.mark.wide
    def test_other_texts_give_nothing_back_and_raise_nothing(self, text: str) -> None:
        assert read_back(text) is None

    @pytest.mark.parametrize(
        "task",
        [
            pytest.param(task_of("x" * (LONGEST + 1), "short"), id="the new line"),
            pytest.param(task_of("new", "short", "x" * (LONGEST + 1)), id="a line of the file"),
        ],
    )
    def test_a_line_that_was_cut_cannot_be_given_back(self, task: CodrepTask) -> None:
        assert read_back(shown_whole(task)) is None

    def test_a_line_of_the_greatest_length_is_given_back(self) -> None:
        task = task_of("x" * LONGEST, "y" * LONGEST)

        assert read_back(shown_whole(task)) == (task.new_line, task.lines)

    def test_a_question_that_was_changed_gives_nothing_back(self) -> None:
        asked = shown_whole(task_of("return sum;", *PROGRAM))

        assert read_back(asked.replace("7: ", "8: ", 1)) is None
        assert read_back(asked.replace("lines:", "rows:", 1)) is None


class TestSizes:
    @pytest.mark.parametrize(
        "lines, line",
        [
            pytest.param(("long line", "", "short"), 3, id="a blank line is not shown alone"),
            pytest.param(("ab", "cd"), 1, id="the first of equals"),
            pytest.param(("", " "), 1, id="nothing but blank lines"),
        ],
    )
    def test_the_shortest_line_is_the_one_that_takes_the_least_room(self, lines: tuple[str, ...], line: int) -> None:
        assert shortest_line(task_of("new", *lines)) == line

    @given(TASKS)
    def test_no_question_about_a_long_file_is_smaller_than_the_least(self, task: CodrepTask) -> None:
        filler = ("something that is rather long",) * 3
        longer = replace(task, lines=(*filler, *task.lines, *filler))
        sizes = [
            len(question(longer, Window(((line, line),), 0, whole=False)).encode("utf-8", "surrogatepass"))
            for line in range(1, len(longer.lines) + 1)
            if longer.lines[line - 1].strip() and 1 < line < len(longer.lines)
        ]

        assert len(least_question(longer)) <= min(sizes)


class TestStoredTask:
    @pytest.fixture
    def case(self) -> CodrepCase:
        return read_cases([open_dataset(SAMPLE)])[0]

    @staticmethod
    def kept(tmp_path: Path, case: CodrepCase, shown: Shown | None) -> tuple[Store, str]:
        store = Store.open(tmp_path / "evals.db")
        begin(store, "r", replace(plan(suite="codrep"), cases=[case_row(case, shown)]), "2026-01-01T00:00:00.000")
        return store, case.case_id

    def test_a_task_is_read_as_it_was_written(self, tmp_path: Path, case: CodrepCase) -> None:
        store, case_id = self.kept(tmp_path, case, Shown(PART, 300))

        with closing(store):
            task = stored_task(store, "r", case_id)

        assert task.target == case.target == ReplacedLine(case.answer, case.lines, case.file)
        assert (task.window, task.prompt) == (PART, question(case.task(), PART))
        assert task.seen("codrep/basic") == PART
        assert task.seen("") == whole_window(case.lines)

    def test_where_no_model_was_asked_the_whole_file_was_seen(self, tmp_path: Path, case: CodrepCase) -> None:
        store, case_id = self.kept(tmp_path, case, None)

        with closing(store):
            task = stored_task(store, "r", case_id)

        assert (task.window, task.prompt) == (None, None)
        assert task.seen("") == whole_window(case.lines)


class Broken:
    """A parser that fails."""

    def parse(self, text: str) -> tuple[Block, ...]:
        raise RuntimeError(f"cannot read {text}")

    def start(self) -> "Broken":
        return self


def test_a_parser_s_failure_is_the_outcome_and_no_loss() -> None:
    scoring = judge(ReplacedLine(3, 9), Completion("7", answer_id=4), Named("own:Broken", Broken(), ""), PART)  # type: ignore[arg-type]

    assert (scoring.outcome, scoring.valid, scoring.answer_id) == (Outcome.CRASHED, False, 4)
    assert "cannot read 7" in (scoring.error_text or "")
    assert (dict(scoring.scores), scoring.detail) == ({}, None)
