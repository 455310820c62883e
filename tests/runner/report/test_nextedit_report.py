"""Replays of commits as tables: figures, what a step takes, and what went wrong."""

from dataclasses import replace
from typing import Any, cast

import pytest

from runner.document import Table
from runner.records import Clocks, Tokens
from runner.suites.nextedit.editor import Mishap
from runner.suites.nextedit.matching import Match
from runner.suites.nextedit.results import figures_json, replay_json, step_json
from runner.suites.nextedit.step_metrics import Flow, StepMetrics
from runner.suites.nextedit.steps import Call, CommitReplay, Content, Draw, Step, Trouble
from runner.suites.nextedit.summary import summarize
from runner.suites.nextedit.tables import document, systems_json

CALL = Call("recommend", "applied", Clocks(first_edit_ms=200.0, round_trip_ms=900.0), Tokens(100, 0, 0, 20), 0.03)
STEP = Step(
    number=1,
    applied=(0,),
    allowed=(1,),
    suggestions=(),
    matches=(Match(0, 0, target=1, bleu=90.0, exact=True),),
    metrics=StepMetrics((Flow.KEEPING,), 1, hit_ranks=(0,), kept_ranks=(0,)),
    made_edit=1,
    content=Content(requested=False, bleu=100.0, exact=True, excision={"es-token": 1.0}),
    latency_ns=900_000_000,
    calls=(CALL,),
)


def replay(case_id: str, *steps: Step, troubles: tuple[Trouble, ...] = ()) -> CommitReplay:
    return CommitReplay(case_id, "a" * 40, 0, (Draw(0, (0,), 0),), steps, troubles)


def table(shown: tuple[Table, ...], title: str) -> dict[str, dict[str, str]]:
    (found,) = (each for each in shown if each.title.startswith(title))
    return {row[0]: dict(zip(found.columns, row, strict=True)) for row in found.rows}


def test_every_system_has_a_row_in_every_table() -> None:
    shown = document({"one": [replay("a", STEP)], "two": [replay("a", STEP)]}, [], "title").tables

    assert len(shown) == 8
    assert [[row[0] for row in each.rows] for each in shown] == [["one", "two"]] * 8


def test_what_a_step_takes_is_told_in_time_and_money() -> None:
    again = replace(CALL, clocks=Clocks(first_edit_ms=400.0), cost_usd=0.01)
    shown = document({"model": [replay("a", replace(STEP, calls=(CALL, again)))]}, [], "title").tables

    row = table(shown, "what a step takes")["model"]
    assert (row["latency"], row["time to first edit"], row["cost of a step"]) == ("900.0 ms", "300 ms", "$0.0400")


@pytest.mark.parametrize(
    "calls, first_edit, cost",
    [
        pytest.param((), "-", "-", id="nothing-on-record"),
        pytest.param((replace(CALL, clocks=Clocks()),), "-", "$0.0300", id="no-edit"),
        pytest.param((CALL, replace(CALL, cost_usd=None)), "200 ms", "-", id="one-of-unknown-price"),
        pytest.param((replace(CALL, mode="fill"),), "-", "$0.0300", id="a-place-that-was-told"),
    ],
)
def test_what_is_unknown_is_no_number(calls: tuple[Call, ...], first_edit: str, cost: str) -> None:
    shown = document({"model": [replay("a", replace(STEP, calls=calls))]}, [], "title").tables

    row = table(shown, "what a step takes")["model"]
    assert (row["time to first edit"], row["cost of a step"]) == (first_edit, cost)


def test_means_weigh_commits_alike() -> None:
    dear = replace(STEP, calls=(replace(CALL, cost_usd=0.09),))
    figures = summarize([replay("a", dear, dear, dear), replay("b", STEP)])

    macro = figures["cost_usd"].macro
    assert macro is not None
    assert round(macro.estimate, 6) == 0.06
    assert figures["cost_usd"].micro is None


def test_what_was_not_replayed_and_what_went_wrong_is_told_with_examples() -> None:
    late = Trouble("recommend", Mishap.TIMEOUT, "Traceback\nno answer within 1 s")
    unready = Trouble("setup", Mishap.CRASHED, "no key")
    refused = ["merge"] * 2

    notes = document(
        {"bad": [replay("a", replace(STEP, troubles=(late, late)), troubles=(unready,))]}, refused, "title"
    ).notes

    assert notes == (
        "not replayed, merge: 2",
        "bad had trouble: crashed 1, timeout 2",
        "  no key",
        "  no answer within 1 s",
    )


def test_a_simulated_system_is_called_so() -> None:
    made = {"sim/careful": [replay("a", STEP)], "rules": [replay("a", STEP)]}

    shown, data = document(made, [], "title", {"sim/careful"}), systems_json(made, {"sim/careful"})

    assert all([row[0] for row in table.rows] == ["sim/careful (simulated)", "rules"] for table in shown.tables)
    assert [cast("dict[str, Any]", each)["simulated"] for each in data.values()] == [True, False]


def test_a_step_as_data_has_its_answers_with_clocks_and_cost() -> None:
    (answer,) = cast("list[dict[str, Any]]", step_json(STEP)["answers"])

    assert answer["mode"] == "recommend"
    assert (answer["first_edit_ms"], answer["round_trip_ms"], answer["cost_usd"]) == (200.0, 900.0, 0.03)
    assert answer["tokens"] == {"input": 100, "cache_read": 0, "cache_write": 0, "output": 20, "reasoning": None}


def test_a_replay_as_data_tells_order_draws_and_steps() -> None:
    told = replay_json(replay("a", STEP), "rules")

    assert (told["system"], told["order"], told["predicted_in_time"]) == ("rules", [0, 1], [1])
    assert told["draws"] == [{"step": 0, "options": [0], "chosen": 0}]


def test_figures_as_data_have_an_estimate_between_its_ends_or_nothing() -> None:
    told = cast("dict[str, Any]", figures_json(summarize([replay("a", STEP), replay("b", STEP)])))

    assert told["first_edit_ms"]["micro"] is None
    low, high = told["precision"]["micro"][1:]
    assert low <= 1.0 <= high
