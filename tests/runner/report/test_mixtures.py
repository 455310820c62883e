"""Who served the answers: counted per variant, and warned of where one variant's answers mix several."""

import json

import orjson
import pytest

from runner.records import Outcome
from runner.report.summary import summarize
from runner.report.tables import document
from runner.storage.runs import find_run
from runner.storage.store import Store, Value
from tests.runner.made_runs import Made, make_run, plan, variant


def served(store: Store, *rows: dict[str, Value]) -> list[str]:
    """The notes on mixtures of a run whose answers were served so."""
    make_run(store, planned=plan(variants=[variant(), variant(algorithm="v1")]))
    made = Made(store)
    for number, row in enumerate(rows, 1):
        answer_id = made.attempt("a", number, Outcome.APPLIED, "an answer", **row)
        made.scoring(answer_id, Outcome.NO_MATCH, diff_algorithm="v1")
    return [note for note in document(summarize(store, find_run(store, "r1"))).notes if note.startswith("mixed")]


def test_a_variant_that_several_upstreams_served_is_warned_of_once(store: Store) -> None:
    notes = served(store, {"upstream": "Azure"}, {"upstream": "OpenAI"}, {"upstream": "OpenAI"}, {"upstream": None})

    assert notes == ["mixed: the answers of test/scripted, basic were served by several upstreams: OpenAI 2, Azure 1"]


def test_a_variant_that_several_models_served_is_warned_of(store: Store) -> None:
    notes = served(store, {"served_model": "gpt-x-0101"}, {"served_model": "gpt-x-0202"})

    assert notes == [
        "mixed: the answers of test/scripted, basic were served by several models: gpt-x-0101 1, gpt-x-0202 1"
    ]


@pytest.mark.parametrize(
    "row",
    [
        pytest.param({"upstream": "Azure", "served_model": "m"}, id="one of each"),
        pytest.param({}, id="nobody told"),
    ],
)
def test_what_is_not_mixed_is_not_warned_of(row: dict[str, Value], store: Store) -> None:
    assert served(store, row, row) == []


def test_the_counts_are_data_for_each_variant(store: Store) -> None:
    served(store, {"upstream": "Azure", "served_model": "m1"}, {"upstream": "OpenAI", "served_model": "m1"})

    told = json.loads(orjson.dumps(summarize(store, find_run(store, "r1"))))

    assert len(told["variants"]) == 2
    for one in told["variants"]:
        assert one["upstreams"] == {"Azure": 1, "OpenAI": 1}
        assert one["served_models"] == {"m1": 2}


def test_an_answer_that_failed_counts_for_nobody(store: Store) -> None:
    make_run(store)
    made = Made(store)
    made.attempt("a", 1, Outcome.APPLIED, upstream="Azure")
    made.answer(made.lane("a"), 2, outcome="sut_error", upstream="OpenAI")

    (found,) = summarize(store, find_run(store, "r1")).variants

    assert found.upstreams == {"Azure": 1}
