"""Who really answered: notes of the report and the line of an attempt."""

import pytest

from runner.records import Outcome
from runner.report.served_notes import served_line
from runner.report.summary import summarize
from runner.report.tables import document
from runner.storage.runs import find_run
from runner.storage.store import Store, Value
from tests.runner.made_runs import Made, make_run, plan, variant


def notes(store: Store, sut: str, *rows: dict[str, Value], simulated: bool = False) -> list[str]:
    """The notes of a run whose answers were served so, to two prompts."""
    prompts = ("basic", "strict")
    make_run(store, planned=plan(variants=[variant(sut, prompt, simulated=simulated) for prompt in prompts]))
    made = Made(store)
    for prompt in prompts:
        for number, row in enumerate(rows, 1):
            answer_id = made.answer(made.lane("a", sut, prompt), number, "an answer", **row)
            made.scoring(answer_id, Outcome.APPLIED)
    wanted = ("another model", "served", "not pinned")
    return [note for note in document(summarize(store, find_run(store, "r1"))).notes if note.startswith(wanted)]


def test_another_model_than_was_asked_for_is_named(store: Store) -> None:
    sut = "llamacpp/whatever-70b"

    assert notes(store, sut, {"served_model": "smollm2-135m.gguf"}, {"served_model": "whatever-70b"}) == [
        "another model: 2 of 4 answers of llamacpp/whatever-70b are of smollm2-135m.gguf, as the server reports"
    ]


def test_the_release_that_answered_is_named(store: Store) -> None:
    assert notes(store, "openai/gpt-4o", {"served_model": "gpt-4o-2024-08-06"}) == [
        "served: openai/gpt-4o was answered by gpt-4o-2024-08-06"
    ]


@pytest.mark.parametrize(
    "sut,row,simulated",
    [
        pytest.param("openai/gpt-4o", {"served_model": "gpt-4o"}, False, id="the same"),
        pytest.param("openai/gpt-4o", {}, False, id="not reported"),
        pytest.param("sim/careful", {"served_model": "simulated-any"}, True, id="simulated"),
    ],
)
def test_what_was_asked_for_needs_no_note(store: Store, sut: str, row: dict[str, Value], simulated: bool) -> None:
    assert notes(store, sut, row, simulated=simulated) == []


def test_mixed_upstreams_that_nothing_pins_come_with_the_way_to_pin_one(store: Store) -> None:
    found = notes(store, "openrouter/a/b", {"upstream": "Azure"}, {"upstream": "OpenAI"})

    assert found == [
        f"not pinned: openrouter/a/b, {prompt}: name one upstream: model@upstream=NAME"
        for prompt in ("basic", "strict")
    ]


def test_a_pinned_upstream_needs_no_advice(store: Store) -> None:
    assert notes(store, "openrouter/a/b@upstream=azure", {"upstream": "Azure"}, {"upstream": "OpenAI"}) == []


@pytest.mark.parametrize(
    "served,upstream,line",
    [
        ("gpt-4o", None, ""),
        (None, None, ""),
        ("gpt-4o-2024-08-06", None, "answered by gpt-4o-2024-08-06"),
        ("gpt-4o", "Azure", "answered by gpt-4o at Azure"),
        (None, "Azure", "answered by a model that is not reported at Azure"),
        ("tiny", None, "answered by tiny, not the model asked for"),
    ],
)
def test_an_attempt_says_who_answered(served: str | None, upstream: str | None, line: str) -> None:
    record = {"model_id": "openai/gpt-4o", "simulated": False, "served_model": served, "upstream": upstream}

    assert served_line(record) == line
    assert served_line({**record, "simulated": True}) == ""
