"""A database of a stranger: names of code to be imported, bombs, deep JSON, and objects that would run SQL."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from runner.inflating import LARGEST_STORED
from runner.run.execute import execute
from runner.suites import suite_named
from runner.suites.diff_edit.options import DiffOptions
from tests.runner.hostile_files import bomb

DEEP = "[" * 50_000 + "]" * 50_000
EVALS = Path(sys.executable).with_name("evals")
CASES = Path(__file__).parents[1] / "cases"
_MODEL = "sim/any?time=virtual&valid=1"
# How a run of each suite is made.
ASKED = {
    "codrep": ("codrep", "run", str(CASES / "codrep"), "--sut", _MODEL, "--limit", "1"),
    "completion": (
        "completion",
        "run",
        str(CASES / "completion" / "shelf.jsonl"),
        "--sut",
        _MODEL,
        "--limit",
        "1",
        "--chains",
        "raw",
    ),
    "edit": ("edit", "run", str(CASES / "edit" / "problems.jsonl"), "--sut", _MODEL, "--max-problems", "1"),
    "nextedit": ("nextedit", "--cases", str(CASES / "nextedit"), "--sut", _MODEL, "--max-edits", "6"),
}
# Each run has one kind of trap, so that no other one is refused before it.
RUNS = ("names", "bomb", "deep", "damaged", "codrep", "completion", "edit", "nextedit", "unknown")
CASE = "py_lru_cache_peek"


def make_databases(folder: Path, module: str, cases: Path) -> None:
    """Write `evals.db`, whose runs hold traps, and beside it files that are refused as a whole."""
    path = folder / "evals.db"
    for seed, run in enumerate(RUNS):
        model = "sim/careful?time=virtual&valid=1"
        execute(
            suite_named("diff_edit"),
            DiffOptions(model_ids=model, cases=cases, db=path, run_id=run, seed=seed, json=True),
        )
    with closing(sqlite3.connect(path)) as connection, connection:
        _name_code(connection, module)
        _plant_bombs(connection)
        _plant_json(connection)
        for suite in RUNS[4:]:
            connection.execute("UPDATE runs SET suite = ? WHERE run_id = ?", (suite, suite))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    _make_others(folder, path.read_bytes())


def _change_answers(connection: sqlite3.Connection, run: str, table: str, **values: str | bytes | int | None) -> None:
    """Set columns in a table's rows about the answers of a run."""
    columns = ", ".join(f"{name} = ?" for name in values)
    answers = "SELECT answer_id FROM answers JOIN lanes USING (lane_id) WHERE run_id = ?"
    sql = f"UPDATE {table} SET {columns} WHERE answer_id IN ({answers})"  # noqa: S608 - names that are written here
    connection.execute(sql, (*values.values(), run))


def _name_code(connection: sqlite3.Connection, module: str) -> None:
    """Whatever has a name on record has one that could be imported."""
    names = {"parser": f"{module}:parser", "diff_algorithm": f"{module}:algorithm"}
    for column, name in names.items():
        for table in ("variants", "scorings"):
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE run_id = 'names'", (name,))  # noqa: S608
    _change_answers(connection, "names", "streams", wire=f"{module}:wire")
    for key, name in (("parser", names["parser"]), ("diff_apply", names["diff_algorithm"]), ("sut", f"{module}:model")):
        connection.execute(
            "UPDATE runs SET config = json_set(config, ?, ?) WHERE run_id = 'names'", (f"$.identity.{key}", name)
        )
    for run in RUNS[4:]:
        connection.execute(
            "UPDATE runs SET config = json_set(config, '$.settings.repo', '.', '$.settings.python', './canary',"
            " '$.settings.command', './canary', '$.settings.chains', ?) WHERE run_id = ?",
            (f"{module}:chain", run),
        )


def _plant_bombs(connection: sqlite3.Connection) -> None:
    packed = bomb(LARGEST_STORED + (1 << 20))
    row = ("0" * 64, "zstd", 9, packed)
    text = connection.execute("INSERT INTO texts (digest, encoding, bytes, content) VALUES (?, ?, ?, ?)", row).lastrowid
    _change_answers(connection, "bomb", "answers", text_id=text, request_id=text)
    _change_answers(connection, "bomb", "streams", data=packed)
    connection.execute("UPDATE scorings SET edited_id = ? WHERE run_id = 'bomb'", (text,))
    connection.execute("UPDATE cases SET content_id = ? WHERE run_id = 'bomb'", (text,))


def _plant_json(connection: sqlite3.Connection) -> None:
    sql = "UPDATE scorings SET parsed_calls = ?, blocks = ?, detail = ? WHERE run_id = ?"
    connection.execute(sql, (DEEP, DEEP, DEEP, "deep"))
    connection.execute(sql, ("{", "7", "\x1b[2J", "damaged"))
    connection.execute("UPDATE runs SET config = ? WHERE run_id = 'deep'", (DEEP,))
    connection.execute("UPDATE runs SET name = ?, note = ? WHERE run_id = 'damaged'", ("\x1b[2J\n" * 3, "\x1b]0;x\a"))


def _make_others(folder: Path, whole: bytes) -> None:
    """Files that are refused when they are opened, or read."""
    live = folder / "objects.db"
    live.write_bytes(whole)
    with closing(sqlite3.connect(live)) as connection, connection:
        connection.execute("CREATE TRIGGER spy AFTER INSERT ON runs BEGIN DELETE FROM texts; END")
        connection.execute("CREATE VIEW best AS SELECT load_extension('./evil.so')")
    # The tables' names are whole: what is wrong comes to light while rows are read.
    middle = len(whole) // 16384 * 8192
    (folder / "torn.db").write_bytes(whole[:middle] + b"\xff" * (len(whole) - middle))
    (folder / "short.db").write_bytes(whole[: len(whole) // 8192 // 4 * 8192])
    (folder / "bytes.db").write_bytes(whole)
    with closing(sqlite3.connect(folder / "bytes.db")) as connection, connection:
        connection.execute("UPDATE runs SET created_at = CAST(x'ff' AS TEXT)")
        connection.execute("UPDATE answers SET finish_reason = CAST(x'ff' AS TEXT), served_model = finish_reason")


def make_run_of(folder: Path, suite: str, module: str) -> None:
    """Add a run of a suite to `suites.db` that names code and programs wherever it names anything."""
    db = folder / "suites.db"
    prompts = ("--prompts", "basic") if suite == "edit" else ()
    words = [str(EVALS), *ASKED[suite], *prompts, "--run-id", suite, "--db", str(db)]
    subprocess.run(words, cwd=CASES, check=True, capture_output=True, timeout=600)
    with closing(sqlite3.connect(db)) as connection, connection:
        for table in ("variants", "scorings"):
            sql = f"UPDATE {table} SET parser = ?, diff_algorithm = ? WHERE run_id = ?"  # noqa: S608 - written here
            connection.execute(sql, (f"{module}:parser", f"{module}:algorithm", suite))
        _change_answers(connection, suite, "streams", wire=f"{module}:wire")
        named = {"repo": str(folder), "python": "./canary", "command": "./canary", "cases": "deep.jsonl"}
        for key, value in named.items():
            sql = "UPDATE runs SET config = json_set(config, ?, ?) WHERE run_id = ?"
            connection.execute(sql, (f"$.settings.{key}", value, suite))
        for key in ("parser", "diff_apply", "systems", "sut", "order"):
            sql = "UPDATE runs SET config = json_replace(config, ?, ?) WHERE run_id = ?"
            connection.execute(sql, (f"$.identity.{key}", f"{module}:parser", suite))
