"""What a database remembers of verdicts, and what it takes back."""

from pathlib import Path

import pytest

from runner.execution.verdicts import VerdictKind
from runner.records import Outcome
from runner.run.unjudged import forget_infra, infra_count, judged_code
from runner.run.verdict_cache import remembered, remembered_in
from runner.storage.rows import to_json
from runner.storage.runs import find_run
from runner.storage.store import Store
from tests.runner.made_runs import Made, make_run, plan


@pytest.fixture
def made(store: Store) -> Made:
    make_run(store, planned=plan(suite="completion"))
    return Made(store)


def judged(made: Made, number: int, **outcomes: Outcome) -> int:
    """An answer whose filling by each chain was judged so; its id."""
    answer = made.answer(made.lane("a"), number)
    endings = {Outcome.SOLVED: VerdictKind.PASS, Outcome.UNSOLVED: VerdictKind.FAIL, Outcome.INFRA: VerdictKind.INFRA}
    for chain, outcome in outcomes.items():
        key = f"key {number} {chain}"
        detail = {"key": key, "verdict": endings.get(outcome), "failing": None, "seconds": 1.0, "log": ""}
        made.scoring(answer, outcome, {"pass": float(outcome.solved)}, parser=chain, detail=to_json(detail))
    return answer


def test_of_an_answer_that_one_chain_waits_for_every_scoring_is_taken_back(made: Made) -> None:
    whole = judged(made, 1, raw=Outcome.SOLVED, repaired=Outcome.UNSOLVED)
    judged(made, 2, raw=Outcome.SOLVED, repaired=Outcome.INFRA)

    forget_infra(made.store, made.run_id)

    assert {row["answer_id"] for row in made.store.rows("SELECT answer_id FROM scorings")} == {whole}
    assert len(made.store.rows("SELECT * FROM scores")) == 2


def test_verdicts_are_remembered_by_their_keys_and_none_where_the_judge_broke_off(made: Made) -> None:
    judged(made, 1, raw=Outcome.SOLVED, repaired=Outcome.UNSOLVED)
    judged(made, 2, raw=Outcome.INFRA, repaired=Outcome.UNTESTED)

    known = remembered(made.store, "completion")

    verdicts = {
        f"{number} {chain}": known.get(f"key {number} {chain}") for number in (1, 2) for chain in ("raw", "repaired")
    }
    assert {name: each and each.outcome for name, each in verdicts.items()} == {
        "1 raw": VerdictKind.PASS,
        "1 repaired": VerdictKind.FAIL,
        "2 raw": None,
        "2 repaired": None,
    }


def test_a_database_is_asked_for_its_verdicts_where_there_is_one(made: Made, tmp_path: Path) -> None:
    judged(made, 1, raw=Outcome.SOLVED)

    known = remembered_in(made.store.path, "completion").get("key 1 raw")

    assert known is not None
    assert known.outcome is VerdictKind.PASS
    assert remembered_in(made.store.path, "edit").get("key 1 raw") is None
    assert remembered_in(tmp_path / "none.db", "completion").get("key 1 raw") is None
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("code, left", [(0, 3), (1, 3), (130, 130)])
def test_a_run_whose_answers_wait_for_the_judge_can_go_on(made: Made, code: int, left: int) -> None:
    judged(made, 1, raw=Outcome.INFRA, repaired=Outcome.INFRA)

    assert infra_count(made.store, made.run_id) == 1
    assert judged_code(made.store, made.run_id, code) == left
    assert find_run(made.store, made.run_id)["state"] != "complete"


def test_a_run_that_was_judged_ends_as_it_ended(made: Made) -> None:
    judged(made, 1, raw=Outcome.SOLVED)

    assert judged_code(made.store, made.run_id, 0) == 0
