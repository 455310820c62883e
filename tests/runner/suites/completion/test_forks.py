"""Runs in forks: as those that are started anew, and not where they could differ."""

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from runner.execution.copies import Copy, JudgeTarget, tree_files
from runner.execution.forks import MEANS, BrokenForkError, Forks, shadowed
from runner.execution.isolation import Cell, Isolation
from runner.execution.repository_judge import Judge
from runner.execution.sandbox import ProcessLimits, Ran
from runner.execution.verdicts import JudgeTask, VerdictKind
from tests.completion import CODE

DOUBLE = "tests/test_pair.py::test_double"
WORDS = ["-q", "--", DOUBLE]


@pytest.fixture
def cell(tmp_path: Path, isolation: Isolation) -> Cell:
    if not isolation.whole:
        pytest.skip("this machine permits no namespaces with a bound on processes")
    folder = tmp_path / "cell"
    folder.mkdir()
    return Cell(folder, isolation)


@pytest.fixture
def copy(cell: Cell, repo: Path, interpreter: JudgeTarget) -> Iterator[Copy]:
    made = Copy(cell, tree_files(repo), interpreter)
    yield made
    made.close()


def env(cell: Cell) -> dict[str, str]:
    tree = cell.folder / "tree"
    return {
        "HOME": str(cell.folder),
        "TMPDIR": str(cell.folder),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(tree),
        "PYTHONHASHSEED": "0",
    }


def run(copy: Copy, code: str, limits: ProcessLimits = ProcessLimits()) -> tuple[Ran, Ran]:  # noqa: B008 - frozen
    """The same run forked, and started anew."""
    text = CODE.replace("return x + x", code)
    forked = copy.run("pair.py", text, WORDS, limits)
    assert copy.forks
    return forked, copy.run("pair.py", text, WORDS, limits, plugins={"any.py": b""})


SAME = """
import json, os, resource, signal, sys
told = {
    "argv": sys.argv, "path": sys.path, "main": sys.modules["__main__"].__file__, "cwd": os.getcwd(),
    "env": sorted(name for name in os.environ if name not in ("LC_CTYPE", "OLDPWD", "PWD", "_", "SHLVL")),
    "session": len({os.getsid(0)}), "umask": os.umask(0o22), "hash": hash("a"),
    "limits": [resource.getrlimit(kind) for kind in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)],
    "signals": [str(signal.getsignal(one)) for one in sorted(signal.valid_signals()) if one < 32],
    "mask": sorted(signal.pthread_sigmask(0, [])), "input": sys.__stdin__.read(), "ids": [os.getuid(), os.getgid()],
    "encodings": [sys.stdout.encoding, sys.getfilesystemencoding()], "shm": os.listdir("/dev/shm"),
    "flags": str(sys.flags), "hooks": sorted(str(type(one)) for one in sys.meta_path),
}
raise AssertionError(json.dumps(told, indent=0, sort_keys=True))""".replace("\n", "\n    ")


def test_a_test_finds_the_same_in_a_fork_as_in_a_process_of_its_own(copy: Copy) -> None:
    forked, started = run(copy, SAME)

    told = [[line for line in ran.stdout.decode().splitlines() if line.startswith("E ")] for ran in (forked, started)]
    assert len(told[0]) > 50
    assert told[0] == told[1]
    assert forked.exit_code == started.exit_code == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        pytest.param("return x + x", id="passes"),
        pytest.param("return x", id="fails"),
        pytest.param("import os\n    os._exit(9)", id="exits"),
        pytest.param("import os, signal\n    os.kill(os.getpid(), signal.SIGTERM)", id="is killed"),
        pytest.param("import pytest\n    pytest.exit('no', 7)", id="ends the session"),
        pytest.param("raise SystemExit(0)", id="raises an exit"),
    ],
)
def test_a_run_ends_the_same_way_forked_and_started(copy: Copy, code: str) -> None:
    forked, started = run(copy, code)

    assert (forked.exit_code, forked.timed_out) == (started.exit_code, started.timed_out)
    assert 0 < forked.cpu_s < started.cpu_s
    assert forked.wall_s > 0


@pytest.mark.slow
def test_the_limit_of_processor_time_holds_in_a_fork(copy: Copy) -> None:
    forked, started = run(copy, "while True: pass", ProcessLimits(cpu_s=1, wall_s=30))

    assert forked.exit_code == 128 + 24
    assert not forked.timed_out
    assert started.exit_code in {128 + 24, 128 + 9}
    assert forked.cpu_s == pytest.approx(1, abs=0.3)


@pytest.mark.slow
def test_the_deadline_holds_in_a_fork(copy: Copy) -> None:
    forked, started = run(copy, "import time\n    time.sleep(60)", ProcessLimits(wall_s=2.5))

    assert (forked.timed_out, forked.exit_code) == (started.timed_out, started.exit_code) == (True, -9)
    assert forked.wall_s == pytest.approx(2.5, abs=0.4)


@pytest.mark.slow
def test_a_long_order_reaches_a_fork(copy: Copy) -> None:
    ran = copy.run("pair.py", CODE, [*WORDS, f"tests/{'x' * 300_000}"], ProcessLimits())

    assert ran.exit_code == 4
    assert copy.forks


def test_shared_memory_is_new_for_each_run_even_where_the_folder_is_in_it(
    repo: Path, interpreter: JudgeTarget, isolation: Isolation
) -> None:
    if not isolation.whole:
        pytest.skip("this machine permits no namespaces with a bound on processes")
    text = CODE.replace("return x + x", "import os\n    open('/dev/shm/left', 'x')\n    return x + x")
    with TemporaryDirectory(dir=Path("/dev", "shm")) as folder:
        copy = Copy(Cell(Path(folder), isolation), tree_files(repo), interpreter)
        codes = [copy.run("pair.py", text, WORDS, ProcessLimits()).exit_code for _ in range(2)]

        assert (codes, copy.forks) == ([0, 0], True)
        copy.close()


def test_a_process_that_does_not_start_forks_nothing(cell: Cell) -> None:
    with pytest.raises(BrokenForkError):
        Forks(cell, "/absent/python", env(cell))


@pytest.mark.slow
def test_a_process_that_is_gone_forks_no_more(copy: Copy) -> None:
    copy.run("pair.py", CODE, WORDS, ProcessLimits())
    for link in Path("/proc").glob("[0-9]*/environ"):
        if f"HOME={copy.folder}/home".encode() in readable(link):
            os.kill(int(link.parent.name), 9)

    ran = copy.run("pair.py", CODE, WORDS, ProcessLimits(wall_s=60))

    assert ran.exit_code == 0
    assert not copy.forks


def readable(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_repository_with_a_module_that_was_imported_already_is_not_forked(
    repo: Path, interpreter: JudgeTarget, isolation: Isolation
) -> None:
    (repo / "iniconfig.py").write_text("from runpy import *\n")
    (repo / "tests" / "test_pair.py").write_text(
        "def test_double():\n    import iniconfig\n    from pair import double\n    assert double(3) == 6\n"
    )

    with Judge(repo, interpreter, isolation) as judge:
        judge.judge(JudgeTask("pair.py", CODE, (DOUBLE,)))

        assert judge.means == isolation.means


def test_how_tests_are_run_is_recorded(judge: Judge, isolation: Isolation) -> None:
    assert judge.means == isolation.means

    assert judge.judge(JudgeTask("pair.py", CODE, (DOUBLE,))).outcome is VerdictKind.PASS

    assert judge.means == ((*isolation.means, MEANS) if isolation.whole else isolation.means)


@pytest.mark.parametrize(
    "path, name",
    [
        pytest.param("attr/__init__.py", "attr", id="package"),
        pytest.param("src/attr/__init__.py", "attr", id="package in a folder"),
        pytest.param("six.py", "six", id="module"),
        pytest.param("tests/six.py", "six", id="module in a folder"),
        pytest.param("sitecustomize.py", "sitecustomize", id="always imported"),
    ],
)
def test_a_module_that_an_imported_one_would_hide_is_found(path: str, name: str) -> None:
    assert shadowed(["six", "attr"], [path, "pair.py", "attr.txt"]) == {name}


def test_a_module_in_a_package_hides_behind_its_package() -> None:
    paths = ["pair/__init__.py", "pair/six.py", "pair/deep/__init__.py", "pair/deep/attr.py", "six/readme.md"]

    assert shadowed(["six", "attr"], paths) == frozenset()


def test_what_is_imported_is_of_the_interpreter_alone(cell: Cell) -> None:
    (cell.folder / "tree").mkdir()
    (cell.folder / "tree" / "sitecustomize.py").write_text("raise SystemExit\n")

    forks = Forks(cell, sys.executable, env(cell))

    assert {"pytest", "_pytest"} <= forks.names
    assert "test_warm" not in forks.names
    forks.close()


def test_a_copy_that_is_closed_under_way_ends_its_run_and_starts_none(copy: Copy) -> None:
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(copy.run, "pair.py", "while True: pass\n", ["-q"], ProcessLimits(wall_s=60, cpu_s=60))
        while not copy.forks:
            time.sleep(0.01)
        time.sleep(0.5)
        copy.close()

        with pytest.raises(InterruptedError):
            running.result(timeout=50)
