"""The database keeps what it is given, all or nothing, and refuses what is not its own in one line."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.errors import InputError
from runner.storage.store import Store
from tests.runner.hostile_files import make_hostile
from tests.runner.made_runs import make_run

any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=600)


@given(texts=st.lists(any_text, max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_kept_once_and_comes_back(store: Store, texts: list[str]) -> None:
    ids = [store.put_text(text) for text in [*texts, *texts]]

    assert [store.text(one) for one in ids] == [*texts, *texts]
    assert len(set(ids)) == len(set(texts))


def test_a_text_is_known_again_by_another_connection(store: Store) -> None:
    first = store.put_text("the same")

    with closing(Store.open(store.path)) as other:
        second = other.put_text("the same")

    assert first == second


def test_half_a_surrogate_pair_is_kept(store: Store) -> None:
    assert store.text(store.put_text("half \ud83d pair")) == "half \ud83d pair"


@pytest.mark.parametrize(
    "text, encoding",
    [
        pytest.param("short", "utf-8", id="short"),
        pytest.param("again and " * 100, "zstd", id="long"),
        pytest.param("", "utf-8", id="empty"),
    ],
)
def test_only_a_text_that_shrinks_is_compressed(store: Store, text: str, encoding: str) -> None:
    store.put_text(text)

    row = store.rows("SELECT encoding, bytes FROM texts")[0]
    assert (row["encoding"], row["bytes"]) == (encoding, len(text))


def test_a_column_that_cannot_hold_half_a_pair_says_so_and_loses_no_row(store: Store) -> None:
    make_run(store)

    store.update("runs", {"run_id": "r1"}, {"note": "a plug-in's \ud83d, and \u00e9"})

    assert store.rows("SELECT note FROM runs")[0]["note"] == "a plug-in's ?, and \u00e9"


def test_of_many_rows_none_is_lost_for_half_a_pair_either(store: Store) -> None:
    make_run(store)

    store.insert_many("cases", ("run_id", "case_id", "position", "digest"), [("r1", "half \ud83d", 7, "d")])

    assert [row["case_id"] for row in store.rows("SELECT case_id FROM cases WHERE position = 7")] == ["half ?"]


def test_what_no_column_holds_is_found_nowhere(store: Store) -> None:
    make_run(store)

    assert store.rows("SELECT * FROM runs WHERE run_id = ?", "r1\udcff") == []
    assert list(store.stream("SELECT * FROM runs WHERE run_id = ?", "r1\udcff")) == []
    assert store.execute("DELETE FROM runs WHERE run_id = ?", "r1\udcff") == 0


def test_no_text_is_no_row(store: Store) -> None:
    assert store.put_text(None) is None
    assert store.text(None) is None


def test_a_transaction_is_all_or_nothing(store: Store) -> None:
    make_run(store)

    def failing() -> None:
        store.put_text("gone with it")
        store.update("runs", {"run_id": "r1"}, {"note": "gone with it"})
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), store.transaction():
        failing()

    assert store.rows("SELECT note FROM runs")[0]["note"] is None
    assert store.rows("SELECT count(*) FROM texts")[0][0] == 0
    assert store.text(store.put_text("gone with it")) == "gone with it"


def test_an_error_within_a_transaction_leaves_the_connection_usable(store: Store) -> None:
    with pytest.raises(sqlite3.IntegrityError), store.transaction():
        store.insert("answers", {"lane_id": 99})

    make_run(store)
    assert len(store.rows("SELECT * FROM runs")) == 1


def test_a_reader_sees_what_is_committed_while_another_writes(store: Store) -> None:
    make_run(store)

    with closing(Store.open(store.path)) as reader, store.transaction():
        store.update("runs", {"run_id": "r1"}, {"note": "not yet"})
        seen = reader.rows("SELECT note FROM runs")[0]["note"]

    assert seen is None


def test_a_full_disk_is_told_in_one_line(store: Store) -> None:
    pages = store.rows("PRAGMA page_count")[0][0]
    store.execute(f"PRAGMA max_page_count = {pages}")

    with pytest.raises(InputError) as refused, store.transaction():
        store.insert("texts", {"digest": "d", "encoding": "utf-8", "bytes": 10**6, "content": b"x" * 10**6})

    assert str(refused.value).startswith(f"{store.path}: cannot be written")
    assert store.rows("SELECT count(*) FROM texts")[0][0] == 0


def test_rows_that_are_there_already_stay_or_are_replaced(store: Store) -> None:
    make_run(store)
    columns = ("run_id", "case_id", "position", "digest")

    store.insert_many("cases", columns, [("r1", "a", 5, "new"), ("r1", "c", 6, "new")])

    digests = {row["case_id"]: row["digest"] for row in store.rows("SELECT * FROM cases")}
    assert digests == {"a": "digest of a", "b": "digest of b", "c": "new"}


def test_a_database_is_opened_again_with_all_that_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    with closing(Store.open(path)) as first:
        make_run(first)

    with closing(Store.open(path, create=False)) as again:
        runs = again.rows("SELECT run_id FROM runs")

    assert [row["run_id"] for row in runs] == ["r1"]
    assert [file.name for file in tmp_path.iterdir()] == ["evals.db"]


def strangers(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE birds (name TEXT)")


def strangers_by_the_same_library(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE birds (name TEXT)")
        other.execute("CREATE TABLE _sqlite_migrations (migration_set TEXT, name TEXT, applied_at TEXT)")
        other.execute("INSERT INTO _sqlite_migrations VALUES ('birds', 'm1', '')")
        other.commit()


def newer(path: Path) -> None:
    Store.open(path).close()
    with closing(sqlite3.connect(path)) as other:
        other.execute("INSERT INTO _sqlite_migrations (migration_set, name) VALUES ('evals', 'm999_tomorrow')")
        other.commit()


@pytest.mark.parametrize(
    "make, told",
    [
        pytest.param(strangers, "not one of evals", id="another program's"),
        pytest.param(strangers_by_the_same_library, "not one of evals", id="another program's, with migrations"),
        pytest.param(newer, "newer version of evals (m999_tomorrow)", id="newer"),
        pytest.param(lambda path: path.write_text("words " * 200), "cannot be opened", id="no database"),
        pytest.param(Path.mkdir, "cannot be opened", id="a folder"),
    ],
)
def test_what_is_not_ours_is_refused_in_one_line_and_left_as_it_is(
    tmp_path: Path, make: Callable[[Path], object], told: str
) -> None:
    path = tmp_path / "other.db"
    make(path)
    before = path.read_bytes() if path.is_file() else b""

    with pytest.raises(InputError, match="--db") as refused:
        Store.open(path)

    assert told in str(refused.value)
    assert "\n" not in str(refused.value)
    assert (path.read_bytes() if path.is_file() else b"") == before


@pytest.mark.parametrize("create", [True, False])
def test_a_folder_that_is_not_there_is_told(tmp_path: Path, create: bool) -> None:
    with pytest.raises(InputError, match="--db"):
        Store.open(tmp_path / "nowhere" / "evals.db", create=create)


def test_a_missing_database_is_not_made_by_who_only_reads(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"

    with pytest.raises(InputError, match="no such database"):
        Store.open(path, create=False)

    assert not path.exists()


def test_a_database_whose_making_was_cut_short_is_made_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    with closing(sqlite3.connect(path)) as cut:
        cut.execute("CREATE TABLE _sqlite_migrations (migration_set TEXT, name TEXT, applied_at TEXT)")

    with closing(Store.open(path)) as opened:
        make_run(opened)

        assert len(opened.rows("SELECT * FROM runs")) == 1


@pytest.mark.parametrize(
    "place", [pytest.param("nowhere/evals.db", id="no folder"), pytest.param(".", id="a folder itself")]
)
def test_where_nothing_can_be_written_is_told_before_a_run(tmp_path: Path, place: str) -> None:
    with pytest.raises(InputError, match="--db"):
        Store.refuse_unwritable(tmp_path / place)


def test_asking_whether_it_can_be_written_writes_nothing(tmp_path: Path) -> None:
    Store.refuse_unwritable(tmp_path / "evals.db")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["a pipe", "a link to an endless device"])
def test_what_is_no_regular_file_is_no_database(kind: str, tmp_path: Path) -> None:
    path = make_hostile(kind, tmp_path / "evals.db")

    with pytest.raises(InputError, match=r"evals\.db: cannot be opened as a database \(not a regular file\)"):
        Store.open(path)


def test_pages_that_are_damaged_are_one_line_when_they_are_read(store: Store) -> None:
    draw = random.Random(0)
    text_id = [store.put_text(draw.randbytes(9000).hex()) for _ in range(40)][-1]
    store.close()
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[: len(whole) // 2] + b"\xff" * (len(whole) - len(whole) // 2))

    with closing(Store.open(store.path)) as damaged, pytest.raises(InputError, match=r"evals\.db: is damaged"):
        damaged.text(text_id)


def test_a_column_that_is_no_utf8_is_one_line(store: Store) -> None:
    make_run(store)
    store.execute("UPDATE runs SET name = CAST(x'ff' AS TEXT)")

    with pytest.raises(InputError, match=r"evals\.db: is damaged"):
        store.rows("SELECT name FROM runs")
