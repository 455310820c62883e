"""What a report says of requests of agents that servers refused, or whose tokens are unknown."""

import json

import pytest

from runner.records import Outcome
from runner.report.agent_notes import agent_notes
from runner.storage.store import Store
from tests.runner.made_runs import Made, make_run


@pytest.mark.parametrize(
    "figures, said",
    [
        pytest.param([{"refused": 1, "uncounted": 0}, {"refused": 2, "uncounted": 0}], ["over all attempts: 3"]),
        pytest.param([{"refused": 0, "uncounted": 4}], ["4 answers"]),
        pytest.param([{"refused": 0, "uncounted": 0}], []),
        pytest.param([], []),
    ],
)
def test_refusals_and_unknown_tokens_are_sums_over_all_attempts(
    store: Store, figures: list[dict[str, int]], said: list[str]
) -> None:
    make_run(store)
    made = Made(store)
    for number, counts in enumerate(figures, 1):
        made.scoring(made.answer(made.lane("a"), number), Outcome.NO_ANSWER, detail=json.dumps({"agent": counts}))

    notes = list(agent_notes(store, made.run_id))

    assert len(notes) == len(said)
    assert all(part in note for part, note in zip(said, notes, strict=True))


def test_an_attempt_that_several_parsers_read_counts_once_and_its_simulated_model_is_named(store: Store) -> None:
    make_run(store)
    made = Made(store)
    answer = made.answer(made.lane("a"), 1)
    figures = {"refused": 2, "models": ["simulated-any", "other"]}
    for parser in ("raw", "repaired"):
        made.scoring(answer, Outcome.NO_ANSWER, parser=parser, detail=json.dumps({"agent": figures}))

    simulated, refused = agent_notes(store, made.run_id)

    assert simulated == "simulated-any answered agents; simulated: no number here is a real model's"
    assert refused.endswith("over all attempts: 2")
