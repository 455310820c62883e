"""What is shut in a cell cannot reach out of it, and is gone when it has ended."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from runner.execution.isolation import GROUP_ONLY, Cell, Isolation, entered, strongest
from runner.execution.sandbox import ProcessLimits, run
from tests.runner.cells import python


def test_what_is_inside_can_be_written_and_what_is_outside_cannot(cell: Cell) -> None:
    outside = cell.folder.parent / "outside"

    ran = python(f"open('in', 'w').write('a'); open({str(outside)!r}, 'w')", cell)

    assert ran.exit_code == 1
    assert b"Read-only file system" in ran.stderr
    assert (cell.folder / "in").read_text() == "a"
    assert not outside.exists()


def test_what_is_hidden_cannot_be_seen_not_even_around_the_folder(tmp_path: Path, isolation: Isolation) -> None:
    beside, folder, secret = tmp_path / "base" / "beside", tmp_path / "base" / "a cell", tmp_path / "secret"
    for made in (beside, folder / "tree"):
        made.mkdir(parents=True)
    (beside / "x").write_text("truth")
    (folder / "tree" / "in").write_text("in")
    secret.write_text("truth")
    hidden = (tmp_path / "base", secret, tmp_path / "absent")
    code = (
        f"import os; print(os.getcwd(), os.listdir({str(tmp_path / 'base')!r}), repr(open({str(secret)!r}).read()),"
        " open('in').read()); open('out', 'w').write('out')"
    )

    ran = run(
        [sys.executable, "-I", "-c", code],
        cwd=folder / "tree",
        limits=ProcessLimits(),
        env={},
        cell=Cell(folder, isolation, hidden=hidden),
    )

    assert (ran.stdout.decode(), ran.stderr) == (f"{folder / 'tree'} ['a cell'] '' in\n", b"")
    assert (folder / "tree" / "out").read_text() == "out"
    assert (beside / "x").read_text() == secret.read_text() == "truth"


def test_a_hidden_folder_may_have_file_systems_of_its_own(tmp_path: Path, isolation: Isolation) -> None:
    if isolation.cgroup is None:
        pytest.skip("only root mounts file systems")
    folder, below = tmp_path / "cell", tmp_path / "hidden" / "below"
    for made in (folder, below):
        made.mkdir(parents=True)
    code = f"""
import pathlib
from runner.execution.isolation import Cell, strongest
from runner.execution.sandbox import ProcessLimits, run
folder, hidden = pathlib.Path({str(folder)!r}), pathlib.Path({str(below.parent)!r})
cell = Cell(folder, strongest(), hidden=(hidden,))
print(run(["ls", str(hidden)], cwd=folder, limits=ProcessLimits(), env={{}}, cell=cell).exit_code)
"""
    words = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs "$1" && shift && exec "$@"', "sh", str(below)]

    done = subprocess.run([*words, sys.executable, "-c", code], capture_output=True, check=False)

    assert (done.stdout, done.stderr) == (b"0\n", b"")


def test_nothing_can_be_written_where_something_is_hidden(cell: Cell) -> None:
    beside = cell.folder.with_name("beside")
    beside.mkdir()

    ran = python(f"open({str(beside / 'x')!r}, 'w')", replace(cell, hidden=(beside,)))

    assert b"Read-only file system" in ran.stderr


def test_a_privileged_command_can_make_cells_of_its_own_and_is_shut_in_all_the_same(cell: Cell) -> None:
    outside = cell.folder.parent / "outside"
    script = f"unshare --pid --fork --mount-proc sh -c 'echo $$; echo x > {outside}'"

    with entered(cell, ["/bin/sh", "-c", script], privileged=True) as words:
        done = subprocess.run(words, cwd=cell.folder, capture_output=True, check=False)

    assert (done.stdout, done.returncode != 0) == (b"1\n", True)
    assert not outside.exists()


def test_shared_memory_is_empty_and_goes_away(cell: Cell) -> None:
    shared = Path("/dev", "shm")
    name = f"evals-test-{os.getpid()}"

    ran = python(f"import os; print(os.listdir('{shared}')); open('{shared}/{name}', 'w')", cell)

    assert (ran.exit_code, ran.stdout) == (0, b"[]\n")
    assert not (shared / name).exists()


def test_the_settings_of_the_kernel_cannot_be_written(cell: Cell) -> None:
    # Opened alone does no harm, even where nothing held it.
    code = """
import os
for place in ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/swappiness", "/proc/self/oom_score_adj"):
    try:
        os.close(os.open(place, os.O_WRONLY))
        print(place)
    except OSError as error:
        print(error.strerror)"""

    told = python(code, cell).stdout.decode().splitlines()
    # Who is not root is not permitted to in the first place.
    assert len(told) == 3
    assert {*told} <= {"Read-only file system", "Permission denied"}


def test_there_are_no_devices_but_harmless_ones(cell: Cell) -> None:
    ran = python("import os; print(sorted(os.listdir('/dev'))); open('/dev/x', 'w')", cell)

    usual = {
        "fd",
        "full",
        "null",
        "ptmx",
        "pts",
        "random",
        "shm",
        "stderr",
        "stdin",
        "stdout",
        "tty",
        "urandom",
        "zero",
    }
    computing = ("kfd", "dri", "dxg", "nvidia")
    found = eval(ran.stdout)  # noqa: S307 - our own words
    assert {name for name in found if not name.startswith(computing)} == usual
    assert b"Read-only file system" in ran.stderr


def test_the_usual_devices_work(cell: Cell) -> None:
    code = """
import multiprocessing, os, pty
assert open("/dev/zero", "rb").read(2) == bytes(2) and len(os.urandom(3)) == 3
open("/dev/null", "w").write("x")
open("/dev/stderr", "w").write("told\\n")
ours, theirs = pty.openpty()
os.write(theirs, b"x")
with multiprocessing.Lock():
    print(os.read(ours, 1).decode(), os.ttyname(theirs))"""

    ran = python(code, cell)

    assert (ran.stdout, ran.stderr) == (b"x /dev/pts/0\n", b"told\n")


def test_a_folder_in_the_shared_memory_can_be_a_cell_and_the_rest_is_not_seen(isolation: Isolation) -> None:
    shared = Path("/dev", "shm")
    with TemporaryDirectory(dir=shared) as folder, TemporaryDirectory(dir=shared) as more:
        inner = Path(folder, "all", "one")
        inner.mkdir(parents=True)
        (inner.parent / "other").mkdir()
        cell = Cell(inner, isolation, hidden=(inner.parent,), writable=(Path(more),))
        code = f"""
import multiprocessing, os
multiprocessing.Lock()
open("in", "w").write("a")
open("{more}/in", "w").write("b")
print([sorted(os.listdir(one)) for one in ("{shared}", "{inner.parent}")])"""

        ran = python(code, cell)

        assert ran.stderr == b""
        assert ((inner / "in").read_text(), Path(more, "in").read_text()) == ("a", "b")
        assert eval(ran.stdout) == [sorted(Path(one).name for one in (folder, more)), ["one"]]  # noqa: S307 - our own words


def test_what_is_permitted_does_not_depend_on_where_temporary_files_are(
    isolation: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = Path("/dev", "shm")
    if not os.access(shared, os.W_OK):
        pytest.skip("there is no shared memory that can be written")
    monkeypatch.setattr("tempfile.tempdir", str(shared))

    assert strongest() == isolation


def test_there_is_no_network_but_an_own_loopback(cell: Cell) -> None:
    code = (
        "import socket; print(sorted(n for _, n in socket.if_nameindex())); socket.create_connection(('192.0.2.1', 9))"
    )

    ran = python(code, cell)

    assert ran.stdout == b"['lo']\n"
    assert b"Network is unreachable" in ran.stderr


@pytest.mark.parametrize("signal_name", ["SIGTERM", "SIGKILL"])
def test_a_command_cannot_kill_its_parent(cell: Cell, signal_name: str) -> None:
    ran = python(f"import os, signal; os.kill(os.getppid(), signal.{signal_name}); print('on')", cell)

    assert (ran.exit_code, ran.stdout) == (0, b"on\n")


def test_a_command_sees_no_process_but_its_own(cell: Cell) -> None:
    ran = python(
        "import os; print(sorted({*map(int, filter(str.isdigit, os.listdir('/proc')))} - {os.getpid()}))", cell
    )

    assert ran.stdout == b"[1]\n"


def test_there_are_no_privileges_left(cell: Cell) -> None:
    status = python("print(open('/proc/self/status').read())", cell).stdout.decode()

    capabilities = dict(line.split(":\t", 1) for line in status.splitlines() if line.startswith("Cap"))
    assert set(capabilities.values()) == {"0" * 16}
    assert "NoNewPrivs:\t1" in status


def test_limits_hold_in_a_cell_too(cell: Cell) -> None:
    ran = python("bytearray(10 << 30)", cell)

    assert ran.exit_code == 1
    assert b"MemoryError" in ran.stderr


def test_a_folder_whose_name_has_blanks_can_be_a_cell(tmp_path: Path, isolation: Isolation) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()

    ran = run(["touch", "x"], cwd=folder, limits=ProcessLimits(), env={}, cell=Cell(folder, isolation))

    assert ran.exit_code == 0, ran.stderr
    assert (folder / "x").exists()


def test_without_isolation_a_command_is_run_as_it_is(tmp_path: Path) -> None:
    with entered(Cell(tmp_path), ["true", "x"]) as words:
        assert words == ["true", "x"]
    assert not GROUP_ONLY.whole


def test_signals_that_we_ignore_are_heard_in_a_cell(cell: Cell) -> None:
    # As with nohup, or in the background of a script.
    code = f"""
import pathlib, sys
from runner.execution.isolation import Cell, strongest
from runner.execution.sandbox import ProcessLimits, run
folder = pathlib.Path({str(cell.folder)!r})
look = "import signal; print(*(signal.getsignal(one) for one in (1, 2, 3)))"
cell = Cell(folder, strongest())
print(run([sys.executable, "-c", look], cwd=folder, limits=ProcessLimits(), env={{}}, cell=cell).stdout)
"""

    done = subprocess.run(
        ["sh", "-c", 'trap "" HUP INT QUIT; exec "$@"', "sh", sys.executable, "-c", code],
        capture_output=True,
        check=False,
    )

    assert b"b'0 <built-in function default_int_handler> 0\\n'" in done.stdout, done.stderr


def test_all_processes_together_use_no_more_memory_than_they_may(cell: Cell) -> None:
    assert ("memory-cgroup" in cell.isolation.means) == (cell.isolation.memory_cgroup is not None)
    if cell.isolation.memory_cgroup is None:
        pytest.skip("there are no groups with a bound on memory here")
    code = """
import os, signal
ours = [os.fork() for _ in range(4)]
if 0 in ours:
    signal.alarm(20)
    bytearray(b"x") * (60 << 20)
    signal.pause()
first, status = os.wait()
print(os.WTERMSIG(status))
for one in {*ours} - {first}:
    os.kill(one, 15)"""

    ran = python(code, replace(cell, memory_bytes=200 << 20), ProcessLimits(wall_s=30))

    assert ran.stdout == b"9\n", ran
