"""Databases of earlier versions open as those of this one."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from runner.storage.rows import config_of
from runner.storage.schema import MIGRATIONS, MIGRATIONS_TABLE
from runner.storage.store import Store
from tests.runner.made_runs import make_run, plan

_KEPT_ON = ("runs", "variants", "cases", "lanes", "sessions", "answers", "scorings", "scores")
_NO_TRIGGERS = "".join(
    f"DROP TRIGGER kept_{name}_{on};\n" for name in _KEPT_ON for on in ("insert", "update", "delete")
)
# Takes back what the migrations after the renaming of suites add.
_UNDO = f"""
{_NO_TRIGGERS}
DROP TABLE kept_figures;
DROP TRIGGER scoring_counted;
DROP TRIGGER scoring_uncounted;
DROP TRIGGER answer_counted;
DROP TRIGGER answer_uncounted;
DROP TRIGGER answer_recounted;
DROP TABLE scoring_tallies;
DROP TABLE answer_tallies;
DROP TABLE overflows;
DROP TABLE shards;
DROP TABLE batch_lines;
DROP TABLE batches;
ALTER TABLE answers DROP COLUMN server_output_ms;
ALTER TABLE answers DROP COLUMN server_prompt_ms;
DROP TABLE sessions;
DROP VIEW classes;
DROP TABLE calls;
ALTER TABLE answers DROP COLUMN disturbed_ms;
ALTER TABLE answers DROP COLUMN note;
ALTER TABLE lanes DROP COLUMN settled_at;
ALTER TABLE variants DROP COLUMN unsent;
ALTER TABLE variants DROP COLUMN edit_tool;
"""


@pytest.mark.parametrize(
    "old, new, measured",
    [("diff-edit", "diff_edit", ""), ("next-edit", "nextedit", "@1"), ("codrep", "codrep", "")],
)
def test_runs_under_a_suite_s_earlier_name_have_its_present_one(
    tmp_path: Path, old: str, new: str, measured: str
) -> None:
    path = tmp_path / "evals.db"
    with closing(Store.open(path, create=True)) as store:
        make_run(store, planned=plan(suite=old))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(_UNDO)
        connection.execute(f"DELETE FROM {MIGRATIONS_TABLE} WHERE name <> 'm001_tables'")  # noqa: S608 - a constant

    with closing(Store.open(path)) as store:
        (run,) = store.rows("SELECT run_id, suite, config FROM runs")
        (variant,) = store.rows("SELECT signature FROM variants")
        names = {row["name"] for row in store.rows(f"SELECT name FROM {MIGRATIONS_TABLE}")}  # noqa: S608 - a constant

    assert run["suite"] == new
    assert variant["signature"].startswith(f"{new}{measured}|test/scripted|basic@11111111|")
    assert config_of(run)["identity"].get("measure") == (1 if measured else None)
    assert names == MIGRATIONS.keys()


def test_a_new_database_imports_no_data_frames_and_hides_them_from_nobody(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from runner.storage.store import Store\n"
        "Store.open(Path(sys.argv[1])).close()\n"
        "print({'sqlite_utils', 'pandas', 'numpy'} & set(sys.modules))\n"
        "import numpy, pandas\n"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "evals.db")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)

    assert done.stdout == "{'sqlite_utils'}\n"
