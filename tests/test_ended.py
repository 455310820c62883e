"""Commands that are told to end, or killed: what is left, and what the next one finds."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

EVALS = Path(sys.executable).parent / "evals"
CASES = Path(__file__).parents[1] / "cases"
_GROUPS = (Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup"))
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `evals` with a folder of its own for temporary files."""
    (tmp_path / "tmp").mkdir()
    begun: list[subprocess.Popen[str]] = []

    def begin(*words: object) -> "subprocess.Popen[str]":
        environ = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
        command = [str(EVALS), *map(str, words)]
        begun.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environ))
        return begun[-1]

    yield begin
    for one in begun:
        one.terminate()
        one.wait()
        assert one.stderr is not None
        one.stderr.close()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository whose only test takes two seconds."""
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "one.py").write_text("def one():\n    return 1\n")
    (folder / "test_one.py").write_text(
        "import time\n\nfrom one import one\n\n\ndef test_one():\n    time.sleep(2)\n    assert one() == 1\n"
    )
    return folder


def wait_for(found: Callable[[], bool], begun: "subprocess.Popen[str]") -> None:
    until = time.monotonic() + 600
    while not found():
        assert begun.poll() is None, begun.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)


def asking(db: Path) -> bool:
    """Whether a question is under way; the database may be in the making."""
    try:
        with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
            return bool(connection.execute("SELECT count(*) FROM answers").fetchone()[0])
    except sqlite3.OperationalError:
        return False


def judging(tmp_path: Path) -> bool:
    return any((tmp_path / "tmp").glob("evals-judge-*/*/tree/one.py"))


def groups_of(pid: int) -> list[Path]:
    return [group for folder in _GROUPS for group in folder.glob(f"evals-*-{pid:x}-*")]


def is_empty(group: Path) -> bool:
    """Whether no process is left in a group; one that still ends keeps its group from being removed."""
    return not (group / "cgroup.procs").read_text(encoding="ascii").strip()


def build(start: Start, repo: Path, tmp_path: Path) -> "subprocess.Popen[str]":
    begun = start("completion", "build", "--repo", repo, "--out", tmp_path / "out.jsonl")
    wait_for(lambda: judging(tmp_path), begun)
    # A cell that just begins outlives its starter for a moment; by then it runs.
    time.sleep(1)
    return begun


def test_a_build_that_is_told_to_end_leaves_nothing(start: Start, repo: Path, tmp_path: Path) -> None:
    begun = build(start, repo, tmp_path)

    begun.terminate()
    begun.communicate(timeout=600)

    assert begun.returncode == 128 + signal.SIGTERM
    assert list((tmp_path / "tmp").iterdir()) == []
    assert groups_of(begun.pid) == []


@pytest.mark.wide
def test_what_a_killed_build_left_is_removed_by_the_next(start: Start, repo: Path, tmp_path: Path) -> None:
    killed = build(start, repo, tmp_path)
    killed.kill()
    killed.communicate()
    (left,) = (tmp_path / "tmp").glob("evals-judge-*")
    until = time.monotonic() + 600
    while not all(map(is_empty, groups_of(killed.pid))):
        assert time.monotonic() < until
        time.sleep(0.02)

    following = start("completion", "build", "--repo", repo, "--out", tmp_path / "out.jsonl")

    wait_for(lambda: not left.exists() and not groups_of(killed.pid), following)


def test_a_run_that_is_told_to_end_says_how_to_go_on(start: Start, tmp_path: Path) -> None:
    model = "sim/any?ttft_ms=60000&jitter=0"
    begun = start("diff", "--model-ids", model, "--cases", CASES / "diff_edit", "--run-id", "cut", "-v")
    wait_for(lambda: asking(tmp_path / "evals.db"), begun)

    begun.terminate()
    _, told = begun.communicate(timeout=50)

    assert begun.returncode == 128 + signal.SIGTERM
    assert told.endswith("stopped; resume with: --run-id cut\n")


@pytest.mark.slow
def test_programs_that_are_started_end_as_ever(start: Start, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    seen = tmp_path / "seen"

    begun = start(
        *("completion", "build", "--repo", repo, "--out", tmp_path / "out.jsonl"),
        *("--install", f"grep -E '^Sig(Ign|Blk)' /proc/self/status > {seen}; false"),
    )
    _, told = begun.communicate(timeout=600)

    assert told.endswith('; false" ended with code 1 and printed nothing; fix the command\n')
    masks = [int(line.split()[1], 16) for line in seen.read_text().splitlines()]
    assert [mask >> (signal.SIGTERM - 1) & 1 for mask in masks] == [0, 0]
