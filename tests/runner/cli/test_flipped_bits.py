"""A bit flipped in any text of a database: every command ends with an exit code of its own, never with a traceback."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from tests.codrep import SAMPLE
from tests.nextedit import cases_folder
from tests.runner.cli.conftest import Call

COMMANDS = [
    ("report", "r"),
    ("export", "r"),
    ("show", "r", "CASE"),
    ("replay", "--run-id", "r"),
    ("compare", "r"),
    ("diagnose", "r"),
    ("cost", "r"),
    ("runs",),
]
MODEL = "sim/any?time=virtual&valid=0.7&applied=0.6"
COMMIT = cases_folder() / "knobs-ef8ee13de7.json"
RUNS = {
    "diff": ("diff", "--model-ids", MODEL, "--max-cases", 2, "-n", 2),
    "codrep": ("codrep", "run", SAMPLE, "--sut", MODEL, "--limit", 2),
    "nextedit": ("nextedit", "--cases", COMMIT, "--sut", MODEL),
}
# Half of the flips are in configurations, which few rows have and every command reads.
CONFIG = ("runs", "config")


@dataclass(frozen=True)
class Texts:
    """The database of a small run, a case of it, and the columns with texts: their tables, names and values."""

    db: Path
    case: str
    values: dict[tuple[str, str], list[str | bytes]]

    def flipped(self, path: Path, random: Random) -> str:
        """Copy the database with one bit of one text flipped; what was flipped."""
        table, column = CONFIG if random.random() < 0.5 else random.choice(list(self.values))
        value = random.choice(self.values[table, column])
        data = bytearray(value.encode() if isinstance(value, str) else value)
        at = random.randrange(8 * len(data))
        data[at // 8] ^= 1 << at % 8
        for leftover in path.parent.glob(f"{path.name}*"):
            leftover.unlink()
        shutil.copy(self.db, path)
        kind = "TEXT" if isinstance(value, str) else "BLOB"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            sql = f"UPDATE OR IGNORE {table} SET {column} = CAST(? AS {kind}) WHERE {column} = ?"  # noqa: S608 - names
            connection.execute(sql, (bytes(data), value))
        return f"{table}.{column}: {bytes(data)!r}"


def texts_in(db: Path) -> dict[tuple[str, str], list[str | bytes]]:
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        values: dict[tuple[str, str], list[str | bytes]] = {}
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for column in [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]:
                sql = f"SELECT DISTINCT {column} FROM {table} WHERE typeof({column}) IN ('text', 'blob')"  # noqa: S608
                found = [value for (value,) in connection.execute(sql) if value]
                if found and (table, column) != ("streams", "data"):
                    values[table, column] = found
    return values


@pytest.mark.parametrize("suite", RUNS)
@pytest.mark.parametrize("draws", [pytest.param(50, id="some"), pytest.param(3000, id="many", marks=pytest.mark.wide)])
def test_a_flipped_bit_is_a_result_or_one_line(tmp_path: Path, call: Call, suite: str, draws: int) -> None:
    db, damaged = tmp_path / "sound.db", tmp_path / "damaged.db"
    assert call(*RUNS[suite], "--run-id", "r", "--db", db, "--json").code == 0
    with closing(sqlite3.connect(db)) as connection:
        (case,) = connection.execute("SELECT case_id FROM lanes").fetchone()
    texts, random, codes = Texts(db, case, texts_in(db)), Random(draws), set[object]()

    for _ in range(draws):
        flip = texts.flipped(damaged, random)
        words = [case if word == "CASE" else word for word in random.choice(COMMANDS)]
        try:
            done = call(*words, "--db", damaged)
        except Exception as error:  # noqa: BLE001 - whatever a command raises is the failure
            pytest.fail(f"{words}: {error!r} after {flip}")
        assert done.code in {0, 1, 2, 3}, (words, flip)
        assert "Traceback" not in done.err, (words, flip)
        if done.code == 2:
            assert done.err.strip().splitlines()[-1].startswith("evals: "), (words, flip)
        codes.add(done.code)

    assert codes >= {0, 2}
