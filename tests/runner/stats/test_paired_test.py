"""The test of a paired difference finds what is none in at most 5.5 of 100 draws, however answers of a case depend."""

from collections.abc import Sequence

import numpy as np
import pytest

from runner.stats.flips import mcnemar
from runner.stats.paired import clustered_means
from runner.stats.paired_test import MCNEMAR, SIGN_FLIPS, paired_test

DRAWS, MOST = 2_500, 0.055
FLIPS = (-1.0, 0.0, 0.0, 1.0)
Answers = list[tuple[str, int, float]]


def drawn_flips(cases: int, attempts: int, within: float, random: np.random.Generator) -> Answers:
    """Draw answers scored by two rules that are equally good: half of the cases have flips, to either side alike.

    Each answer flips as the other answers of its case with the probability `within`, else on its own.
    """
    size = cases, attempts
    own, common = (random.choice(FLIPS, shape) for shape in (size, (cases, 1)))
    values = np.where(random.random(size) < within, common, own).tolist()
    return [(f"file {case // 2}", case, value) for case in range(cases) for value in values[case]]


def size(p_values: Sequence[float]) -> float:
    return sum(p_value <= 0.05 for p_value in p_values) / len(p_values)


@pytest.mark.parametrize("by_file", [False, True], ids=["by case", "by file"])
@pytest.mark.parametrize("attempts", [1, 5])
@pytest.mark.parametrize("within", [0.0, 0.9], ids=["answers of a case independent", "answers of a case alike"])
def test_a_difference_that_is_none_is_rarely_found(within: float, attempts: int, by_file: bool) -> None:
    random = np.random.default_rng(5)
    found = []
    for _ in range(DRAWS):
        answers = drawn_flips(12, attempts, within, random)
        clusters = clustered_means((file if by_file else str(case), case, value) for file, case, value in answers)
        found.append(paired_test(clusters, single=attempts == 1).p_value)

    assert 0 < size(found) <= MOST


def test_the_exact_test_of_all_answers_would_find_it_often() -> None:
    random = np.random.default_rng(5)
    found = []
    for _ in range(DRAWS):
        values = [value for _, _, value in drawn_flips(12, 5, 0.9, random)]
        found.append(mcnemar(values.count(1.0), values.count(-1.0)))

    assert size(found) > 0.2


@pytest.mark.parametrize(
    "clusters,single,name,p_value",
    [
        pytest.param([[1.0]] * 5 + [[-1.0], [0.0]], True, MCNEMAR, mcnemar(5, 1), id="single answers"),
        pytest.param([[1.0]] * 6, False, SIGN_FLIPS, 2 / 2**6, id="means of several"),
        pytest.param([[1.0, 1.0]] * 3, True, SIGN_FLIPS, 2 / 2**3, id="cases of one file"),
        pytest.param([], True, MCNEMAR, 1.0, id="nothing"),
    ],
)
def test_the_exact_test_is_taken_where_each_group_is_one_pair(
    clusters: list[list[float]], single: bool, name: str, p_value: float
) -> None:
    found = paired_test(clusters, single=single)

    assert found.name == name
    assert found.p_value == pytest.approx(p_value)
