"""What holds of any dataset folder: its tasks, their order, parts of it, and the cases drawn from it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.case_digests import digest_of_cases
from runner.errors import InputError
from runner.suites.codrep.cases import read_cases
from runner.suites.codrep.dataset import (
    CodrepDataset,
    count_lines,
    find_datasets,
    open_dataset,
    open_datasets,
    read_answer,
    split_task,
)
from runner.suites.codrep.predictors.predict import unscorable
from tests.codrep import write_dataset

LINE = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=12)
PATH = Path("1.txt")


@given(LINE, st.lists(LINE, min_size=1, max_size=8), st.sampled_from(["", "\n"]))
def test_a_program_is_read_as_it_was_written(new: str, lines: list[str], end: str) -> None:
    # An empty last line is one only where a line feed ends it.
    text = "\n".join([new, "", *lines]) + (end if lines[-1] else "\n")

    assert split_task(text, PATH) == (new, tuple(lines))


@given(LINE, st.lists(LINE, min_size=1, max_size=8))
def test_windows_line_ends_are_no_text_where_they_end_every_line(new: str, lines: list[str]) -> None:
    text = "".join(f"{line}\r\n" for line in (new, "", *lines))

    assert split_task(text, PATH) == (new, tuple(lines))


@given(LINE, st.lists(LINE, min_size=1, max_size=8), st.sampled_from(["", "\n"]))
@settings(max_examples=50)
def test_lines_are_counted_as_they_are_split(new: str, lines: list[str], end: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "1.txt"
        text = "\n".join([new, "", *lines, "x"]) + end
        path.write_bytes(text.encode())

        assert count_lines(path) == len(split_task(text, path)[1])


@given(st.sets(st.integers(0, 2000), min_size=1, max_size=12), st.sets(st.sampled_from(["a", "b2", "-1", "1x"])))
@settings(max_examples=30)
def test_tasks_come_by_number_and_then_by_name(numbers: set[int], names: set[str]) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "Tasks").mkdir()
        for name in [*map(str, numbers), *names]:
            (Path(folder) / "Tasks" / f"{name}.txt").touch()

        found = [path.stem for path in open_dataset(Path(folder)).task_paths()]

    assert found == [*map(str, sorted(numbers)), *sorted(names)]


@pytest.fixture(scope="module")
def seventeen(tmp_path_factory: pytest.TempPathFactory) -> CodrepDataset:
    return open_dataset(write_dataset(tmp_path_factory.mktemp("codrep") / "Made", 17))


@given(every=st.integers(1, 20))
def test_every_nth_task_from_each_of_n_beginnings_is_all(every: int, seventeen: CodrepDataset) -> None:
    parts = [replace(seventeen, every=every, first=first).task_paths() for first in range(every)]

    assert sorted(path for part in parts for path in part) == sorted(seventeen.task_paths())
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


class TestCases:
    @given(few=st.integers(0, 20), more=st.integers(0, 20), seed=st.integers(-5, 5))
    @settings(max_examples=25)
    def test_a_limit_draws_so_many_in_their_order(
        self, few: int, more: int, seed: int, seventeen: CodrepDataset
    ) -> None:
        few, more = sorted((few, more))

        small, large = (read_cases([seventeen], limit, seed) for limit in (few, more))

        whole = read_cases([seventeen])
        assert (len(small), len(large)) == (min(few, 17), min(more, 17))
        assert set(small) <= set(large) <= set(whole)
        assert [case for case in whole if case in set(large)] == list(large)

    def test_another_seed_draws_others(self, seventeen: CodrepDataset) -> None:
        drawn = {tuple(case.case_id for case in read_cases([seventeen], 5, seed)) for seed in range(20)}

        assert len(drawn) > 15

    def test_the_task_of_a_case_has_no_solution(self, seventeen: CodrepDataset) -> None:
        (case, *_) = read_cases([seventeen])

        assert case.answer == seventeen.answer(case.path)
        assert case.task().answer is None
        assert len(case.task().lines) == case.lines

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda folder: spoil(folder / "Tasks/1.txt", "long", "Long"), id="the new line"),
            pytest.param(lambda folder: spoil(folder / "Tasks/1.txt", "value2 ", "value3 "), id="the program"),
            pytest.param(lambda folder: (folder / "Solutions/1.txt").write_text("1"), id="the solution"),
        ],
    )
    def test_the_digest_of_a_case_changes_with_all_that_is_asked(
        self, change: Callable[[Path], object], tmp_path: Path
    ) -> None:
        folder = write_dataset(tmp_path / "Made", 2)
        before = read_cases([open_dataset(folder)])

        change(folder)

        now = read_cases([open_dataset(folder)])
        assert now[0].digest != before[0].digest
        assert now[1] == before[1]
        assert digest_of_cases(now) != digest_of_cases(before)

    def test_the_digest_of_a_case_does_not_depend_on_where_it_stands(self, tmp_path: Path) -> None:
        one, two = (read_cases([open_dataset(write_dataset(tmp_path / name / "D", 3))]) for name in "ab")

        assert [case.digest for case in one] == [case.digest for case in two]
        assert digest_of_cases(one) == digest_of_cases(two) != digest_of_cases(one[::-1])

    def test_a_task_that_is_gone_is_told_by_its_file(self, tmp_path: Path) -> None:
        (case,) = read_cases([open_dataset(write_dataset(tmp_path / "D", 1))])
        case.path.unlink()

        with pytest.raises(InputError, match=r"1\.txt: No such file"):
            case.task()


def spoil(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


class TestFolders:
    def test_folders_of_one_name_are_found_but_not_opened_for_a_run(self, tmp_path: Path) -> None:
        roots = [write_dataset(tmp_path / place / "D", 1) for place in ("x", "y")]

        found = find_datasets(roots)

        assert [dataset.tasks.parent for dataset in found] == roots
        with pytest.raises(InputError, match="D: two dataset folders have this name"):
            open_datasets(roots)

    def test_a_folder_reached_through_a_link_is_the_same(self, tmp_path: Path) -> None:
        root = write_dataset(tmp_path / "D", 1)
        (tmp_path / "E").symlink_to(root)

        assert [dataset.name for dataset in find_datasets([root, tmp_path / "E"])] == ["D"]

    def test_a_dataset_within_its_own_tasks_is_one(self, tmp_path: Path) -> None:
        root = write_dataset(tmp_path / "Tasks", 2)

        assert len(open_dataset(root).task_paths()) == 2

    def test_a_file_is_no_dataset(self, tmp_path: Path) -> None:
        (tmp_path / "D").write_text("text")

        with pytest.raises(InputError, match="no folder Tasks"):
            open_dataset(tmp_path / "D")

    @pytest.mark.parametrize(
        "name, count",
        [
            pytest.param("Made", 0, id="none"),
            pytest.param("Made too", 2, id="a blank"),
            pytest.param("a\tb", 2, id="a tab"),
        ],
    )
    def test_paths_with_blanks_are_warned_of_once(self, name: str, count: int, tmp_path: Path) -> None:
        warnings = unscorable(open_dataset(write_dataset(tmp_path / name, 2)))

        assert len(warnings) == (count > 0)
        assert all(f"the predictions of {count} tasks" in warning for warning in warnings)

    @pytest.mark.parametrize("answer", ["7", " 7\n", "+7", "07"])
    def test_a_solution_is_a_number_with_space_around_it(self, answer: str, tmp_path: Path) -> None:
        (tmp_path / "1.txt").write_text(answer)

        assert read_answer(tmp_path / "1.txt", 7) == 7

    def test_a_folder_in_place_of_a_file_is_bad_input(self, tmp_path: Path) -> None:
        dataset = open_dataset(write_dataset(tmp_path / "D", 1))
        (dataset.tasks / "2.txt").mkdir()

        with pytest.raises(InputError, match=r"2\.txt: Is a directory"):
            dataset.read(dataset.tasks / "2.txt")
        with pytest.raises(InputError, match=r"2\.txt: Is a directory"):
            count_lines(dataset.tasks / "2.txt")
