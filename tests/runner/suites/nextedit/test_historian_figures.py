"""Figures of replays by the original's rules."""

import math
from typing import Any, cast

import pytest

from runner.stats.ratio import ratio_over_cases
from runner.suites.nextedit.historian import HistorianRun
from runner.suites.nextedit.historian.figures import figures_of, troubles_of


class Replayed:
    """As much of a run as figures are made of."""

    def __init__(self, *evaluations: dict[str, Any]) -> None:
        self.evaluations = list(evaluations)


def evaluation(hits: int, false: int, missed: int, bleu: float | None = None) -> dict[str, Any]:
    flow = {"flow_keeping": [0] * hits, "flow_jumping": [], "flow_breaking": [0] * false, "flow_reverting": []}
    return {"tp@all": hits, "fp@all": false, "fn@all": missed, "BLEU-4": bleu, "latency": 0.5, **flow}


def runs(*those: Replayed) -> list[HistorianRun]:
    return cast("list[HistorianRun]", list(those))


def test_shares_are_of_the_totals_and_means_are_over_commits() -> None:
    found = figures_of(
        runs(Replayed(evaluation(1, 0, 1), evaluation(1, 2, 0, 80.0)), Replayed(evaluation(0, 1, 3, 40.0)))
    )

    assert found["precision"].micro == ratio_over_cases([(2, 4), (0, 1)])
    assert found["recall"].micro == ratio_over_cases([(2, 3), (0, 3)])
    assert found["f1"].micro == ratio_over_cases([(4, 7), (0, 4)])
    assert found["precision"].macro is not None
    assert found["precision"].macro.estimate == 0.25
    assert found["breaking"].micro == ratio_over_cases([(2, 4), (1, 1)])
    assert found["bleu"].micro == ratio_over_cases([(0.8, 2), (0.4, 1)])
    assert found["latency_ms"].macro is not None
    assert found["latency_ms"].macro.estimate == 500


def test_silence_has_no_precision_and_no_flow() -> None:
    found = figures_of(runs(Replayed(evaluation(0, 0, 2))))

    assert (found["precision"].micro, found["keeping"].micro) == (None, None)
    assert found["recall"].micro is not None


def test_a_recall_above_1_has_no_bounds() -> None:
    found = figures_of(runs(Replayed(evaluation(2, 0, -1)), Replayed(evaluation(1, 0, 0))))

    recall = found["recall"].micro
    assert recall is not None
    assert recall.estimate == pytest.approx(1.5)
    assert math.isinf(recall.high)


def test_troubles_are_counted_by_their_kind() -> None:
    told = ["suggestion(content): crashed: ValueError: x", "init: crashed: y", "init: timeout: z", "odd"]

    assert troubles_of(told) == {"crashed": 2, "timeout": 1, "": 1}
