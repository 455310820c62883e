"""What holds of all that is learned from tasks: shares, shifts and orders that may not count, and what is kept."""

import importlib.util
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.errors import InputError
from runner.suites.codrep.dataset import CodrepDataset, open_dataset
from runner.suites.codrep.ranker.candidates import CHOOSING, LONG_LIST
from runner.suites.codrep.ranker.lexicon import Traits
from runner.suites.codrep.ranker.model import model_at
from runner.suites.codrep.ranker.program import Floats
from runner.suites.codrep.ranker.table import FEATURES
from runner.suites.codrep.training.cache import Arrays, cached
from runner.suites.codrep.training.gather import (
    CHOICE_ROWS,
    LEXICON_ROWS,
    gather_choices,
    gather_traits,
)
from runner.suites.codrep.training.gather_features import FeatureRows, gather_features, teaching
from runner.suites.codrep.training.learn_lexicon import (
    LEAST_RIGHT,
    LEAST_WEIGHT,
    TraitRows,
    _frequent,
    fit_lexicon,
    join,
)
from runner.suites.codrep.training.logit import Choices, fit_weights
from tests.codrep import SAMPLE, write_dataset

needs_scipy = pytest.mark.skipif(
    importlib.util.find_spec("scipy") is None, reason="SciPy is not installed: the extra `train` brings it"
)
SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=6)


@st.composite
def tasks(draw: st.DrawFn) -> tuple[Choices, npt.NDArray[np.float64]]:
    """Tasks with candidates, some without the right one, and a score for each candidate."""
    sizes = draw(SIZES)
    right: list[bool] = []
    for size in sizes:
        answer = draw(st.integers(0, size))
        right += [place == answer for place in range(size)]
    scores = draw(st.lists(st.floats(-20, 20), min_size=len(right), max_size=len(right)))
    return Choices(np.array(sizes), np.array(right)), np.array(scores)


def by_task(choices: Choices, values: npt.NDArray[np.float64]) -> list[npt.NDArray[np.float64]]:
    return np.split(values, np.cumsum(choices.sizes)[:-1])


class TestLogit:
    @settings(max_examples=25)
    @given(tasks())
    def test_likelihoods_are_shares_within_each_task(self, made: tuple[Choices, npt.NDArray[np.float64]]) -> None:
        choices, scores = made

        found = by_task(choices, choices.likelihoods(scores))

        for shares, own in zip(found, by_task(choices, scores), strict=True):
            raised = np.exp(own - own.max())
            assert shares.tolist() == pytest.approx((raised / raised.sum()).tolist())

    @settings(max_examples=25)
    @given(tasks(), st.lists(st.floats(-500, 500), min_size=6, max_size=6))
    def test_what_all_candidates_of_a_task_gain_does_not_count(
        self, made: tuple[Choices, npt.NDArray[np.float64]], gains: list[float]
    ) -> None:
        choices, scores = made
        gained = scores + np.repeat(gains[: len(choices.sizes)], choices.sizes)

        assert choices.likelihoods(gained) == pytest.approx(choices.likelihoods(scores), abs=1e-9)

    @settings(max_examples=25)
    @given(tasks())
    def test_a_task_is_known_if_its_right_line_is_a_candidate(
        self, made: tuple[Choices, npt.NDArray[np.float64]]
    ) -> None:
        choices, _ = made

        known = by_task(choices, choices.known().astype(np.float64))

        right = by_task(choices, choices.right.astype(np.float64))
        assert [task.tolist() for task in known] == [[float(task.any())] * len(task) for task in right]

    @given(st.integers(0, 2**32), st.floats(0.01, 100))
    @settings(max_examples=20)
    def test_the_unit_of_a_feature_does_not_count(self, seed: int, unit: float) -> None:
        table, choices = self.drawn(seed)

        weights, scaled = (fit_weights(rows, choices) for rows in (table, table * [unit, 1, 1]))

        assert scaled * [unit, 1, 1] == pytest.approx(weights, rel=1e-4, abs=1e-6)

    @given(st.integers(0, 2**32))
    @settings(max_examples=20)
    def test_no_small_step_from_the_weights_makes_the_right_lines_likelier(self, seed: int) -> None:
        table, choices = self.drawn(seed)
        scale = table.std(axis=0) + 1e-9

        weights = fit_weights(table, choices)

        def cost(candidate: Floats) -> float:
            standard = candidate * scale
            chances = choices.likelihoods(table @ candidate)[choices.right]
            return float(standard @ standard / 2 - np.log(chances).sum())

        for step in np.concatenate([np.eye(3), -np.eye(3)]) * 1e-3:
            assert cost(weights) <= cost(weights + step) + 1e-9

    def test_a_heavier_ridge_makes_smaller_weights(self) -> None:
        table, choices = self.drawn(3)

        light, heavy = (np.abs(fit_weights(table, choices, ridge)).sum() for ridge in (0.1, 100.0))

        assert heavy < light / 3

    @staticmethod
    def drawn(seed: int) -> tuple[npt.NDArray[np.float64], Choices]:
        """Thirty tasks of four candidates, of which the right one is likely to have more of the first feature."""
        random = np.random.default_rng(seed)
        table = random.normal(size=(120, 3))
        best = (table[:, 0] + random.normal(size=120)).reshape(30, 4).argmax(axis=1)
        right = np.zeros(120, np.bool_)
        right[np.arange(30) * 4 + best] = True
        return table, Choices(np.full(30, 4), right)


def trait_rows(rights: list[list[bool]], hashes: list[int]) -> TraitRows:
    """Tasks by the rightness of their candidates, of which each has one trait."""
    flat = np.array([right for task in rights for right in task])
    choices = Choices(np.array([len(task) for task in rights]), flat)
    count = len(flat)
    traits = Traits(np.arange(count), np.zeros(count, np.int64), np.array(hashes, np.uint32))
    return TraitRows(choices, np.zeros(count), traits)


class TestLexicon:
    @settings(max_examples=25)
    @given(st.lists(st.lists(st.booleans(), min_size=1, max_size=3), min_size=1, max_size=4), st.integers(2, 4))
    def test_joined_parts_keep_their_candidates_and_traits(self, rights: list[list[bool]], times: int) -> None:
        count = sum(map(len, rights))
        parts = [trait_rows(rights, list(range(count * part, count * (part + 1)))) for part in range(times)]

        whole = join(parts)

        assert whole.choices.sizes.tolist() == [len(task) for task in rights] * times
        assert whole.choices.right.tolist() == [right for task in rights for right in task] * times
        assert whole.traits.rows.tolist() == whole.traits.hashes.tolist() == list(range(count * times))
        assert len(whole.similarity) == count * times

    @settings(max_examples=25)
    @given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=400))
    def test_a_trait_is_learned_when_right_lines_have_it_often_enough(self, rows: list[tuple[int, bool]]) -> None:
        found = _frequent(trait_rows([[right] for _, right in rows], [trait for trait, _ in rows]))

        right = Counter(trait for trait, is_right in rows if is_right)
        every = Counter(trait for trait, _ in rows)
        assert found.tolist() == sorted(trait for trait in every if right[trait] >= LEAST_RIGHT or every[trait] >= 160)

    @needs_scipy
    def test_traits_that_tell_nothing_are_left_out(self) -> None:
        # Trait 1 is the right line's, 2 the wrong one's, 3 is as often the one's as the other's.
        rows = [trait_rows([[True, False]], [1, 2])] * 30 + [trait_rows([[True, False]], [3, 3])] * 30

        lexicon = fit_lexicon(join(rows))

        assert lexicon.hashes.tolist() == [1, 2] or lexicon.hashes.tolist() == [1]
        assert lexicon.weights[0] > LEAST_WEIGHT
        assert (lexicon.weights[1:] < 0).all()

    @needs_scipy
    def test_traits_that_are_too_rare_are_not_learned(self) -> None:
        lexicon = fit_lexicon(trait_rows([[True, False]] * 2, [1, 2, 1, 2]))

        assert (len(lexicon.hashes), len(lexicon.weights)) == (0, 0)

    @needs_scipy
    def test_what_similarity_tells_already_is_not_learned_again(self) -> None:
        rows = join([trait_rows([[True, False]], [1, 2])] * 30)

        plain, told = (
            fit_lexicon(replace(rows, similarity=rows.choices.right * gain)).weights[0] for gain in (0.0, 3.0)
        )

        assert told < plain / 2


@pytest.fixture(scope="module")
def sample() -> CodrepDataset:
    return open_dataset(SAMPLE)


class TestGathered:
    def test_choices_are_the_likeliest_lines_of_each_task(self, sample: CodrepDataset) -> None:
        table, choices = gather_choices(sample, 1)

        assert table.shape == (choices.sizes.sum(), len(CHOOSING))
        assert len(choices.sizes) == len(sample.task_paths())
        assert choices.sizes.max() <= CHOICE_ROWS
        assert np.isfinite(table).all()

    def test_lines_whose_brackets_do_not_fit_are_the_first_to_go(self, tmp_path: Path) -> None:
        folder = write_dataset(tmp_path / "Made", 1)
        lines = [f"call(item{number}" + ")" * (1 + 9 * (number % 7 == 0)) + ";" for number in range(70)]
        (folder / "Tasks/1.txt").write_text("\n".join(["call(thing);", "", *lines]))

        table, choices = gather_choices(open_dataset(folder), 1)

        assert choices.sizes.tolist() == [CHOICE_ROWS] == [70 - 10]
        assert not table[:, CHOOSING.index("parens")].any()

    def test_features_are_those_of_the_first_candidates(self, sample: CodrepDataset) -> None:
        chooser = model_at().chooser

        few, many = (gather_features(sample, 1, chooser, most) for most in (3, LONG_LIST))

        assert few.table.shape == (few.sizes.sum(), len(FEATURES))
        assert few.sizes.tolist() == np.minimum(many.sizes, 3).tolist()
        starts = np.cumsum(many.sizes) - many.sizes
        firsts = [line for start, size in zip(starts, few.sizes, strict=True) for line in many.lines[start:][:size]]
        assert few.lines.tolist() == firsts
        assert few.answers.tolist() == [sample.answer(path) for path in sample.task_paths()]

    def test_several_processes_gather_the_same(self, tmp_path: Path) -> None:
        dataset = open_dataset(write_dataset(tmp_path / "Made", 3, lines=5))

        one, two = (gather_traits(dataset, jobs, np.ones(len(CHOOSING))) for jobs in (1, 2))

        assert one.traits.hashes.tolist() == two.traits.hashes.tolist()
        assert one.choices.sizes.max() <= LEXICON_ROWS

    def test_tasks_without_any_line_to_replace_are_left_out(self, tmp_path: Path) -> None:
        folder = write_dataset(tmp_path / "Made", 3, lines=5)
        (folder / "Tasks/2.txt").write_text("same\n\nsame\n\n  same\n")
        (folder / "Solutions/2.txt").write_text("1")

        rows = gather_features(open_dataset(folder), 1, model_at().chooser, 5)

        assert len(rows.sizes) == len(rows.answers) == 2

    def test_a_folder_of_such_tasks_alone_is_refused(self, tmp_path: Path) -> None:
        folder = write_dataset(tmp_path / "Made", 1)
        (folder / "Tasks/1.txt").write_text("same\n\nsame\n")
        (folder / "Solutions/1.txt").write_text("1")

        with pytest.raises(InputError, match="Made: no task has a line that could have been replaced"):
            gather_choices(open_dataset(folder), 1)

    @settings(max_examples=25)
    @given(SIZES, st.data())
    def test_the_forest_learns_from_tasks_whose_right_line_is_a_candidate(
        self, sizes: list[int], data: st.DataObject
    ) -> None:
        answers = [data.draw(st.integers(1, size + 1)) for size in sizes]
        lines = [line for size in sizes for line in range(1, size + 1)]
        table = np.arange(2 * len(lines), dtype=np.float32).reshape(-1, 2)
        rows = FeatureRows(np.array(sizes), np.array(lines), table, np.array(answers))

        learned, choices = teaching([rows, rows], [1])

        kept = [size for size, answer in zip(sizes, answers, strict=True) if answer <= size]
        assert choices.sizes.tolist() == kept * 2
        assert choices.right.sum() == 2 * len(kept)
        wanted = np.repeat([answer <= size for size, answer in zip(sizes, answers, strict=True)], sizes)
        assert learned.tolist() == table[wanted][:, [1]].tolist() * 2


class TestCache:
    @staticmethod
    def make() -> Arrays:
        return {"a": np.arange(3), "b": np.array([True])}

    @pytest.mark.parametrize(
        "parts",
        [
            pytest.param((1, np.ones(2)), id="another number"),
            pytest.param((0, np.zeros(2)), id="other values"),
            pytest.param((0, np.ones(2), ""), id="one part more"),
            pytest.param((np.ones(2), 0), id="another order"),
            pytest.param(("0", np.ones(2)), id="a text in place of a number"),
        ],
    )
    def test_another_part_is_another_file(self, parts: tuple[object, ...], tmp_path: Path) -> None:
        cached(tmp_path, (0, np.ones(2)), self.make)

        cached(tmp_path, parts, self.make)

        assert len(list(tmp_path.iterdir())) == 2

    def test_what_is_read_is_what_was_made(self, tmp_path: Path) -> None:
        made, read = (cached(tmp_path / "deep" / "er", ("x",), self.make) for _ in range(2))

        assert made.keys() == read.keys()
        for name, array in made.items():
            assert read[name].dtype == array.dtype
            assert read[name].tolist() == array.tolist()

    def test_a_making_that_fails_leaves_nothing(self, tmp_path: Path) -> None:
        def fail() -> Arrays:
            raise InputError("no task")

        with pytest.raises(InputError):
            cached(tmp_path, ("x",), fail)

        assert list(tmp_path.iterdir()) == []

    def test_an_unfinished_file_is_not_read(self, tmp_path: Path) -> None:
        cached(tmp_path, ("x",), self.make)
        (path,) = tmp_path.iterdir()
        path.rename(path.with_suffix(".part.npz"))

        assert cached(tmp_path, ("x",), self.make)["a"].tolist() == [0, 1, 2]
        assert path.is_file()
