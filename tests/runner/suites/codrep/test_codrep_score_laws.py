"""What holds of the score of any predictions: an oracle that reads them one by one, and laws of the figures."""

import math
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.errors import InputError
from runner.suites.codrep.competition import (
    DatasetScore,
    Score,
    histogram,
    loss_interval,
    official_lines,
    score,
    task_loss,
)
from runner.suites.codrep.dataset import CodrepDataset, open_datasets

# The lines of each program, and which of them was replaced.
SIZES = {"A/1": (6, 3), "A/2": (40, 1), "A/10": (1, 1), "B/1": (9, 9), "B/2": (300, 150)}

DISTANCES = st.lists(st.none() | st.integers(0, 400), min_size=1, max_size=40)
GOOD = st.sampled_from(sorted(SIZES)).flatmap(
    lambda name: st.integers(1, SIZES[name][0]).map(lambda line: f"{name} {line}")
)
BAD = st.sampled_from(["", "A/1", "A/1 0", "A/1 7", "A/2 x", "B/1 1.0", "C/1 1", "A/3 1", "B/2 301", "  ", "B/1 -1"])


@pytest.fixture(scope="module")
def datasets() -> Iterator[tuple[CodrepDataset, ...]]:
    root = Path(mkdtemp())
    for name, (lines, answer) in SIZES.items():
        folder, number = name.split("/")
        for part, text in (("Tasks", "new\n\n" + "x\n" * lines), ("Solutions", str(answer))):
            (root / folder / part).mkdir(parents=True, exist_ok=True)
            (root / folder / part / f"{number}.txt").write_text(text)
    yield open_datasets([root])
    shutil.rmtree(root)


def distances_of(done: Score) -> dict[str, int | None]:
    """The distance of each task by its id."""
    names = sorted(SIZES, key=lambda name: (name[0], int(name[2:])))
    return dict(zip(names, done.total.distances, strict=True))


def plainly(lines: list[str]) -> tuple[dict[str, int | None], list[int]]:
    """The distances and the numbers of the bad lines, by the rules one after the other."""
    found: dict[str, int | None] = {}
    bad: list[int] = []
    for number, line in enumerate(lines, 1):
        name, written = [*line.split(), "", ""][:2]
        guess = int(written) if re.fullmatch(r"-?\d+", written) else None
        fits = name in SIZES and guess is not None and 1 <= guess <= SIZES[name][0] and name not in found
        if not fits:
            bad.append(number)
        if name in SIZES and written:
            found[name] = abs(SIZES[name][1] - (guess or 0)) if fits else None
    return {name: found.get(name) for name in SIZES}, bad


@settings(max_examples=25)
@given(lines=st.lists(GOOD | BAD, max_size=12))
def test_predictions_are_scored_as_the_rules_say(lines: list[str], datasets: tuple[CodrepDataset, ...]) -> None:
    done = score(lines, datasets)

    distances, bad = plainly(lines)
    assert distances_of(done) == distances
    assert [one.number for one in done.bad_lines] == bad


@settings(max_examples=25)
@given(lines=st.lists(GOOD | BAD, max_size=8))
def test_strict_ends_where_a_line_is_bad_and_nowhere_else(
    lines: list[str], datasets: tuple[CodrepDataset, ...]
) -> None:
    done = score(lines, datasets)

    if done.bad_lines:
        first = done.bad_lines[0]
        with pytest.raises(InputError, match=re.escape(f"predictions, line {first.number}: {first.reason}")):
            score(lines, datasets, strict=True)
    else:
        assert score(lines, datasets, strict=True) == done


@settings(max_examples=25)
@given(lines=st.lists(GOOD, max_size=8, unique_by=lambda line: line.split()[0]), data=st.data())
def test_the_order_of_good_predictions_does_not_count(
    lines: list[str], data: st.DataObject, datasets: tuple[CodrepDataset, ...]
) -> None:
    shuffled = data.draw(st.permutations(lines))

    assert score(shuffled, datasets) == score(lines, datasets)


@settings(max_examples=25)
@given(text=st.text(max_size=60), lines=st.lists(GOOD, max_size=4, unique_by=lambda line: line.split()[0]))
def test_no_text_ends_the_scoring_nor_changes_other_tasks(
    text: str, lines: list[str], datasets: tuple[CodrepDataset, ...]
) -> None:
    done = score([*lines, text], datasets)

    assert done.rows == score(lines, datasets).rows
    assert [bad.number for bad in done.bad_lines] == [len(lines) + 1]


@settings(max_examples=25)
@given(lines=st.lists(GOOD, max_size=8))
def test_two_datasets_together_score_as_each_alone(lines: list[str], datasets: tuple[CodrepDataset, ...]) -> None:
    whole = score(lines, datasets)

    alone = [score([line for line in lines if line[0] == one.name], [one]).rows[0] for one in datasets]
    assert list(whole.rows) == alone
    assert whole.total.loss == pytest.approx(math.fsum(row.loss * row.tasks for row in alone) / len(SIZES))


@settings(max_examples=25)
@given(lines=st.lists(GOOD, max_size=8))
def test_the_printed_figures_are_read_back_to_the_last_digit(
    lines: list[str], datasets: tuple[CodrepDataset, ...]
) -> None:
    done = score(lines, datasets)

    total, error, recall = official_lines(done).split("\n")
    assert total == f"Total files: {len(SIZES)}"
    assert float(error.removeprefix("Average line error: ").removesuffix(" (the lower, the better)")) == done.total.loss
    assert float(recall.removeprefix("Recall@1: ").removesuffix(" (the higher, the better)")) == done.total.recall


@pytest.mark.parametrize(
    "distance, loss",
    [(None, 1.0), (0, 0.0), (1, 0.761594), (2, 0.964028), (3, 0.995055), (4, 0.999329), (20, 1.0), (10**6, 1.0)],
)
def test_a_task_costs_tanh_of_its_distance(distance: int | None, loss: float) -> None:
    assert task_loss(distance) == pytest.approx(loss, abs=5e-7)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_farther_line_never_costs_less(near: int, far: int) -> None:
    near, far = sorted((near, far))

    assert task_loss(near) <= task_loss(far) <= 1


@settings(max_examples=25)
@given(DISTANCES)
def test_the_loss_lies_between_what_misses_cost_at_least_and_at_most(distances: list[int | None]) -> None:
    row = DatasetScore("a", tuple(distances))

    missed = 1 - row.recall
    assert math.tanh(1) * missed - 1e-12 <= row.loss <= missed + 1e-12


@settings(max_examples=25)
@given(DISTANCES)
def test_every_task_is_in_one_bin(distances: list[int | None]) -> None:
    row = DatasetScore("a", tuple(distances))

    bins = histogram(row)
    assert sum(bins.values()) == row.tasks
    assert bins.get("0", 0) == round(row.recall * row.tasks)
    assert bins.get("none", 0) == distances.count(None)
    assert bins.get(">100", 0) == sum(one is not None and one > 100 for one in distances)


@settings(max_examples=25)
@given(DISTANCES, st.integers(0, 2**32))
def test_an_interval_lies_within_the_losses_of_the_tasks(distances: list[int | None], seed: int) -> None:
    losses = [task_loss(distance) for distance in distances]

    low, high = loss_interval(DatasetScore("a", tuple(distances)), seed)

    assert min(losses) - 1e-9 <= low <= high <= max(losses) + 1e-9


@pytest.mark.parametrize("distance", [0, 1, 5, None])
def test_tasks_that_cost_the_same_leave_no_doubt(distance: int | None) -> None:
    low, high = loss_interval(DatasetScore("a", (distance,) * 30))

    assert (low, high) == pytest.approx((task_loss(distance),) * 2)


def test_more_tasks_make_a_narrower_interval_and_another_level_a_wider_one() -> None:
    few, many = (loss_interval(DatasetScore("a", (0, 0, 0, 1, None) * times)) for times in (10, 1000))
    sure = loss_interval(DatasetScore("a", (0, 0, 0, 1, None) * 10), level=0.999)

    assert 8 < (few[1] - few[0]) / (many[1] - many[0]) < 12
    assert sure[0] < few[0] < few[1] < sure[1]


def test_the_interval_does_not_depend_on_the_order_of_the_tasks() -> None:
    row = DatasetScore("a", (0, 3, None, 1, 0, 0, 2))

    assert loss_interval(row) == loss_interval(DatasetScore("b", tuple(sorted(row.distances, key=str))))
