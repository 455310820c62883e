"""The figures of the competition's own scripts on the training folders, where these are at hand."""

import os
import sys
from pathlib import Path

import pytest

from runner.suites.codrep.competition import DatasetScore, score
from runner.suites.codrep.dataset import CodrepDataset, open_datasets
from runner.suites.codrep.predictors.predict import Choice, predict

# Average line error and recall of the original program, on the datasets as they stand since October 2018.
PUBLISHED = {
    ("first", "Dataset1"): (0.9989448602794917, 0.000778),
    ("first", "Dataset2"): (0.9982018041889519, 0.000793),
    ("first", "Dataset3"): (0.9927245099513644, 0.007243),
    ("first", "Dataset4"): (0.9829568439251543, 0.014955),
    ("first", "Dataset5"): (0.9969947420994829, 0.002886),
    ("middle", "Dataset1"): (0.9919054780232396, 0.004925),
    ("middle", "Dataset2"): (0.9872106289797178, 0.008228),
    ("middle", "Dataset3"): (0.9806562331197535, 0.011092),
    ("middle", "Dataset4"): (0.9832637449268228, 0.009395),
    ("middle", "Dataset5"): (0.9853814474210217, 0.009147),
    ("last", "Dataset1"): (0.998229404266577, 0.0),
    ("last", "Dataset2"): (0.9981023204234419, 0.000099),
    ("last", "Dataset3"): (0.9957430869264247, 0.002088),
    ("last", "Dataset4"): (0.9977128912292982, 0.000096),
    ("last", "Dataset5"): (0.9962726400788843, 0.000109),
    ("worst", "Dataset1"): (0.9999999732802697, 0.0),
    ("worst", "Dataset2"): (0.9999994941307065, 0.0),
    ("worst", "Dataset3"): (0.9999977996645363, 0.0),
    ("worst", "Dataset4"): (0.999995342502905, 0.0),
    ("worst", "Dataset5"): (0.9999933592427581, 0.0),
}
RANDOM = {"Dataset1": 0.991147, "Dataset2": 0.989441, "Dataset3": 0.982999, "Dataset4": 0.981828, "Dataset5": 0.984865}


@pytest.fixture(scope="module")
def datasets() -> tuple[CodrepDataset, ...]:
    folders = [Path(name) for name in os.environ.get("EVALS_CODREP_DATASETS", "").split(os.pathsep) if name]
    if not folders:
        pytest.skip("the training data is not at hand: set EVALS_CODREP_DATASETS to its dataset folders")
    found = tuple(dataset for dataset in open_datasets(folders) if dataset.name in RANDOM)
    if not found:
        pytest.skip("none of $EVALS_CODREP_DATASETS is a dataset of the competition")
    return found


def scored(datasets: tuple[CodrepDataset, ...], name: str) -> dict[str, DatasetScore]:
    lines = (f"{path} {line}" for dataset in datasets for path, line in predict(dataset, Choice(name)))
    return {row.name: row for row in score(lines, datasets).rows}


@pytest.mark.slow
@pytest.mark.conformance
@pytest.mark.parametrize("name", ["first", "middle", "last", "worst"])
def test_baselines_score_as_in_the_competition(name: str, datasets: tuple[CodrepDataset, ...]) -> None:
    rows = scored(datasets, name)

    assert set(rows) == {dataset.name for dataset in datasets}
    for dataset, row in rows.items():
        loss, recall = PUBLISHED[name, dataset]
        assert row.loss == pytest.approx(loss, abs=1e-12)
        assert row.recall == pytest.approx(recall, abs=1e-6)
    sys.stderr.write(f"{name}: {len(rows)} of {len(datasets)} datasets as published\n")


@pytest.mark.slow
@pytest.mark.conformance
def test_random_lines_score_within_their_band(datasets: tuple[CodrepDataset, ...]) -> None:
    rows = scored(datasets, "random")

    assert set(rows) == {dataset.name for dataset in datasets}
    for dataset, row in rows.items():
        spread = 0.14 / row.tasks**0.5
        assert row.loss == pytest.approx(RANDOM[dataset], abs=4 * spread)
