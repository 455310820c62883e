"""A lane that gets the same invalid answer twice at temperature 0 is settled: what that means for a run's figures."""

import asyncio
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from runner.records import Result
from runner.report.case_figures import samples_of
from runner.report.export import records
from runner.report.summary import RunSummary, summarize
from runner.report.tables import document
from runner.run.engine import Lane
from runner.run.execute import execute
from runner.storage.runs import find_run
from runner.storage.store import Row, Store
from suts.simulated.config import ServerConfig
from suts.simulated.server import serving
from tests.runner.run.test_engine import INVALID, VALID, World, lane, run
from tests.toy_suite import SUITE, ToyOptions

WORDS = ["ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "willow"]
MODEL = "sim/any?time=virtual&valid=0.6&applied=0.7&greedy=1"


@pytest.fixture
def options(tmp_path: Path) -> ToyOptions:
    file = tmp_path / "words.txt"
    file.write_text("\n".join(WORDS), encoding="utf-8")
    return ToyOptions(words=file, model_ids=MODEL, quota=3, db=tmp_path / "evals.db", json=True)


def opened(options: ToyOptions, run_id: str) -> tuple[Row, RunSummary, list[dict[str, Any]]]:
    with closing(Store.open(options.db, create=False)) as store:
        run = find_run(store, run_id)
        return run, summarize(store, run), list(records(store, run_id))


def numbers(attempts: list[dict[str, Any]]) -> dict[str, tuple[int, int]]:
    """How many attempts each case got, and how many of these were valid."""
    made = Counter(attempt["case_id"] for attempt in attempts)
    valid = Counter(attempt["case_id"] for attempt in attempts if attempt["valid"])
    return {case: (count, valid[case]) for case, count in made.items()}


@dataclass
class Texts(World):
    """Answers to the attempts of each lane by number: V is valid, any other letter is the text of an invalid one."""

    texts: str = ""
    late: frozenset[int] = frozenset()

    async def attempt(self, lane: Lane, number: int) -> Result:  # noqa: ARG002 - all lanes are answered alike
        await asyncio.sleep(10.0 if number in self.late else 1.0)
        text = self.texts[number - 1]
        return VALID if text == "V" else replace(INVALID, greedy_digest=text if text.islower() else "")


@pytest.mark.parametrize(
    "texts, quota, slots, attempts, state, settled_at",
    [
        pytest.param("xxV", 1, 1, 2, "settled", 2, id="the same twice"),
        pytest.param("xyV", 1, 1, 3, "full", None, id="two others"),
        pytest.param("xyyV", 1, 1, 3, "settled", 3, id="the second twice"),
        pytest.param("VxxV", 2, 1, 3, "settled", 3, id="after a valid one"),
        pytest.param("XXXX", 1, 1, 4, "capped", None, id="at another temperature"),
        pytest.param("xxxx", 4, 4, 4, "settled", 2, id="all at once"),
        pytest.param("xyxV", 4, 4, 4, "settled", 3, id="a valid one under way"),
    ],
)
def test_an_invalid_answer_that_is_repeated_settles_its_lane(
    texts: str, quota: int, slots: int, attempts: int, state: str, settled_at: int | None
) -> None:
    asked = lane(quota=quota, cap=4)
    world = Texts(texts=texts)

    run([asked], world, slots)

    assert (len(world.ended_), asked.state, asked.settled_at) == (attempts, state, settled_at)


def test_the_attempt_that_settles_a_lane_is_the_same_in_whatever_order_answers_come() -> None:
    found = set()
    for late in (frozenset[int](), frozenset({1}), frozenset({2}), frozenset({1, 2})):
        asked = lane(quota=4, cap=8)
        run([asked], Texts(texts="xxyx....", late=late), slots=4)
        found.add(asked.settled_at)

    assert found == {2}


def test_a_case_that_settles_is_asked_twice_and_counts_as_not_right(options: ToyOptions) -> None:
    done = execute(SUITE, options)

    _, summary, attempts = opened(options, done.run_id)
    made = numbers(attempts)
    settled = [case for case, (_, valid) in made.items() if not valid]
    right = {attempt["case_id"] for attempt in attempts if attempt["outcome"] == "solved"}
    (variant,) = summary.variants
    assert done.exit_code == 0
    assert {made[case] for case in settled} == {(2, 0)}
    assert {made[case] for case in WORDS if case not in settled} == {(3, 3)}
    assert 0 < len(settled) < len(WORDS)
    assert variant.valid_rate is not None
    assert variant.valid_rate.estimate == pytest.approx(1 - len(settled) / len(WORDS))
    assert variant.right is not None
    assert variant.right.estimate == pytest.approx(len(right) / len(WORDS))
    assert {(lane.case_id, lane.state) for lane in summary.short_lanes} == {(case, "settled") for case in settled}
    notes = "\n".join(document(summary).notes)
    assert "settled by the same invalid answer twice, at temperature 0, before the quota of 3: " in notes


def test_a_comparison_counts_the_same_cases_as_the_report(options: ToyOptions) -> None:
    done = execute(SUITE, options)

    run, summary, _ = opened(options, done.run_id)
    with closing(Store.open(options.db, create=False)) as store:
        figures = {metric: samples_of(store, [run], metric)[0].cases for metric in ("right", "wrong", "valid")}

    (variant,) = summary.variants
    for metric, rate in (("right", variant.right), ("wrong", variant.wrong), ("valid", variant.valid_rate)):
        assert rate is not None
        assert len(figures[metric]) == len(WORDS)
        assert sum(figures[metric].values()) / len(WORDS) == pytest.approx(rate.estimate)


def test_where_no_answer_is_valid_nothing_is_known_to_be_right_and_the_exit_code_is_1(options: ToyOptions) -> None:
    done = execute(SUITE, replace(options, model_ids="sim/any?time=virtual&valid=0&greedy=1"))

    _, summary, attempts = opened(options, done.run_id)
    (variant,) = summary.variants
    assert done.exit_code == 1
    assert len(attempts) == 2 * len(WORDS)
    assert (variant.right, variant.valid_rate and variant.valid_rate.estimate) == (None, 0.0)
    assert variant.applied is not None
    assert variant.applied.estimate == 0.0


@pytest.mark.parametrize("quotas", [(1, 3), (3, 1), (2, 3, 1, 3)])
def test_a_resumed_run_comes_to_the_rows_of_one_that_was_not(options: ToyOptions, quotas: tuple[int, ...]) -> None:
    whole = execute(SUITE, options)
    for quota in quotas:
        done = execute(SUITE, replace(options, quota=quota, run_id="parts"))
        assert done.exit_code == 0

    assert numbers(opened(options, "parts")[2]) == numbers(opened(options, whole.run_id)[2])
    found, expected = (opened(options, run_id)[1].variants[0] for run_id in ("parts", whole.run_id))
    assert (found.valid_rate, found.right, found.wrong, found.outcomes) == (
        expected.valid_rate,
        expected.right,
        expected.wrong,
        expected.outcomes,
    )


def test_an_interrupted_run_settles_by_the_answers_on_record(options: ToyOptions) -> None:
    whole = execute(SUITE, options)
    parts = replace(options, run_id="parts")

    first = execute(SUITE, replace(parts, interrupts=1))
    done = execute(SUITE, parts)

    assert (first.exit_code, done.exit_code) == (3, 0)
    assert numbers(opened(options, "parts")[2]) == numbers(opened(options, whole.run_id)[2])


def test_at_another_temperature_no_lane_settles(options: ToyOptions) -> None:
    model = "sim/any?time=virtual&valid=0"

    done = execute(SUITE, replace(options, model_ids=model, quota=1, cap=4))

    assert len(opened(options, done.run_id)[2]) == 4 * len(WORDS)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize(
    "temperature, attempts", [pytest.param("", 2, id="0"), pytest.param("@temperature=none", 5, id="not sent")]
)
async def test_over_http_a_lane_settles_where_temperature_0_was_sent(
    options: ToyOptions, monkeypatch: pytest.MonkeyPatch, provider: str, temperature: str, attempts: int
) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", "k")
    models = f"{provider}/any?ttft_ms=1&gap_ms=0&greedy=1{temperature}"
    options = replace(options, model_ids=models, quota=1, cap=5, max_concurrency=1, yes=True)

    async with serving(ServerConfig()) as server:
        done = await asyncio.to_thread(execute, SUITE, replace(options, base_url=[server.url]))
        asked = len(server.log)

    assert asked == attempts * len(WORDS)
    assert done.exit_code == 1
