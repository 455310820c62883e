"""Runs drawn at random: all that attempts can be, in few cases, so that everything meets everything."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from runner.records import Outcome
from runner.storage.store import Store, Value
from tests.runner.made_runs import Made, make_run, plan, variant

SUTS, ALGORITHMS = ("one/model", "other/model"), ("v3", "v4")
_OUTCOMES = {
    "edits": (Outcome.APPLIED, Outcome.APPLIED, Outcome.NO_MATCH, Outcome.NO_CALL, Outcome.CRASHED),
    "tests": (Outcome.SOLVED, Outcome.SOLVED, Outcome.UNSOLVED, Outcome.UNTESTED, Outcome.OTHER_TOOL, Outcome.INFRA),
}


def draw_run(store: Store, seed: int, run_id: str = "r1") -> None:
    """Draw a run of two systems and two algorithms that score the same answers."""
    random = Random(seed)
    outcomes = _OUTCOMES[random.choice(sorted(_OUTCOMES))]
    cases = "abcdef"[: random.randint(1, 6)]
    variants = [variant(sut, algorithm=algorithm) for sut in SUTS for algorithm in ALGORITHMS]
    make_run(store, run_id, plan(cases=cases, variants=variants, quota=random.randint(1, 3)))
    made = Made(store, run_id)
    with store.transaction():
        for case_id in cases:
            for sut in SUTS:
                _draw_lane(made, random, made.lane(case_id, sut), outcomes)


def draw_replay(store: Store, seed: int, of: str, run_id: str) -> None:
    """Draw a replay of most answers of a run, by one algorithm."""
    random = Random(seed)
    outcomes = _OUTCOMES[random.choice(sorted(_OUTCOMES))]
    planned = plan(cases=(), variants=[variant(sut, algorithm=ALGORITHMS[1]) for sut in SUTS])
    make_run(store, run_id, replace(planned, replay_of=of))
    made = Made(store, run_id)
    with store.transaction():
        for row in store.rows("SELECT answer_id FROM answers JOIN lanes USING (lane_id) WHERE run_id = ?", of):
            _draw_scoring(made, random, row["answer_id"], ALGORITHMS[1], outcomes)


def _draw_lane(made: Made, random: Random, lane_id: int, outcomes: Sequence[Outcome]) -> None:
    attempts = random.randint(0, 5)
    questions = random.choice([[(0, "")], [(1, "fill"), (1, "recommend"), (2, "fill")]])
    if random.random() < 0.3:
        made.store.update("lanes", {"lane_id": lane_id}, {"settled_at": max(1, attempts)})
        outcomes = [outcome for outcome in outcomes if not outcome.valid]
    for number in range(1, attempts + 1):
        for step, mode in questions:
            tries = random.choice([1, 1, 2])
            for attempt in range(1, tries + 1):
                question: dict[str, Any] = {"step": step, "mode": mode, "try": attempt}
                answer = made.answer(lane_id, number, **_answer(random), **question)
                for algorithm in ALGORITHMS:
                    _draw_scoring(made, random, answer, algorithm, outcomes)


def _answer(random: Random) -> dict[str, Any]:
    def sometimes(value: Value) -> Value:
        return value if random.random() < 0.8 else None

    return {
        "first_token_ms": sometimes(random.uniform(1, 500)),
        "first_edit_ms": sometimes(random.uniform(1, 500)),
        "round_trip_ms": random.uniform(500, 900),
        "input_tokens": sometimes(random.randint(0, 10_000)),
        "output_tokens": sometimes(random.randint(0, 900)),
        "provider_cost_usd": random.uniform(0, 0.1),
        "served_model": sometimes(random.choice(["x", "y"])),
        "upstream": sometimes(random.choice(["p", "q"])),
    }


def _draw_scoring(made: Made, random: Random, answer: int, algorithm: str, outcomes: Sequence[Outcome]) -> None:
    if random.random() < 0.05:
        return
    outcome = random.choice(outcomes)
    solved = outcome is Outcome.APPLIED
    made.scoring(
        answer,
        outcome,
        {metric: random.uniform(low, 2) for metric, low in (("bleu", 0), ("gain", -2)) if random.random() < 0.7},
        diff_algorithm=algorithm,
        equals_expected=random.choice([True, False, None]) if solved else None,
        num_edits=random.choice([None, 1, 2, 3, 4]),
        parses_after=random.choice([True, False, None]) if solved else None,
    )
