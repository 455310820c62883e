"""Each page of a database damaged in turn: every command ends with one line, or does not need the page."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.storage.store import Store, damage_behind
from tests.runner.cli.conftest import Call

PAGE = 8192


@pytest.fixture
def sound(tmp_path: Path, call: Call) -> Path:
    db = tmp_path / "sound.db"
    words = ("--model-ids", "sim/any?time=virtual&valid=0.7", "--max-cases", 2, "-n", 2, "--run-id", "r", "--json")
    assert call("diff", *words, "--db", db).code == 0
    return db


def zeros(page: bytes) -> bytes:
    return bytes(len(page))


def inverted(page: bytes) -> bytes:
    return bytes(byte ^ 0xFF for byte in page)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("report", "r"), id="report"),
        pytest.param(("export", "r"), id="export"),
        pytest.param(("replay", "--run-id", "r"), id="replay"),
        pytest.param(("replay", "--run-id", "r", "--from-stream"), id="replay from streams"),
        pytest.param(("runs", "--sizes"), id="runs"),
        pytest.param(("cost", "r"), id="cost"),
        pytest.param(("rescore", "r", "--metrics", "es-token"), id="rescore"),
        pytest.param(("show", "r", "CASE"), id="show"),
    ],
)
def test_a_damaged_page_is_one_line(sound: Path, tmp_path: Path, call: Call, words: tuple[str, ...]) -> None:
    with closing(sqlite3.connect(sound)) as connection:
        (case,) = connection.execute("SELECT case_id FROM lanes").fetchone()
    content = sound.read_bytes()
    db, refused = tmp_path / "damaged.db", 0

    for start in range(0, len(content), PAGE):
        damage = zeros if start // PAGE % 2 else inverted
        for leftover in tmp_path.glob("damaged.db*"):
            leftover.unlink()
        db.write_bytes(content[:start] + damage(content[start : start + PAGE]) + content[start + PAGE :])

        done = call(*(case if word == "CASE" else word for word in words), "--db", db)

        assert done.code in {0, 1, 2}
        if done.code == 2:
            refused += 1
            assert done.err.startswith("evals: ")
            assert done.err.count("\n") == 1
            assert "damaged.db" in done.err

    assert refused >= 3


def test_an_error_is_explained_by_the_damage_of_the_file_it_comes_from(sound: Path) -> None:
    bug = KeyError("a bug")
    content = sound.read_bytes()

    assert damage_behind(bug, sound) is None

    sound.write_bytes(content[: 3 * PAGE] + zeros(content[:PAGE]) + content[4 * PAGE :])

    explained = damage_behind(bug, sound)
    assert isinstance(explained, InputError)
    assert "is damaged" in str(explained)
    assert "\n" not in str(explained)


def test_a_statement_that_finds_a_broken_disk_is_explained_by_it(store: Store) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("PRAGMA max_page_count = 1")
        with pytest.raises(sqlite3.OperationalError) as full:
            other.execute("CREATE TABLE more (a)")

    assert "is full" in str(damage_behind(full.value, store.path))
