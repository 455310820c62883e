"""A database that somebody else made is data: nothing in it runs, and what could run is refused in one line."""

import hashlib
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.run.replay import rereader_of
from runner.run.resolve import choose_wires, stored_wire
from runner.storage.rows import config_of, detail_of
from runner.storage.runs import find_run
from runner.storage.store import Store
from suts.wires import WIRES
from tests import in_process
from tests.runner.made_runs import make_run
from tests.runner.real_runs import real_run
from tests.runner.suites.made_cases import block, call

ROOT = Path(__file__).parents[3]
SIMULATED = ("sim/careful?time=virtual&valid=1",)
# Tells that it was imported, and has one of each kind.
PLUG_IN = """
from pathlib import Path
from diff_apply import DIFF_ALGORITHMS
from parsers import PARSERS
from suts.wires import WIRES

Path({place!r}).touch()
parser, algorithm, wire = PARSERS["xml-tools-v2"], DIFF_ALGORITHMS["v4"], WIRES["openai-chat"]
"""


def changed(path: Path, *statements: str) -> None:
    """Change a database as somebody with SQLite would."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def refused(call_: Callable[[], object]) -> str:
    with pytest.raises(InputError) as error:
        call_()
    assert "\n" not in str(error.value)
    return str(error.value)


def opened(path: Path) -> None:
    Store.open(path).close()


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "theirs.db"
    opened(path)
    return path


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that `evil_mod.py` in the current folder makes when it is imported."""
    folder = tmp_path / "folder"
    folder.mkdir()
    place = tmp_path / "ran"
    (folder / "evil_mod.py").write_text(PLUG_IN.format(place=str(place)), encoding="utf-8")
    monkeypatch.chdir(folder)
    # That of another test was another module.
    monkeypatch.delitem(sys.modules, "evil_mod", raising=False)
    return place


def evals(*words: str) -> in_process.Ended:
    return in_process.evals(*words, cwd=Path.cwd())


@pytest.mark.parametrize(
    "statement, told",
    [
        pytest.param(
            "CREATE TRIGGER spy AFTER INSERT ON runs BEGIN DELETE FROM texts; END", "a trigger 'spy'", id="a trigger"
        ),
        pytest.param("CREATE VIEW best AS SELECT 1", "a view 'best'", id="a view"),
        pytest.param("CREATE VIRTUAL TABLE found USING fts5(text)", "a virtual table 'found'", id="a virtual table"),
        pytest.param(
            "ALTER TABLE runs ADD COLUMN big AS (hex(zeroblob(9)))", "table 'runs' is not as", id="a generated column"
        ),
        pytest.param("ALTER TABLE texts ADD COLUMN mine TEXT", "table 'texts' is not as", id="a further column"),
        pytest.param("DROP VIEW attempts", "view 'attempts' is missing", id="a view that is missing"),
        pytest.param("DROP TABLE scores", "table 'scores' is missing", id="a table that is missing"),
    ],
)
def test_what_is_more_or_less_than_our_tables_is_refused_and_nothing_is_written(
    db: Path, statement: str, told: str
) -> None:
    changed(db, statement)
    before = hashlib.sha256(db.read_bytes()).hexdigest()

    line = refused(lambda: opened(db))

    assert line.startswith(f"{db}: it")
    assert told in line
    assert line.endswith(", or name another with --db")
    assert hashlib.sha256(db.read_bytes()).hexdigest() == before


def test_a_view_of_our_name_that_says_something_else_is_refused(db: Path) -> None:
    changed(db, "DROP VIEW infrastructure", "CREATE VIEW infrastructure AS SELECT 1 AS run_id")

    assert "its view 'infrastructure' is not as evals makes it" in refused(lambda: opened(db))


def test_sql_that_stands_under_another_kind_is_refused(db: Path) -> None:
    changed(
        db,
        "CREATE TRIGGER notes AFTER INSERT ON runs BEGIN DELETE FROM texts; END",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET type = 'table' WHERE name = 'notes'",
    )

    assert str(db) in refused(lambda: opened(db))


def test_a_trigger_that_waits_for_our_migrations_never_fires(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    changed(
        path,
        "CREATE TABLE _sqlite_migrations (id INTEGER PRIMARY KEY, migration_set TEXT, name TEXT, applied_at TEXT)",
        "CREATE TRIGGER spy AFTER INSERT ON _sqlite_migrations BEGIN DELETE FROM _sqlite_migrations; END",
    )

    assert "a trigger 'spy'" in refused(lambda: opened(path))


def test_tables_and_indexes_of_the_users_own_are_no_matter(db: Path) -> None:
    changed(
        db,
        "CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT UNIQUE)",
        "CREATE INDEX by_text ON notes (text)",
        "CREATE UNIQUE INDEX by_name ON runs (run_id, name)",
        "INSERT INTO notes (text) VALUES ('mine')",
        "ANALYZE",
    )

    opened(db)

    with closing(Store.open(db)) as store:
        assert [row["text"] for row in store.rows("SELECT text FROM notes")] == ["mine"]


def test_the_schema_of_a_file_may_call_no_function_with_side_effects(store: Store) -> None:
    assert store.rows("PRAGMA trusted_schema")[0][0] == 0


def test_no_extension_can_be_loaded(store: Store) -> None:
    with pytest.raises(sqlite3.OperationalError, match="not authorized"):
        store.rows("SELECT load_extension('/nowhere/evil.so')")


def test_a_wire_on_record_is_never_imported(store: Store, tmp_path: Path, planted: Path) -> None:
    real_run(store, tmp_path / "cases", {"a": [call(block("two", "TWO"))]})
    store.execute("UPDATE streams SET wire = 'evil_mod:wire'")
    run = find_run(store, "r1")

    line = refused(lambda: rereader_of(store, run, WIRES))

    assert line.endswith("name it yourself: --wire evil_mod:wire")
    assert not planted.exists()
    assert rereader_of(store, run, choose_wires(["evil_mod:wire"])).wires["evil_mod:wire"] is WIRES["openai-chat"]
    assert planted.exists()


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("replay", "--run-id", "theirs", "--from-stream"), id="replay"),
        pytest.param(("stream", "theirs", "py_lru_cache_peek", "1", "--speed", "0"), id="stream"),
    ],
)
def test_commands_that_read_bytes_again_import_a_wire_only_by_its_option(
    tmp_path: Path, planted: Path, words: tuple[str, ...]
) -> None:
    db, cases = tmp_path / "theirs.db", tmp_path / "cases"
    cases.mkdir()
    shutil.copy(ROOT / "cases" / "diff_edit" / "py_lru_cache_peek.json", cases)
    asked = evals("diff", "--cases", str(cases), "--model-ids", *SIMULATED, "--run-id", "theirs", "--db", str(db))
    with closing(sqlite3.connect(db)) as connection, connection:
        (wire,) = connection.execute("SELECT wire FROM streams").fetchone()
        connection.execute("UPDATE streams SET wire = 'evil_mod:wire'")
    (Path("evil_mod.py")).write_text(PLUG_IN.format(place=str(planted)).replace("openai-chat", wire))

    without = evals(*words, "--db", str(db))
    ran_without = planted.exists()
    named = evals(*words, "--wire", "evil_mod:wire", "--db", str(db))

    assert asked.returncode == 0
    assert (without.returncode, without.stderr.count("\n"), ran_without) == (2, 1, False)
    assert "name it yourself: --wire evil_mod:wire" in without.stderr
    assert (named.returncode, planted.exists()) == (0, True), named.stderr


@pytest.mark.parametrize(
    "field, attribute, option", [("parser",) * 2 + ("--parser",), ("diff_apply", "algorithm", "--diff-apply")]
)
def test_what_read_a_run_of_nextedits_is_imported_only_if_it_is_named_again(
    tmp_path: Path, planted: Path, field: str, attribute: str, option: str
) -> None:
    db, bundles = tmp_path / "theirs.db", tmp_path / "bundles"
    bundles.mkdir()
    shutil.copy(min((ROOT / "cases" / "nextedit").glob("*.json"), key=lambda path: path.stat().st_size), bundles)
    words = ("nextedit", "--cases", str(bundles), "--sut", SIMULATED[0], "--run-id", "theirs", "--db", str(db))
    asked = evals(*words)
    with closing(Store.open(db)) as store:
        name = f"evil_mod:{attribute}@01234567"
        store.execute("UPDATE runs SET config = json_set(config, ?, ?)", f"$.identity.{field}", name)

    report = evals("report", "theirs", "--db", str(db))
    without = evals("replay", "--run-id", "theirs", "--db", str(db))
    ran_without = planted.exists()
    named = evals("replay", "--run-id", "theirs", option, f"evil_mod:{attribute}", "--db", str(db))

    assert asked.returncode == 0, asked.stderr
    assert (report.returncode, without.returncode, ran_without) == (0, 2, False)
    assert f"name it yourself: evals replay {option} evil_mod:{attribute}" in without.stderr
    assert (named.returncode, planted.exists()) == (0, True), named.stderr


def test_our_wires_stay_ours_whatever_a_plug_in_calls_itself(planted: Path) -> None:
    Path("calls_itself_ours.py").write_text(
        "class Wire:\n    name = 'plain'\n    def decoder(self): ...\nwire = Wire()\n", encoding="utf-8"
    )

    wires = choose_wires(["calls_itself_ours:wire"])

    assert wires["plain"] is WIRES["plain"]
    assert type(stored_wire("calls_itself_ours:wire", wires)).__module__ == "calls_itself_ours"
    assert not planted.exists()


def test_a_wire_without_a_module_to_its_name_is_named_by_the_one_it_is_in() -> None:
    line = refused(lambda: stored_wire("gone", WIRES))

    assert "came over the wire 'gone'" in line
    assert line.endswith("--wire package.module:Name")


def test_what_is_no_wire_is_refused() -> None:
    assert "'json:dumps' is not a wire" in refused(lambda: choose_wires(["json:dumps"]))


@pytest.mark.parametrize(
    "config", ["", "no json", "[]", '{"identity": {}}', '{"identity": 1, "settings": {}}', b"\xff"]
)
def test_a_damaged_configuration_is_one_line(store: Store, config: str | bytes) -> None:
    make_run(store)
    store.execute("UPDATE runs SET config = ?", config)

    line = refused(lambda: config_of(find_run(store, "r1")))

    assert line.startswith("run r1: column config: ")


@pytest.mark.parametrize("detail", ["", "{", "7", b"{}"])
def test_a_damaged_detail_is_one_line(store: Store, detail: str | bytes) -> None:
    (row,) = store.rows("SELECT ? AS detail", detail)

    assert "column detail of a scoring: is no JSON object" in refused(lambda: detail_of(row))


@pytest.mark.parametrize(
    "encoding, content",
    [
        pytest.param("zstd", b"no frame", id="no frame"),
        pytest.param("utf-8", b"\xff\xfe", id="no UTF-8"),
        pytest.param("utf-8", "text", id="a text where bytes belong"),
        pytest.param("zstd", 7, id="a number where bytes belong"),
    ],
)
def test_a_damaged_text_is_one_line(store: Store, encoding: str, content: str | bytes | int) -> None:
    text_id = store.put_text("a text")
    store.execute("UPDATE texts SET encoding = ?, content = ?", encoding, content)

    assert f"{store.path}: a text is damaged" in refused(lambda: store.text(text_id))


def test_a_text_that_is_missing_is_one_line(store: Store) -> None:
    assert f"{store.path}: text 999 is missing" in refused(lambda: store.text(999))
