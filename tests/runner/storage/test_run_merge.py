"""Databases that are merged: nothing is lost, nothing is there twice, and nothing is mixed."""

from contextlib import closing
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.records import Outcome
from runner.storage.lane_merge import LANE_TABLES
from runner.storage.run_lock import claimed
from runner.storage.run_merge import RUN_TABLES, merge_databases, merged_runs
from runner.storage.runs import RunPlan
from runner.storage.shards import note_shard, refuse_other_shards
from runner.storage.store import Store, Value
from tests.runner.made_runs import SUT, Made, make_run, plan

# What no other table is made from; the tallies are kept by triggers.
_NOT_MERGED = {"batches", "batch_lines", "kept_figures", "_sqlite_migrations"}
_ALSO = {"runs", "texts", "scoring_tallies", "answer_tallies", *_NOT_MERGED}


def _database(path: Path, case: str, planned: RunPlan | None = None, shard: int = 1, run_id: str = "r1") -> Path:
    """Make a database with one shard of a run of two; the shard has one attempt, at this case."""
    with closing(Store.open(path)) as store:
        make_run(store, run_id, planned)
        made = Made(store, run_id)
        with store.transaction():
            answer_id = made.answer(made.lane(case, state="full"), text=f"about {case}")
            made.scoring(answer_id, Outcome.APPLIED, {"exact": 1.0})
            store.insert("calls", {"answer_id": answer_id, "retry": 0, "sent_at": "2026", "outcome": "answered"})
            stream: dict[str, Value] = {
                "wire": "w",
                "codec": "c",
                "pieces": 1,
                "bytes": 3,
                "data": f"bytes of {case}".encode(),
            }
            store.insert("streams", {"answer_id": answer_id, **stream})
        note_shard(store, run_id, shard, 2, complete=True)
    return path


def _merge(out: Path, *paths: Path) -> tuple[list[int], list[str]]:
    """The answers that each database added, and the states of the runs."""
    with closing(Store.open(out)) as store:
        answers = [merged.answers for merged in merge_databases(store, paths)]
        return answers, [run.state for run in merged_runs(store)]


def _content(path: Path) -> list[tuple[object, ...]]:
    sql = """
        SELECT l.case_id, l.state, a.number, a.outcome, s.outcome, s.valid, m.metric, m.value, c.outcome, b.data
        FROM lanes l JOIN answers a USING (lane_id) JOIN scorings s USING (answer_id) JOIN scores m USING (scoring_id)
        JOIN calls c USING (answer_id) JOIN streams b USING (answer_id) ORDER BY l.case_id"""
    with closing(Store.open(path)) as store:
        return [tuple(row) for row in store.rows(sql)]


def test_two_shards_become_the_run(tmp_path: Path) -> None:
    first, second = _database(tmp_path / "1.db", "a"), _database(tmp_path / "2.db", "b", shard=2)

    added, states = _merge(tmp_path / "all.db", first, second)

    assert (added, states) == ([1, 1], ["complete"])
    assert _content(tmp_path / "all.db") == sorted([*_content(first), *_content(second)])
    with closing(Store.open(tmp_path / "all.db")) as store:
        texts = [store.text(row["text_id"]) for row in store.rows("SELECT text_id FROM answers ORDER BY answer_id")]
    assert texts == ["about a", "about b"]


def test_a_run_whose_shard_is_missing_is_incomplete(tmp_path: Path) -> None:
    _merge(tmp_path / "all.db", _database(tmp_path / "2.db", "b", shard=2))

    with closing(Store.open(tmp_path / "all.db")) as store:
        (run,) = merged_runs(store)
    assert (run.state, run.missing) == ("incomplete", ("1/2",))


def test_to_merge_again_changes_nothing(tmp_path: Path) -> None:
    paths = [_database(tmp_path / "1.db", "a"), _database(tmp_path / "2.db", "b", shard=2)]
    _merge(tmp_path / "all.db", *paths)
    before = _content(tmp_path / "all.db")

    added, _ = _merge(tmp_path / "all.db", *paths)

    assert added == [0, 0]
    assert _content(tmp_path / "all.db") == before


def test_a_request_that_ended_since_is_brought_up_to_date(tmp_path: Path) -> None:
    path = _database(tmp_path / "1.db", "a")
    with closing(Store.open(path)) as store, store.transaction():
        store.execute("UPDATE answers SET outcome = 'in_flight'")
        store.execute("UPDATE calls SET outcome = 'in_flight'")
    _merge(tmp_path / "all.db", path)
    with closing(Store.open(path)) as store, store.transaction():
        store.execute("UPDATE answers SET outcome = 'answered'")
        store.execute("UPDATE calls SET outcome = 'answered'")

    added, _ = _merge(tmp_path / "all.db", path)

    assert added == [0]
    assert _content(tmp_path / "all.db") == _content(path)


def test_a_result_that_was_judged_since_replaces_one_without_a_verdict(tmp_path: Path) -> None:
    path = _database(tmp_path / "1.db", "a")
    with closing(Store.open(path)) as store, store.transaction():
        store.execute("UPDATE scorings SET outcome = 'infra'")
    _merge(tmp_path / "all.db", path)
    with closing(Store.open(path)) as store, store.transaction():
        store.execute("UPDATE scorings SET outcome = 'solved'")

    _merge(tmp_path / "all.db", path)

    assert _content(tmp_path / "all.db") == _content(path)


@pytest.mark.parametrize(
    "planned, run_id, words",
    [
        pytest.param(plan(temperature=1), "r1", "temperature is None and 1", id="another option"),
        pytest.param(plan(quota=2), "r1", "valid_attempts_per_case is 1 and 2", id="another quota"),
        pytest.param(plan(suite="codrep"), "r1", "suite is 'diff_edit' and 'codrep'", id="another suite"),
        pytest.param(plan(temperature=1), "r2", "temperature is None and 1", id="a shard of another run"),
    ],
)
def test_mixed_configurations_are_refused_before_anything_is_written(
    tmp_path: Path, planned: RunPlan, run_id: str, words: str
) -> None:
    first, second = _database(tmp_path / "1.db", "a"), _database(tmp_path / "2.db", "b", planned, 2, run_id)

    with pytest.raises(InputError, match=words):
        _merge(tmp_path / "all.db", first, second)

    with closing(Store.open(tmp_path / "all.db")) as store:
        assert store.rows("SELECT * FROM runs") == []


def test_an_attempt_that_two_databases_made_is_refused(tmp_path: Path) -> None:
    first, second = _database(tmp_path / "1.db", "a"), _database(tmp_path / "2.db", "a", shard=2)
    with closing(Store.open(second)) as store, store.transaction():
        store.execute("UPDATE answers SET sent_at = '2027'")

    with pytest.raises(InputError, match=f"attempt 1 at a by {SUT} was made in another database as well"):
        _merge(tmp_path / "all.db", first, second)


def test_a_run_that_is_at_work_is_not_merged(tmp_path: Path) -> None:
    path = _database(tmp_path / "1.db", "a")

    with claimed(path, "r1"), pytest.raises(InputError, match="another process is at work"):
        _merge(tmp_path / "all.db", path)


def test_a_database_is_not_filled_by_shards_of_two_sizes(tmp_path: Path) -> None:
    with closing(Store.open(_database(tmp_path / "1.db", "a"))) as store:
        refuse_other_shards(store, "r1", 2)
        with pytest.raises(InputError, match="in 2 shards, not in 3"):
            refuse_other_shards(store, "r1", 3)


def test_every_table_is_merged_or_made_from_one_that_is(store: Store) -> None:
    tables = {row[0] for row in store.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}

    assert tables == {*RUN_TABLES, *LANE_TABLES, *_ALSO}
