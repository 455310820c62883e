"""Gates: what a limit means, how often a regression is found, and that CI's files cannot be steered by names."""

import re
from pathlib import Path
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
from numpy.typing import NDArray

from runner.errors import InputError
from runner.records import Outcome
from runner.report.gate_files import annotations, append_summary, is_missed, write_junit
from runner.report.gates import (
    GateResult,
    GateVerdict,
    fail_under,
    judge_points,
    judge_regressions,
    judge_state,
    max_regression,
    regression_verdict,
)
from runner.report.summary import summarize
from runner.stats.intervals import Interval, normal_quantile
from runner.stats.paired import paired_difference
from runner.storage.runs import find_run
from runner.storage.store import Store
from tests.runner.made_runs import Made, make_run, plan, variant

PASSED, FAILED, INCONCLUSIVE = GateVerdict.PASSED, GateVerdict.FAILED, GateVerdict.INCONCLUSIVE
CASES = [f"c{number:03}" for number in range(100)]
HOSTILE = "m\n::error::x|<img src=x>[a](javascript:b)\u202e\x1b %0A,`@"


def run_of(store: Store, run_id: str, right: int, models: tuple[str, ...] = ("test/a",)) -> None:
    """A run of one attempt at each case, of which so many are right."""
    make_run(store, run_id, plan(CASES, [variant(sut) for sut in models]))
    made = Made(store, run_id)
    for sut in models:
        for number, case_id in enumerate(CASES):
            answer_id = made.answer(made.lane(case_id, sut), first_edit_ms=100.0)
            made.scoring(answer_id, Outcome.APPLIED, equals_expected=number < right)


def regression(store: Store, limit: str, after: str = "new") -> list[GateResult]:
    return judge_regressions(store, find_run(store, after), find_run(store, "old"), [max_regression(limit)])


@pytest.mark.parametrize(
    "limit, verdict, reason",
    [
        pytest.param("right=90%", PASSED, "right 90.0% [82.4, 94.5] reaches 90%", id="reached exactly"),
        pytest.param("right=90.1%", FAILED, "right 90.0% [82.4, 94.5] is below 90.1%", id="below"),
        pytest.param("valid=100%", PASSED, "valid 100.0% [96.2, 100.0] reaches 100%", id="valid"),
    ],
)
def test_the_point_estimate_must_reach_the_limit(store: Store, limit: str, verdict: GateVerdict, reason: str) -> None:
    run_of(store, "new", 90)

    (result,) = judge_points(summarize(store, find_run(store, "new")), [fail_under(limit)])

    assert (result.verdict, result.reason) == (verdict, reason)
    assert (result.run_id, result.variant) == ("new", "test/a, basic, v4")


def test_a_variant_without_the_figure_fails(store: Store) -> None:
    run_of(store, "new", 90)
    store.execute("UPDATE scorings SET valid = 0, outcome = 'no_call' WHERE run_id = 'new'")
    make_run(store, "two", plan(CASES, [variant("test/a"), variant("test/b")]))
    made = Made(store, "two")
    made.scoring(made.answer(made.lane("c000", "test/a")), Outcome.APPLIED, equals_expected=True)

    (_, without) = judge_points(summarize(store, find_run(store, "two")), [fail_under("right=50%")])

    assert (without.verdict, without.reason) == (FAILED, "right is unknown")
    with pytest.raises(InputError, match="run new has no such figure; it has valid"):
        judge_points(summarize(store, find_run(store, "new")), [fail_under("right=50%")])


@pytest.mark.parametrize(
    "interval, most, verdict",
    [
        pytest.param(Interval(-0.10, -0.15, -0.031), 0.03, FAILED, id="all of it is worse"),
        pytest.param(Interval(-0.10, -0.15, -0.03), 0.03, INCONCLUSIVE, id="its end is the limit"),
        pytest.param(Interval(0.0, -0.05, 0.05), 0.03, INCONCLUSIVE, id="part of it is worse"),
        pytest.param(Interval(0.0, -0.03, 0.03), 0.03, PASSED, id="no part of it is worse"),
        pytest.param(Interval(0.1, 0.05, 0.15), 0.0, PASSED, id="better"),
        pytest.param(Interval(0.0, -np.inf, np.inf), 0.03, INCONCLUSIVE, id="nothing is known"),
    ],
)
def test_a_regression_fails_where_the_whole_interval_is_worse(
    interval: Interval, most: float, verdict: GateVerdict
) -> None:
    mirrored = Interval(-interval.estimate, -interval.high, -interval.low)

    assert regression_verdict(interval, most) is verdict
    assert regression_verdict(mirrored, most, fewer_is_better=True) is verdict


def test_the_same_variants_of_two_runs_are_paired_by_case(store: Store) -> None:
    run_of(store, "old", 90)
    run_of(store, "new", 60)

    (result,) = regression(store, "right=3pp")

    assert result.verdict is FAILED
    assert re.fullmatch(r"right -30 points \[-39\.\d+, -20\.\d+\] on 100 cases", result.reason)
    assert regression(store, "wrong=3pp")[0].verdict is FAILED
    assert regression(store, "right=60pp")[0].verdict is PASSED
    assert regression(store, "first_edit_ms=5")[0].verdict is PASSED


def test_a_variant_that_the_baseline_lacks_is_inconclusive(store: Store) -> None:
    run_of(store, "old", 90)
    run_of(store, "new", 90, ("test/a", "test/b"))

    paired, alone = regression(store, "right=3pp")

    assert (paired.variant, alone.variant) == ("test/a, basic, v4", "test/b, basic, v4")
    assert (alone.verdict, alone.reason) == (INCONCLUSIVE, "the baseline has no such variant")


def test_runs_without_a_common_variant_are_refused(store: Store) -> None:
    run_of(store, "old", 90, ("test/b",))
    run_of(store, "new", 90)

    with pytest.raises(InputError, match="--baseline old: has no variant of run new"):
        regression(store, "right=3pp")


def test_runs_without_common_cases_are_inconclusive(store: Store) -> None:
    run_of(store, "new", 90)
    make_run(store, "old", plan(["other"], [variant("test/a")]))
    made = Made(store, "old")
    made.scoring(made.answer(made.lane("other", "test/a")), Outcome.APPLIED, equals_expected=True)

    (result,) = regression(store, "right=3pp")

    assert (result.verdict, result.reason) == (INCONCLUSIVE, "the two runs have fewer than two cases in common")


def test_a_run_that_is_not_complete_is_inconclusive(store: Store) -> None:
    run_of(store, "new", 90)
    (result,) = judge_state(summarize(store, find_run(store, "new")))
    store.update("runs", {"run_id": "new"}, {"state": "complete"})

    assert (result.verdict, result.reason) == (INCONCLUSIVE, "the run is running: figures may change")
    assert judge_state(summarize(store, find_run(store, "new"))) == []


@pytest.mark.parametrize(
    "read, text, reason",
    [
        pytest.param(fail_under, "right", "is no figure with a limit; write one such as right=90%", id="no limit"),
        pytest.param(fail_under, "right=90pp", "is no figure with a limit", id="points"),
        pytest.param(fail_under, "right=-3%", "is no figure with a limit", id="negative"),
        pytest.param(fail_under, "right=nan%", "is no figure with a limit", id="no number"),
        pytest.param(fail_under, "right=90", "has no unit; write right=90%", id="no unit"),
        pytest.param(fail_under, "right=101%", "no rate is above 100 %", id="too much"),
        pytest.param(fail_under, "wrong=3%", "less of wrong is better; use --max-regression", id="less is better"),
        pytest.param(max_regression, "right=3%", "write one such as right=3pp", id="per cent"),
        pytest.param(max_regression, "right=3", "has no unit; write right=3pp", id="points without a unit"),
    ],
)
def test_a_limit_that_cannot_be_read_is_one_line(read: object, text: str, reason: str) -> None:
    with pytest.raises(InputError) as refused:
        read(text)  # type: ignore[operator]  # either of the two

    assert reason in str(refused.value)
    assert str(refused.value).startswith(("--fail-under ", "--max-regression "))


def results() -> list[GateResult]:
    return [
        GateResult("--fail-under right=90%", "r1", "test/a", PASSED, "right 95%"),
        GateResult("--fail-under right=90%", "r1", HOSTILE, FAILED, HOSTILE),
        GateResult("--max-regression right=3pp", "r1", "test/b", INCONCLUSIVE, "right -1 points"),
    ]


def test_only_strict_gates_are_missed_where_the_data_do_not_suffice() -> None:
    passed, failed, inconclusive = results()

    assert not is_missed([passed, inconclusive], strict=False)
    assert is_missed([passed, inconclusive], strict=True)
    assert is_missed([passed, failed], strict=False)


@pytest.mark.parametrize("strict, kinds", [(False, ["failure", "skipped"]), (True, ["failure", "failure"])])
def test_junit_has_a_case_for_each_gate_and_variant(tmp_path: Path, *, strict: bool, kinds: list[str]) -> None:
    write_junit(results(), tmp_path / "junit.xml", strict=strict)

    root = fromstring((tmp_path / "junit.xml").read_bytes())  # noqa: S314 - our own file
    cases = list(root.iter("testcase"))
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["skipped"]) == (
        "3", str(kinds.count("failure")), str(kinds.count("skipped")),
    )  # fmt: skip
    assert [child.tag for case in cases for child in case if child.tag != "system-out"] == kinds
    assert cases[1].attrib["name"].startswith("m\\x0a::error::x|<img src=x>")
    assert "\\x202e\\x1b" in cases[1][0].attrib["message"]


def test_annotations_are_one_line_each_and_forge_no_command() -> None:
    failed, warned = annotations(results(), strict=False)

    assert "\n" not in failed + warned
    assert failed.startswith("::error title=evals --fail-under right=90%25 failed::run r1, m\\x0a::error::x|")
    assert "\\x202e\\x1b %250A" in failed
    assert warned == ("::warning title=evals --max-regression right=3pp inconclusive::run r1, test/b: right -1 points")
    assert [line.partition(" ")[0] for line in annotations(results(), strict=True)] == ["::error", "::error"]


def test_the_summary_shows_names_as_text(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n", encoding="utf-8")

    append_summary(results(), "gates of r1", path)

    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\n## gates of r1\n")
    assert "| passed | --fail-under right=90% | r1 | test/a | right 95% |" in text
    (row,) = [line for line in text.splitlines() if "| failed |" in line]
    assert row.count("|") == 6
    assert not set("<>[]`@*_\\:") & set(row)


def test_files_that_cannot_be_written_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--junit .*: cannot be written"):
        write_junit(results(), tmp_path / "missing" / "junit.xml", strict=False)
    with pytest.raises(InputError, match=r"--github: .* cannot be written"):
        append_summary(results(), "", tmp_path / "missing" / "summary.md")


# Of a baseline that is right at 80 % of the cases; half of the cases are as hard for both runs.
RATE, ALIKE, MARGIN, PLANTED, POWER = 0.8, 0.5, 0.03, 0.10, 0.98


def differences(lost: float, cases: int, draws: int, seed: int) -> NDArray[np.float64]:
    """New - old of each case, a row for each draw: the new run is right by so much less often."""
    random = np.random.default_rng(seed)
    old = random.random((draws, cases))
    new = np.where(random.random((draws, cases)) < ALIKE, old, random.random((draws, cases)))
    row: NDArray[np.float64] = (new < RATE - lost).astype(float) - (old < RATE).astype(float)
    return row


def planned_cases() -> int:
    """How many cases show that the planted regression is above the limit, with the power."""
    variance = differences(PLANTED, 100_000, 1, seed=1).var()
    errors = normal_quantile(0.975) + normal_quantile(POWER)
    return int(np.ceil(variance * (errors / (PLANTED - MARGIN)) ** 2))


def failures(lost: float, draws: int, most: float) -> int:
    rows = differences(lost, planned_cases(), draws, seed=2).tolist()
    found = [paired_difference([(value,) for value in row]) for row in rows]
    return sum(regression_verdict(pair.interval, most) is FAILED for pair in found if pair is not None)


def test_a_planted_regression_of_10_points_fails_the_gate_in_95_of_100_draws() -> None:
    assert failures(PLANTED, 200, MARGIN) >= 190


@pytest.mark.wide
@pytest.mark.parametrize("most", [MARGIN, 0.0], ids=["3 points", "no margin"])
def test_no_regression_fails_the_gate_in_at_most_5_of_100_draws(most: float) -> None:
    assert failures(0.0, 10_000, most) <= 500
