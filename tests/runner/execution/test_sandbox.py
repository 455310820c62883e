"""A command in the sandbox ends, with all it started, whatever it does."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runner.execution.sandbox import ProcessLimits, Ran, run


def python(code: str, cwd: Path, limits: ProcessLimits = ProcessLimits(), stdin: bytes = b"") -> Ran:  # noqa: B008 - frozen
    return run([sys.executable, "-I", "-c", code], cwd=cwd, limits=limits, stdin=stdin, env={"HOME": str(cwd)})


def test_a_command_gives_its_output_and_its_code(tmp_path: Path) -> None:
    ran = python(
        "import sys; print(sys.stdin.read()[::-1]); print('no', file=sys.stderr); sys.exit(3)", tmp_path, stdin=b"abc"
    )

    assert (ran.exit_code, ran.timed_out, ran.stdout, ran.stderr) == (3, False, b"cba\n", b"no\n")
    assert 0 < ran.cpu_s <= ran.wall_s + 0.5


def test_a_command_runs_where_it_is_told_and_knows_only_what_it_is_told(tmp_path: Path) -> None:
    ran = python(
        "import os; print(os.getcwd(), sorted(set(os.environ) - {'LC_CTYPE', 'PWD', 'OLDPWD', '_', 'SHLVL'}))", tmp_path
    )

    assert ran.stdout.decode() == f"{tmp_path.resolve()} ['HOME']\n"


def test_arguments_reach_the_command_unchanged(tmp_path: Path) -> None:
    odd = ["a b", "$HOME", "'", '"', "*", ""]

    ran = run(
        [sys.executable, "-I", "-c", "import sys; print(sys.argv[1:])", *odd],
        cwd=tmp_path,
        limits=ProcessLimits(),
        env={},
    )

    assert ran.stdout.decode() == f"{odd}\n"


def test_a_command_that_waits_is_stopped_by_the_clock(tmp_path: Path) -> None:
    ran = python("import time; time.sleep(60)", tmp_path, ProcessLimits(wall_s=0.3))

    assert ran.timed_out
    assert ran.exit_code == -signal.SIGKILL
    assert ran.wall_s < 5


def test_a_command_that_computes_is_stopped_by_its_processor_time(tmp_path: Path) -> None:
    ran = python("while True: pass", tmp_path, ProcessLimits(wall_s=30, cpu_s=1))

    assert not ran.timed_out
    assert ran.exit_code in {-signal.SIGXCPU, -signal.SIGKILL}
    assert ran.cpu_s == pytest.approx(1, abs=0.5)


def test_a_command_that_hoards_memory_fails(tmp_path: Path) -> None:
    ran = python("x = bytearray(400 << 20)", tmp_path, ProcessLimits(memory_bytes=200 << 20))

    assert ran.exit_code == 1
    assert b"MemoryError" in ran.stderr


def test_a_command_that_writes_without_end_is_cut(tmp_path: Path) -> None:
    ran = python("import os\nwhile True: os.write(1, b'x' * 4096)", tmp_path, ProcessLimits(file_bytes=64 << 10))

    assert ran.exit_code != 0
    assert len(ran.stdout) <= 64 << 10


@pytest.mark.parametrize("waits", [pytest.param(True, id="at the deadline"), pytest.param(False, id="at its own end")])
def test_what_a_command_started_does_not_outlive_it(tmp_path: Path, waits: bool) -> None:
    code = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
time.sleep({60 if waits else 0})
"""

    ran = python(code, tmp_path, ProcessLimits(wall_s=2.0 if waits else 60.0))

    assert ran.timed_out is waits
    assert gone(int(ran.stdout))


def gone(pid: int) -> bool:
    """Whether a process has ended; a zombie that nobody reaps has."""
    for _ in range(1000):
        try:
            os.kill(pid, 0)
            status = Path(f"/proc/{pid}/status")
            if status.exists() and "State:\tZ" in status.read_text():
                return True
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_an_interrupt_leaves_no_command_behind(tmp_path: Path) -> None:
    code = f"""
import pathlib, sys
from runner.execution.sandbox import ProcessLimits, run
script = "import os, pathlib, time; pathlib.Path('pid').write_text(str(os.getpid())); time.sleep(60)"
words = [sys.executable, "-I", "-c", script]
run(words, cwd=pathlib.Path({str(tmp_path)!r}), limits=ProcessLimits(wall_s=60), env={{}})
"""
    ours = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
    pid = tmp_path / "pid"
    while not (pid.exists() and pid.read_text()):
        assert ours.poll() is None
        time.sleep(0.01)

    ours.send_signal(signal.SIGINT)
    _, told = ours.communicate(timeout=20)

    assert b"KeyboardInterrupt" in told
    assert gone(int(pid.read_text()))


def test_a_command_reads_more_than_a_pipe_holds(tmp_path: Path) -> None:
    ran = python("import sys; print(len(sys.stdin.read()))", tmp_path, stdin=b"x" * 1_000_000)

    assert ran.stdout == b"1000000\n"


def test_a_command_that_does_not_exist_ends_with_127(tmp_path: Path) -> None:
    ran = run(["./absent"], cwd=tmp_path, limits=ProcessLimits(), env={})

    assert ran.exit_code == 127
    assert b"absent" in ran.stderr


def test_a_folder_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run(["true"], cwd=tmp_path / "absent", limits=ProcessLimits(), env={})
