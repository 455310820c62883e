"""Answers that misbehave: one verdict each, nothing is left behind, and the next verdict is right."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.execution.copies import JudgeTarget
from runner.execution.isolation import Isolation
from runner.execution.repository_judge import Judge
from runner.execution.verdicts import JudgeTask, VerdictKind
from tests.completion import CODE, TESTS

DOUBLE = "tests/test_pair.py::test_double"
TRUTH = "return x + x"


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory, interpreter: JudgeTarget, isolation: Isolation) -> Iterator[Judge]:
    """One judge for all of them: what one left behind would be found by the next."""
    if not isolation.whole:
        pytest.skip("this machine permits no namespaces with a bound on processes")
    repo = tmp_path_factory.mktemp("hostile") / "repo"
    (repo / "tests").mkdir(parents=True)
    (repo / "pair.py").write_text(CODE)
    (repo / "tests" / "test_pair.py").write_text(TESTS)
    with Judge(repo, interpreter, isolation) as made:
        assert made.judge(question(TRUTH)).outcome is VerdictKind.PASS
        yield made


def question(body: str, repeat: int = 0) -> JudgeTask:
    return JudgeTask("pair.py", CODE.replace(TRUTH, body.replace("\n", "\n    ")), (DOUBLE,), repeat=repeat)


def hostile(body: str) -> JudgeTask:
    """A body of `double` that answers rightly at its end."""
    return question(f"{body}\n{TRUTH}")


def processes(judge: Judge) -> set[str]:
    """Processes that work somewhere in the judge's copies."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if link.readlink().is_relative_to(judge.base):
                found.add((link.parent / "cmdline").read_text())
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found


def mounts(judge: Judge) -> list[str]:
    return [line for line in Path("/proc/self/mounts").read_text().splitlines() if str(judge.base) in line]


def check_nothing_is_left(judge: Judge) -> None:
    assert processes(judge) == set()
    assert mounts(judge) == []
    with judge.copy() as copy:
        texts = {path.relative_to(copy.tree).as_posix(): path.read_text() for path in copy.tree.rglob("*.*")}
    assert texts == {"pair.py": CODE, "tests/test_pair.py": TESTS}
    # Not from memory: asked again, each time as if for the first time.
    repeat = time.monotonic_ns()
    assert judge.judge(question(TRUTH, repeat)).outcome is VerdictKind.PASS
    wrong = judge.judge(question("return x", repeat))
    assert (wrong.outcome, wrong.failing) == (VerdictKind.FAIL, DOUBLE)


ENDS = [
    pytest.param("import os\nos._exit(0)", VerdictKind.FAIL, id="ends as if all were well"),
    pytest.param("import os\nos._exit(3)", VerdictKind.FAIL, id="ends as pytest does after a bug"),
    pytest.param("import sys\nsys.exit(0)", VerdictKind.FAIL, id="exits"),
    pytest.param("raise KeyboardInterrupt", VerdictKind.FAIL, id="interrupts the run"),
    pytest.param("import os\nos.abort()", VerdictKind.FAIL, id="aborts"),
    pytest.param("import ctypes\nctypes.string_at(0)", VerdictKind.FAIL, id="segmentation fault"),
    pytest.param("return double(x)", VerdictKind.FAIL, id="recursion without end"),
    pytest.param(
        "import sys\nsys.setrecursionlimit(10**9)\nf = lambda: [f()]\nf()", None, id="recursion without a limit"
    ),
    pytest.param("input()", VerdictKind.FAIL, id="waits for input"),
    pytest.param("import sys\nsys.__stdin__.read()", VerdictKind.PASS, id="reads an empty input"),
    pytest.param("bytearray(10 << 30)", VerdictKind.FAIL, id="10 GB"),
    pytest.param("import os\nwhile True: os.write(1, b'x' * (1 << 20))", VerdictKind.FAIL, id="prints without end"),
    pytest.param("import os\nos.close(1)\nos.close(2)", VerdictKind.PASS, id="closes its output"),
    pytest.param("import sys\nsys.exit = sys.excepthook = None", VerdictKind.PASS, id="takes exits away"),
    pytest.param(
        "import atexit, os\natexit.register(os._exit, 7)", VerdictKind.FAIL, id="another code at the very end"
    ),
]
SIGNALS = [
    pytest.param("import os\nos.kill(os.getppid(), 9)", VerdictKind.PASS, id="kills its parent, in vain"),
    pytest.param("import os\nos.kill(os.getppid(), 2)", VerdictKind.PASS, id="interrupts its parent, in vain"),
    pytest.param("import os\nos.kill(1, 19)", VerdictKind.PASS, id="stops the first process, in vain"),
    pytest.param("import os\nos.killpg(0, 9)", VerdictKind.FAIL, id="kills its group"),
    pytest.param("import os\nos.kill(-1, 9)", None, id="kills all but itself"),
    pytest.param(
        "import subprocess\nsubprocess.Popen(['sleep', '60'], start_new_session=True)",
        VerdictKind.PASS,
        id="a child in its own session",
    ),
    # At most 256 processes for at most five seconds each, so harmless even where nothing held it. Whether the first of
    # them or only its children are refused a fork is chance.
    pytest.param(
        "import os, signal, time\nfor _ in range(8):\n    signal.alarm(5)\n    os.fork()\ntime.sleep(1)",
        None,
        id="a bomb of forks",
    ),
    pytest.param(
        "import threading, time\nfor _ in range(1000): threading.Thread(target=time.sleep, args=(1,)).start()",
        VerdictKind.FAIL,
        id="a thousand threads",
    ),
]
FILES = [
    pytest.param("open('/evals-was-here', 'w')", VerdictKind.FAIL, id="writes outside"),
    pytest.param("open('pair.py', 'w').write('')", VerdictKind.PASS, id="writes over the tree"),
    pytest.param("import os\nos.remove('tests/test_pair.py')", VerdictKind.FAIL, id="removes the tests"),
    pytest.param(
        "open('tests/test_pair.py', 'w').write('def test_double(): pass')", VerdictKind.FAIL, id="writes other tests"
    ),
    pytest.param("import shutil\nshutil.rmtree('.')", VerdictKind.FAIL, id="removes the tree"),
    pytest.param("import os\nos.chmod('tests', 0)\nos.chmod('pair.py', 0)\nos.chmod('.', 0)", None, id="closes it"),
    pytest.param("import os\nos.mkfifo('tests/pipe')\nos.mkdir('empty')", VerdictKind.PASS, id="a pipe and a folder"),
    pytest.param(
        "import os\nfor _ in range(2100):\n    os.mkdir('d')\n    os.chdir('d')", None, id="folders without end"
    ),
    pytest.param(
        "import os\nos.link('pair.py', 'other.py')\nopen('other.py', 'w')", VerdictKind.PASS, id="a second name"
    ),
    pytest.param(
        "import os\nos.symlink('/', 'root')\nos.rename('tests', 'old')\nos.symlink('/etc', 'tests')",
        VerdictKind.FAIL,
        id="links that lead out",
    ),
]
TRAPS = [
    pytest.param(f"open('{place}', 'w').write({text!r})", VerdictKind.PASS, id=f"leaves {place}")
    for place, text in (
        ("conftest.py", "raise SystemExit"),
        ("../conftest.py", "raise SystemExit"),
        ("sitecustomize.py", "raise SystemExit"),
        ("../plugins/sitecustomize.py", "import os; os._exit(0)"),
        ("../plugins/pytest.py", "raise SystemExit"),
        ("../home/.pth", "import os; os._exit(0)"),
        ("pytest.ini", "[pytest]\naddopts = --collect-only"),
        ("../pytest.ini", "[pytest]\naddopts = --collect-only"),
        ("../reports/junit.xml", "<testsuites/>"),
        ("test_double.py", "raise SystemExit"),
    )
]
NETWORK = [
    pytest.param(
        "import socket\nsocket.create_connection(('192.0.2.1', 80), 1)", VerdictKind.FAIL, id="calls the network"
    ),
    pytest.param(
        "import socket\na = socket.create_server(('127.0.0.1', 7777))\n"
        "b = socket.create_connection(('127.0.0.1', 7777))\na.accept()[0].send(b'x')",
        VerdictKind.PASS,
        id="talks to itself, on a port that the next one finds free",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("body, outcome", [*ENDS, *SIGNALS, *FILES, *TRAPS, *NETWORK])
def test_an_answer_that_misbehaves_has_one_verdict_and_leaves_nothing(
    judge: Judge, body: str, outcome: VerdictKind | None
) -> None:
    verdict = judge.judge(hostile(body))

    assert verdict.outcome is outcome or outcome is None, verdict.log
    assert verdict.outcome is not VerdictKind.INFRA
    check_nothing_is_left(judge)
    assert not Path("/evals-was-here").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        pytest.param("while True: pass", id="an endless loop"),
        pytest.param("import os\nos.kill(os.getpid(), 19)", id="stops itself"),
        pytest.param(
            "import signal, time\nsignal.pthread_sigmask(0, range(1, 65))\ntime.sleep(99)", id="hears nothing"
        ),
        pytest.param("import threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start()", id="a thread"),
        pytest.param("import os\nos.open(os.mkfifo('p') or 'p', os.O_RDONLY)", id="waits for a writer"),
    ],
)
def test_an_answer_that_does_not_end_is_ended(judge: Judge, body: str) -> None:
    started = time.monotonic()

    assert judge.judge(hostile(body)).outcome is VerdictKind.TIMEOUT

    assert time.monotonic() - started < 50
    check_nothing_is_left(judge)


@pytest.mark.parametrize(
    "left",
    [
        pytest.param("os.mkfifo(report)", id="a pipe"),
        pytest.param("os.symlink('/dev/zero', report)", id="a link"),
        pytest.param("os.mkdir(report)", id="a folder"),
        pytest.param("open(report, 'w').write('<a>' * 10**5)", id="no report"),
        pytest.param("os.rename('../reports', '../r'); os.symlink('/etc', '../reports')", id="another place"),
    ],
)
def test_what_is_no_report_is_not_read(judge: Judge, left: str) -> None:
    verdict = judge.judge(hostile(f"import os\nreport = '../reports/junit.xml'\n{left}\nos._exit(0)"))

    assert verdict.outcome is VerdictKind.FAIL
    check_nothing_is_left(judge)


def test_a_link_in_the_place_of_the_tree_is_not_followed(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("here")

    judge.judge(hostile(f"import os\nos.rename('../tree', '../old')\nos.symlink({str(tmp_path)!r}, '../tree')"))

    assert (tmp_path / "precious").read_text() == "here"
    check_nothing_is_left(judge)


def test_what_stood_in_the_hole_cannot_be_read(judge: Judge) -> None:
    look = f"""
import os, sys
places = [{str(judge.repo)!r}, {str(judge.base)!r}, *sys.path, os.getcwd()]
for place in places:
    for folder, _, names in os.walk(place):
        for name in names:
            path = os.path.join(folder, name)
            if "pair" in name and b"return x + " + b"x" in open(path, "rb").read():
                raise AssertionError("found in " + path)"""

    with judge.copy():
        # Another worker's copy, which holds the truth.
        verdict = judge.judge(question(f"{look}\nreturn 2 * x"))

    assert verdict.outcome is VerdictKind.PASS, verdict.log


def test_what_is_to_be_hidden_cannot_be_read(
    repo: Path, tmp_path: Path, interpreter: JudgeTarget, isolation: Isolation
) -> None:
    if not isolation.whole:
        pytest.skip("this machine permits no namespaces with a bound on processes")
    dataset = tmp_path / "set.jsonl"
    dataset.write_text("the truth")

    with Judge(repo, interpreter, isolation, hidden=(dataset, tmp_path / "absent")) as judge:
        verdict = judge.judge(hostile(f"assert open({str(dataset)!r}).read() == ''"))

    assert verdict.outcome is VerdictKind.PASS, verdict.log
    assert dataset.read_text() == "the truth"


def test_nothing_of_our_environment_is_seen(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANY_API_KEY", "hush")
    look = """
import glob, os
assert "ANY_API_KEY" not in os.environ
for path in glob.glob("/proc/[0-9]*/environ"):
    try:
        assert b"hush" not in open(path, "rb").read()
    except PermissionError:
        pass"""

    assert judge.judge(hostile(look)).outcome is VerdictKind.PASS


def test_what_a_run_is_forked_from_is_out_of_reach(judge: Judge) -> None:
    look = """
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
seen = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
assert seen == [1, os.getpid()], seen
assert libc.ptrace(16, 1, 0, 0) == -1
assert libc.unshare(0x20000) == -1
assert libc.umount2(b"/proc", 2) == -1
assert libc.mount(b"none", b"/tmp", b"tmpfs", 0, 0) == -1
assert [int(name) for name in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + name)
        and "socket" in os.readlink("/proc/self/fd/" + name)] == []
try:
    open("/proc/1/mem", "rb+")
    raise AssertionError("the first process can be written to")
except OSError:
    pass
assert not {"mem", "kmsg", "fuse", "loop-control", "console"} & {*os.listdir("/dev")}
for place in ("/proc/sys/kernel/core_pattern", "/proc/1/oom_score_adj"):
    try:
        open(place, "w")
        raise AssertionError(place + " can be written")
    except OSError:
        pass
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
assert {status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
assert status["NoNewPrivs"].strip() == "1\""""

    verdict = judge.judge(hostile(look))

    assert verdict.outcome is VerdictKind.PASS, verdict.log


def test_an_interrupt_can_be_waited_for_as_ever(judge: Judge) -> None:
    body = f"""
import os, signal
try:
    os.kill(os.getpid(), {signal.SIGINT:d})
    signal.pause()
except KeyboardInterrupt:
    return x + x"""

    assert judge.judge(question(body)).outcome is VerdictKind.PASS


def test_nothing_remains_when_the_judge_has_gone(repo: Path, interpreter: JudgeTarget, isolation: Isolation) -> None:
    with Judge(repo, interpreter, isolation) as made:
        made.judge(hostile("import os\nfor _ in range(2100):\n    os.mkdir('d')\n    os.chdir('d')\nos.chmod('.', 0)"))

    assert not made.base.exists()
    assert processes(made) == set()
