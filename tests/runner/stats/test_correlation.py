"""The statistics are SciPy's under equal weights, and those of the repeated rows under others."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runner.stats.correlation import STATISTICS, Floats, Integers, LabelledRows, auc, pearson, spearman, within

ROWS = 60
CLUSTERS = 7
rows = st.integers(0, 2**32 - 1).map(lambda seed: draw(np.random.default_rng(seed)))


def draw(random: np.random.Generator) -> tuple[Floats, Floats, Integers]:
    """Scores with many ties, labels that go with them, and a cluster for each row."""
    labels = (random.random(ROWS) < 0.4).astype(np.float64)
    scores = np.round(random.random(ROWS) + 0.5 * labels, 1)
    return scores, labels, np.arange(ROWS, dtype=np.int64) % CLUSTERS


def of(labels: Floats, codes: Integers, counts: Floats | None = None) -> LabelledRows:
    return LabelledRows(labels, codes, np.ones(len(labels)) if counts is None else counts)


def plain(statistic: str, scores: Floats, labels: Floats, codes: Integers) -> float:
    return float(STATISTICS[statistic](scores, of(labels, codes), np.ones((1, codes.max() + 1)))[0])


@given(rows)
def test_pearson_is_scipys(drawn: tuple[Floats, Floats, Integers]) -> None:
    from scipy import stats

    scores, labels, codes = drawn

    assert plain("pearson", scores, labels, codes) == pytest.approx(stats.pearsonr(scores, labels).statistic)


@given(rows)
def test_spearman_is_scipys_ties_and_all(drawn: tuple[Floats, Floats, Integers]) -> None:
    from scipy import stats

    scores, labels, codes = drawn

    assert plain("spearman", scores, labels, codes) == pytest.approx(stats.spearmanr(scores, labels).statistic)


@given(rows)
def test_auc_is_the_share_of_pairs_mann_and_whitney_count(drawn: tuple[Floats, Floats, Integers]) -> None:
    from scipy import stats

    scores, labels, codes = drawn
    positive, negative = scores[labels > 0], scores[labels == 0]

    won = stats.mannwhitneyu(positive, negative).statistic

    assert plain("auc", scores, labels, codes) == pytest.approx(won / (len(positive) * len(negative)))


@given(rows)
def test_within_is_the_correlation_of_what_the_clusters_means_leave(drawn: tuple[Floats, Floats, Integers]) -> None:
    from scipy import stats

    scores, labels, codes = drawn
    x, y = scores.copy(), labels.copy()
    for code in range(CLUSTERS):
        x[codes == code] -= scores[codes == code].mean()
        y[codes == code] -= labels[codes == code].mean()
    mixed = np.isin(codes, [code for code in range(CLUSTERS) if len(set(labels[codes == code])) > 1])
    assume(mixed.any())

    assert plain("within", scores, labels, codes) == pytest.approx(stats.pearsonr(x[mixed], y[mixed]).statistic)


@pytest.mark.parametrize("name", list(STATISTICS))
@given(drawn=rows, counts=st.lists(st.integers(0, 3), min_size=CLUSTERS, max_size=CLUSTERS))
def test_weights_are_repetitions_of_clusters(
    name: str, drawn: tuple[Floats, Floats, Integers], counts: list[int]
) -> None:
    scores, labels, codes = drawn
    picked = np.repeat(np.arange(ROWS), np.array(counts)[codes])
    assume(len(picked))

    weighted = STATISTICS[name](scores, of(labels, codes), np.array([counts], dtype=np.float64))[0]

    repeated = float(STATISTICS[name](scores[picked], of(labels[picked], codes[picked]), np.ones((1, CLUSTERS)))[0])
    assert weighted == pytest.approx(repeated, nan_ok=True)


@pytest.mark.parametrize("name", list(STATISTICS))
@given(drawn=rows, counts=st.lists(st.integers(0, 3), min_size=ROWS, max_size=ROWS))
def test_a_row_with_a_count_is_so_many_equal_rows(
    name: str, drawn: tuple[Floats, Floats, Integers], counts: list[int]
) -> None:
    scores, labels, codes = drawn
    picked = np.repeat(np.arange(ROWS), counts)
    assume(len(picked))
    weights = np.array([[1, 2, 0, 1, 1, 3, 1]], dtype=np.float64)

    counted = STATISTICS[name](scores, of(labels, codes, np.array(counts, dtype=np.float64)), weights)[0]

    repeated = float(STATISTICS[name](scores[picked], of(labels[picked], codes[picked]), weights)[0])
    assert counted == pytest.approx(repeated, nan_ok=True)


def test_each_line_of_weights_is_a_statistic_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, labels, codes = draw(np.random.default_rng(1))
    weights = np.random.default_rng(2).integers(0, 3, (9, CLUSTERS)).astype(np.float64)
    whole = spearman(scores, of(labels, codes), weights)

    monkeypatch.setattr("runner.stats.correlation._AT_ONCE", 2 * ROWS)

    assert len(whole) == 9
    assert spearman(scores, of(labels, codes), weights) == pytest.approx(whole)


def test_where_nothing_varies_there_is_no_correlation() -> None:
    scores, labels = np.full(4, 0.1), np.array([0.0, 1.0, 0.0, 1.0])
    codes, ones = np.array([0, 0, 1, 1]), np.ones((1, 2))

    assert np.isnan(pearson(scores, of(labels, codes), ones)).all()
    assert np.isnan(spearman(scores, of(labels, codes), ones)).all()
    assert np.isnan(within(scores, of(labels, codes), ones)).all()
    assert auc(scores, of(labels, codes), ones) == [0.5]
    assert np.isnan(auc(scores, of(np.ones(4), codes), ones)).all()


def test_differences_between_problems_are_not_seen_within_them() -> None:
    # Each problem's scores are constant: only between problems do they go with the labels.
    scores, labels = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0, 1.0])
    codes, ones = np.array([0, 0, 1, 1]), np.ones((1, 2))

    assert pearson(scores, of(labels, codes), ones)[0] > 0.5
    assert np.isnan(within(scores, of(labels, codes), ones)).all()
