"""`evals cost`: three ledgers per model, reconciled; what is unknown stays unknown."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runner.storage.store import Store, Value
from tests.runner.cli.conftest import Call
from tests.runner.made_runs import Made, make_run, plan

TOKENS: dict[str, Value] = {"input_tokens": 100, "output_tokens": 10}

Costs = Callable[[list[dict[str, Value]]], dict[str, Any]]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "evals.db"


def fill(db: Path, answers: list[dict[str, Value]]) -> None:
    """A run of one lane with an answer for each row."""
    with closing(Store.open(db)) as store:
        made = Made(store, make_run(store))
        for number, row in enumerate(answers, 1):
            made.answer(made.lane("a"), number, **{**TOKENS, **row})  # type: ignore[arg-type]  # columns


@pytest.fixture
def costs(db: Path, call: Call) -> Costs:
    """What `evals cost --json` says of a run with these answers."""

    def told(answers: list[dict[str, Value]]) -> dict[str, Any]:
        fill(db, answers)
        (model,) = json.loads(call("cost", "--json", "--db", db).out)["models"]
        return dict(model)

    return told


def test_three_ledgers_stand_beside_each_other(costs: Costs) -> None:
    told = costs(
        [
            {"list_cost_usd": 0.10, "provider_cost_usd": 0.12, "reserved_usd": 0.5},
            {"list_cost_usd": 0.20, "provider_cost_usd": 0.21, "reserved_usd": 0.5},
        ]
    )

    assert told["list_usd"] == pytest.approx(0.30)
    assert told["provider_usd"] == pytest.approx(0.33)
    assert told["reserved_usd"] == pytest.approx(1.0)
    assert told["difference_usd"] == pytest.approx(0.03)
    assert told["at_most_usd"] == pytest.approx(0.33)
    assert (told["calls"], told["answers"], told["reported"]) == (2, 2, 2)
    assert (told["input_tokens"], told["output_tokens"]) == (200, 20)


def test_a_difference_is_over_the_answers_that_have_both(costs: Costs) -> None:
    told = costs(
        [
            {"list_cost_usd": 0.10, "provider_cost_usd": 0.12, "reserved_usd": 0.5},
            {"list_cost_usd": 5.00, "reserved_usd": 6.0},
        ]
    )

    assert told["reported"] == 1
    assert told["list_of_reported_usd"] == pytest.approx(0.10)
    assert told["difference_usd"] == pytest.approx(0.02)
    assert told["paid_usd"] == told["at_most_usd"] == pytest.approx(5.12)


def test_calls_without_any_answer_cost_their_bounds_at_most(costs: Costs) -> None:
    told = costs([{"outcome": "lost", "reserved_usd": 0.5, "discarded_usd": 0.5, "text_id": None}])

    assert (told["paid_usd"], told["at_most_usd"]) == (0, 0.5)


def test_half_answers_and_lost_calls_count_at_their_bounds(costs: Costs) -> None:
    told = costs(
        [
            {"list_cost_usd": 0.10, "reserved_usd": 0.5, "discarded_usd": 0.5},
            {"outcome": "lost", "reserved_usd": 0.5, "discarded_usd": 0.5, "text_id": None},
            {"outcome": "sut_error", "reserved_usd": 0.5, "text_id": None},
        ]
    )

    assert (told["calls"], told["answers"]) == (3, 1)
    assert told["list_usd"] == pytest.approx(0.10)
    assert told["discarded_usd"] == pytest.approx(1.0)
    assert told["at_most_usd"] == pytest.approx(1.10)


@pytest.mark.parametrize(
    "answers,unknown,known",
    [
        pytest.param(
            [{"list_cost_usd": 0.1, "reserved_usd": 0.5}, {"list_cost_usd": None, "reserved_usd": 0.5}],
            ["list_usd", "provider_usd", "at_most_usd"],
            ["reserved_usd"],
            id="the price of one answer",
        ),
        pytest.param(
            [{"list_cost_usd": 0.1, "reserved_usd": None}],
            ["reserved_usd", "discarded_usd", "at_most_usd"],
            ["list_usd"],
            id="the bound of one call",
        ),
        pytest.param(
            [{"provider_cost_usd": 0.1, "reserved_usd": 0.5}],
            ["list_usd", "list_of_reported_usd", "difference_usd"],
            ["provider_usd", "at_most_usd"],
            id="the list price of what is reported",
        ),
    ],
)
def test_an_unknown_amount_is_unknown_not_zero(
    answers: list[dict[str, Value]], unknown: list[str], known: list[str], costs: Costs
) -> None:
    told = costs(answers)

    assert {name: told[name] for name in unknown} == dict.fromkeys(unknown)
    assert all(told[name] is not None for name in known)


def test_unknown_amounts_are_called_so_for_people(db: Path, call: Call) -> None:
    fill(db, [{"list_cost_usd": None, "reserved_usd": None}])

    shown = call("cost", "--db", db)

    assert shown.code == 0
    assert shown.err == ""
    assert "unknown" in shown.out
    assert "not reported" in shown.out
    assert "$" not in shown.out


def test_each_model_has_its_own_row(db: Path, call: Call) -> None:
    with closing(Store.open(db)) as store:
        made = Made(store, make_run(store))
        for sut, cost in (("test/one", 0.25), ("test/two", 0.5)):
            made.answer(made.lane("a", sut), list_cost_usd=cost, reserved_usd=1.0)

    told = json.loads(call("cost", "--json", "--db", db).out)

    assert {one["sut"]: one["list_usd"] for one in told["models"]} == {"test/one": 0.25, "test/two": 0.5}


def test_a_replay_costs_what_the_run_did_that_asked(db: Path, call: Call) -> None:
    fill(db, [{"list_cost_usd": 0.25, "reserved_usd": 1.0}])
    with closing(Store.open(db)) as store:
        make_run(store, "again", plan())
        store.update("runs", {"run_id": "again"}, {"replay_of": "r1"})

    told = json.loads(call("cost", "again", "--json", "--db", db).out)

    assert told["models"][0]["list_usd"] == 0.25


def test_a_simulated_run_reconciles_to_the_cent(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cases = Path(__file__).parents[3] / "cases" / "diff_edit"
    model = "sim/careful?time=virtual&flavour=openrouter&cached=0.5"
    call("diff", "--model-ids", model, "--cases", cases, "--max-cases", 5, "-n", 2, "--json")

    (told,) = json.loads(call("cost", "--json").out)["models"]

    assert told["reported"] == told["answers"] >= 10
    assert told["cache_read_tokens"] > 0
    assert told["difference_usd"] == pytest.approx(0, abs=1e-9)
    assert told["list_usd"] <= told["reserved_usd"]
    assert told["at_most_usd"] == pytest.approx(told["provider_usd"])
