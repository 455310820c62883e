"""A run is begun once, goes on under its id, and is found by it, by a part of it, or as the latest."""

from pathlib import Path

import pytest

from runner.digests import algorithm_digest, parser_digest
from runner.errors import InputError
from runner.records import Outcome
from runner.run.engine import Lane
from runner.run.lanes import resume_lanes
from runner.storage.ledger import LaneKey
from runner.storage.runs import CaseRow, RunPlan, begin, choose_run, find_run, finish, list_runs, new_run_id, utc_now
from runner.storage.store import Store
from tests.runner.made_runs import SUT, UTC, Made, make_run, plan, variant


def refused(store: Store, run_id: str, planned: RunPlan) -> str:
    with pytest.raises(InputError) as error:
        begin(store, run_id, planned, UTC)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_run_is_written_down_before_anything_is_asked(store: Store) -> None:
    planned = plan(cases=["a", CaseRow("b", "d", skipped="too long")], variants=[variant(), variant(algorithm="v1")])

    was_there = begin(store, "r1", planned, UTC)

    run = find_run(store, "r1")
    assert not was_there
    assert (run["state"], run["created_at"], run["finished_at"], run["suite"]) == ("running", UTC, None, "diff_edit")
    assert [row["diff_algorithm"] for row in store.rows("SELECT * FROM variants ORDER BY position")] == ["v4", "v1"]
    assert [row["skipped"] for row in store.rows("SELECT * FROM cases ORDER BY position")] == [None, "too long"]


def test_a_variants_signature_names_all_that_its_numbers_depend_on(store: Store) -> None:
    make_run(store)

    signature = store.rows("SELECT signature FROM variants")[0][0]
    assert signature == (
        "diff_edit|test/scripted|basic@11111111|xml-tools-v2@22222222|v4@33333333|cases@cccccccccccc|0.0.0"
    )


def test_the_same_run_goes_on_with_a_new_quota(store: Store) -> None:
    begin(store, "r1", plan(quota=1), UTC)
    finish(store, "r1", UTC, complete=True)

    was_there = begin(store, "r1", plan(quota=3), UTC)

    run = find_run(store, "r1")
    assert was_there
    assert (run["state"], run["finished_at"]) == ("running", None)
    assert '"valid_attempts_per_case":3' in run["config"]
    assert len(store.rows("SELECT * FROM cases")) == 2


@pytest.mark.parametrize(
    "now, told",
    [
        pytest.param({"seed": 2}, "seed was 1, is 2", id="changed"),
        pytest.param({"seed": 1, "new": [1, 2]}, "new was None, is [1, 2]", id="added"),
        pytest.param({}, "seed was 1, is None", id="left out"),
    ],
)
def test_another_configuration_is_refused_with_the_difference(store: Store, now: dict[str, object], told: str) -> None:
    begin(store, "r1", plan(seed=1), UTC)

    line = refused(store, "r1", plan(**now))  # type: ignore[arg-type]  # an identity

    assert told in line
    assert "leave --run-id out" in line


def test_what_json_makes_of_an_identity_is_no_difference(store: Store) -> None:
    begin(store, "r1", plan(names=("a", "b")), UTC)

    assert begin(store, "r1", plan(names=("a", "b")), UTC)


def test_a_run_recorded_with_an_earlier_digest_of_the_same_behaviour_goes_on(store: Store) -> None:
    earlier = "xml-tools-v2@6f645d27"
    begin(store, "r1", plan(parser=earlier, diff_apply=["v3@16f9e2be"]), UTC)

    parser, algorithm = f"xml-tools-v2@{parser_digest('xml-tools-v2')}", f"v3@{algorithm_digest('v3')}"

    assert parser != earlier
    assert begin(store, "r1", plan(parser=parser, diff_apply=[algorithm]), UTC)
    assert parser in find_run(store, "r1")["config"]


def test_a_replay_is_not_gone_on_with_as_if_it_were_a_run(store: Store) -> None:
    make_run(store, "r1")
    make_run(store, "r2")
    store.update("runs", {"run_id": "r2"}, {"replay_of": "r1"})

    assert "is a replay" in refused(store, "r2", plan())


def test_no_run_is_called_latest(store: Store) -> None:
    assert "call this one otherwise" in refused(store, "latest", plan())


def test_no_run_is_called_what_no_database_can_hold(store: Store) -> None:
    assert "is no text in UTF-8; call the run otherwise" in refused(store, "r\udcff", plan())


@pytest.mark.parametrize(
    "wanted, found",
    [
        pytest.param("abc1", "abc1", id="its id"),
        pytest.param("abc", "abc", id="its id, though others begin so"),
        pytest.param("x", "xyz", id="a prefix"),
        pytest.param("latest", "abc", id="the latest"),
    ],
)
def test_a_run_is_found(store: Store, wanted: str, found: str) -> None:
    for minute, run_id in enumerate(["xyz", "abc1", "abc2", "abc"]):
        make_run(store, run_id, utc=f"2026-01-01T00:0{minute}:00.000")

    assert find_run(store, wanted)["run_id"] == found


@pytest.mark.parametrize(
    "wanted, told",
    [
        pytest.param("ab", "begins several ids (abc1, abc2)", id="several"),
        pytest.param("z", "there is none", id="none"),
        pytest.param("", "there is none", id="no name"),
        pytest.param("%", "there is none", id="no pattern"),
        pytest.param("a_c1", "there is none", id="no pattern either"),
        pytest.param("abc1\udcff", "there is none", id="no UTF-8"),
    ],
)
def test_a_run_that_is_not_told_apart_is_refused(store: Store, wanted: str, told: str) -> None:
    make_run(store, "abc1")
    make_run(store, "abc2")

    with pytest.raises(InputError) as error:
        find_run(store, wanted)

    assert told in str(error.value)


def test_of_runs_of_one_moment_the_later_is_the_latest(store: Store) -> None:
    make_run(store, "first")
    make_run(store, "second")

    assert find_run(store, "latest")["run_id"] == "second"


def test_a_database_without_a_run_has_no_latest(store: Store) -> None:
    with pytest.raises(InputError, match="evals diff"):
        find_run(store, "latest")


def test_runs_are_listed_newest_first_with_what_they_hold(store: Store) -> None:
    make_run(store, "old", utc="2026-01-01T00:00:00.000")
    make_run(store, "new", utc="2026-01-02T00:00:00.000")
    Made(store, "old").attempt("a", 1, Outcome.APPLIED)
    finish(store, "old", UTC, complete=False)

    rows = list_runs(store)

    assert [(row["run_id"], row["state"], row["attempts"]) for row in rows] == [
        ("new", "running", 0),
        ("old", "incomplete", 1),
    ]


def test_lanes_take_over_what_earlier_sessions_finished(store: Store) -> None:
    make_run(store)
    made = Made(store)
    made.attempt("a", 1, Outcome.APPLIED)
    made.attempt("a", 3, Outcome.NO_CALL)
    made.answer(made.lane("a"), 4, None, outcome="sut_error")
    made.attempt("b", 1, Outcome.CRASHED)
    lanes = {name: Lane(LaneKey(SUT, "basic", name), quota=3, cap=9) for name in "abc"}

    resume_lanes(store, "r1", lanes.values())

    assert (lanes["a"].valid, lanes["a"].invalid, lanes["a"].next_number) == (1, 1, 4)
    assert list(lanes["a"].again) == [2]
    assert (lanes["b"].valid, lanes["b"].invalid) == (1, 0)
    assert lanes["c"].next_number == 1


def test_an_answer_scored_by_several_algorithms_counts_once(store: Store) -> None:
    make_run(store)
    made = Made(store)
    answer_id = made.answer(made.lane("a"))
    made.scoring(answer_id, Outcome.CRASHED, diff_algorithm="v1")
    made.scoring(answer_id, Outcome.APPLIED, diff_algorithm="v4")
    lane = Lane(LaneKey(SUT, "basic", "a"), quota=3, cap=9)

    resume_lanes(store, "r1", [lane])

    assert (lane.valid, lane.invalid) == (1, 0)


def test_scorings_of_a_replay_fill_no_lane(store: Store) -> None:
    make_run(store, "r1")
    make_run(store, "r2")
    answer_id = Made(store, "r1").answer(Made(store, "r1").lane("a"))
    Made(store, "r2").scoring(answer_id, Outcome.APPLIED)
    lane = Lane(LaneKey(SUT, "basic", "a"), quota=1, cap=9)

    resume_lanes(store, "r1", [lane])

    assert lane.next_number == 1


def test_choosing_a_run_writes_nothing(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"

    chosen = choose_run(db, plan(), "mine", "")

    assert chosen == "mine"
    assert not db.exists()


def test_a_run_to_resume_is_the_one_that_is_found(store: Store) -> None:
    make_run(store, "r1")

    assert choose_run(store.path, plan(), "", "latest") == "r1"
    with pytest.raises(InputError, match="is another run"):
        choose_run(store.path, plan(seed=9), "", "latest")


def test_ids_and_times_are_short_and_plain() -> None:
    assert len({new_run_id() for _ in range(100)}) == 100
    assert all(len(run_id) == 8 and set(run_id) <= set("0123456789abcdef") for run_id in (new_run_id(),))
    assert len(utc_now()) == len(UTC)
