"""The engine `dask`: what is refused, results over a scheduler, and a replay that outlives a worker that is killed."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.pool.ahead import Ahead
from runner.pool.blocks import in_order
from runner.pool.engines import Computing
from runner.pool.executor import PoolCall, RemoteError, WorkerError
from tests.in_process import evals

EVALS = Path(sys.executable).with_name("evals")
# The first process that parses kills the worker that it computes for, as a machine does that goes away.
PLUG_IN = """
import os, signal
from pathlib import Path
from parsers import PARSERS

class Killing:
    def __getattr__(self, name):
        parent = Path(f"/proc/{os.getppid()}/cmdline")
        mark = Path(os.environ["KILLED"])
        if not mark.exists() and "multiprocessing" in parent.read_text():
            mark.touch()
            os.kill(os.getppid(), signal.SIGKILL)
            signal.pause()
        return getattr(PARSERS["xml-tools-v1"], name)

parser = Killing()
"""


def test_without_the_package_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_run(tmp_path)
    monkeypatch.setitem(sys.modules, "distributed", None)

    done = evals("replay", "--run-id", "a", "--executor", "dask", "--db", "a.db", cwd=tmp_path)

    assert done.returncode == 2
    assert done.stderr == "evals: --executor dask: needs distributed: pip install 'evals[dask]'\n"


@pytest.mark.parametrize(
    "computing, why",
    [
        pytest.param(Computing(scheduler="tcp://10.0.0.7:8786"), "give --executor dask", id="processes"),
        pytest.param(Computing(1, "dask", "tcp://10.0.0.7:8786"), "work of their own; give tls:", id="no TLS"),
        pytest.param(Computing(1, "dask", "ws://127.0.0.1:8786"), "is no address; give tls:", id="another protocol"),
        pytest.param(Computing(1, "dask", "127.0.0.1:8786"), "is no address; give tls:", id="no protocol"),
        pytest.param(Computing(1, "ray"), "no engine is called 'ray'; there are processes, dask", id="no engine"),
    ],
)
def test_what_cannot_be_computed_with_is_refused(computing: Computing, why: str) -> None:
    with pytest.raises(InputError, match=why), computing.opened():
        pass


@pytest.mark.wide
def test_results_and_errors_come_back_over_a_scheduler_and_crashes_leave_its_workers_alone() -> None:
    with Computing(1, "dask").opened() as executor:
        assert executor.slots == 1
        assert list(in_order(executor, abs, range(-9, 0))) == list(range(9, 0, -1))
        with pytest.raises(RemoteError, match=r"(?s)Traceback.*ValueError: invalid literal"):
            executor.submit(int, "x").result()
        worker = executor.submit(os.getppid).result()
        with pytest.raises(WorkerError, match="exit status 3"):
            executor.submit(os._exit, 3).result()
        assert executor.submit(os.getppid).result() == worker


@pytest.mark.wide
def test_two_runs_have_workers_of_their_own_at_the_same_time() -> None:
    with Computing(1, "dask").opened() as one, Computing(1, "dask").opened() as other:
        assert [executor.submit(abs, -1).result() for executor in (one, other)] == [1, 1]


def test_what_a_block_does_not_give_is_left_to_the_caller() -> None:
    with Computing(2).opened() as executor:
        ahead = Ahead[object](executor)
        ahead.begin([("four", PoolCall(len, ("four",), 2**20)), ("crash", PoolCall(os._exit, (3,)))])

        assert [ahead.take(key) for key in ("four", "four", "crash", "another")] == [4, None, None, None]


@pytest.mark.wide
def test_a_replay_with_any_engine_has_the_same_rows_also_when_a_worker_is_killed(tmp_path: Path) -> None:
    made_run(tmp_path)
    (tmp_path / "plug_in.py").write_text(PLUG_IN)
    mark = tmp_path / "killed"
    found: list[list[tuple[object, ...]]] = []

    for words in ("--jobs 1", "--jobs 2", "--executor dask --jobs 2"):
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "KILLED": str(mark)}
        # Only the last replay loses a worker.
        (mark.unlink if len(found) == 2 else mark.touch)()
        replayed = subprocess.run(
            [EVALS, "replay", "--run-id", "a", "--db", "a.db", "--parser", "plug_in:parser", *words.split()],
            cwd=tmp_path,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )
        assert replayed.returncode == 0, replayed.stderr
        assert mark.exists()
        found.append(scorings(tmp_path / "a.db"))

    assert len(found[0]) > 90
    assert found.count(found[0]) == 3


def made_run(folder: Path) -> None:
    model = "sim/any?time=virtual&valid=0.9&applied=0.8"
    done = evals("diff", model, "-n", 3, "--max-concurrency", 8, "--run-id", "a", "--db", "a.db", cwd=folder)
    assert done.returncode == 0, done.stderr


def scorings(db: Path) -> list[tuple[object, ...]]:
    """Those of the latest run, without the names of rows."""
    with closing(sqlite3.connect(db)) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(scorings)")]
        columns = ", ".join(name for name in names if name not in {"scoring_id", "run_id"})
        latest = "(SELECT run_id FROM runs ORDER BY rowid DESC LIMIT 1)"
        sql = f"SELECT {columns} FROM scorings WHERE run_id = {latest} ORDER BY scoring_id"  # noqa: S608 - constants
        return connection.execute(sql).fetchall()
