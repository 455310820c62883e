"""Tokens per second: by the server's own times where it sends them, else by our clocks, never of simulated models."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from runner.report.speeds import Speed, speed_table, speeds_of
from runner.storage.store import Store
from tests.runner.made_runs import SUT, Made, make_run, plan, variant


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    with closing(Store.open(tmp_path / "evals.db", create=True)) as store:
        simulated = variant("sim/careful", simulated=True)
        yield Made(store, make_run(store, planned=plan(variants=(variant(), simulated))))


def test_the_server_s_times_are_sums_over_its_answers(made: Made) -> None:
    for case, (tokens, ms) in {"a": (1000, 100.0), "b": (100, 900.0)}.items():
        answer = partial(made.answer, input_tokens=tokens, output_tokens=10, first_token_ms=1.0)
        answer(made.lane(case), server_prompt_ms=ms, server_output_ms=ms)

    (speed,) = speeds_of(made.store, made.run_id)

    assert speed == Speed(SUT, "basic", 1100.0, 20.0, "server")


def test_without_them_our_clocks_count_and_answers_without_clocks_or_counts_do_not(made: Made) -> None:
    timed = partial(made.answer, first_token_ms=500.0, round_trip_ms=2500.0)
    timed(made.lane("a"), 1, input_tokens=1000, output_tokens=50)
    timed(made.lane("a"), 2)
    made.answer(made.lane("a"), 3, input_tokens=9, output_tokens=9)
    timed(made.lane("b"), 1, input_tokens=9, output_tokens=9, outcome="sut_error")

    (speed,) = speeds_of(made.store, made.run_id)

    assert speed == Speed(SUT, "basic", 2000.0, 25.0, "clocks")


def test_an_answer_that_came_at_once_has_no_speed(made: Made) -> None:
    made.answer(made.lane("a"), input_tokens=0, output_tokens=50, first_token_ms=5.0, round_trip_ms=5.0)

    assert speeds_of(made.store, made.run_id) == ()


def test_simulated_models_have_none(made: Made) -> None:
    lane = made.lane("a", sut="sim/careful")
    made.answer(lane, input_tokens=10, output_tokens=10, first_token_ms=1.0, round_trip_ms=9.0)

    assert speeds_of(made.store, made.run_id) == ()


def test_a_table_rounds_fast_ones_and_leaves_unknown_ones_out() -> None:
    table = speed_table([Speed("m", "p", 1234.5, 12.34, "server"), Speed("n", "p", None, 99.96, "clocks")])

    assert [row[2:] for row in table.rows] == [("1,234", "12.3", "server"), ("-", "100.0", "clocks")]
