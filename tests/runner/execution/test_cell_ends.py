"""What runs in a cell is bounded, and is gone when the cell has ended, however it ends."""

import os
import subprocess
import sys
import time
from pathlib import Path

from runner.execution import stale_dirs
from runner.execution.isolation import Cell, entered
from runner.execution.sandbox import ProcessLimits
from tests.runner.cells import python, running

# Two to the ninth processes at most, and each for three seconds at most: harmless even where nothing held it.
BOMB = """
import os, pathlib, signal, time
for _ in range(9):
    signal.alarm(3)
    try:
        os.fork()
    except OSError:
        pass
pathlib.Path(f"was-{os.getpid()}").touch()
time.sleep(0.5)
"""


def test_a_bomb_of_forks_is_bounded_and_gone(cell: Cell) -> None:
    python(BOMB, cell, ProcessLimits(wall_s=6))

    assert 2 <= len(list(cell.folder.glob("was-*"))) < cell.processes


def test_a_child_in_a_session_of_its_own_does_not_live_on(cell: Cell) -> None:
    ran = python(
        "import subprocess, sys;"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', sys.argv[1]], start_new_session=True)",
        cell,
    )

    assert ran.exit_code == 0
    assert ran.wall_s < 30


def test_the_deadline_ends_the_whole_cell(cell: Cell) -> None:
    code = "import os, time\nif os.fork() == 0: os.setsid()\ntime.sleep(60)"

    ran = python(code, cell, ProcessLimits(wall_s=0.5))

    assert ran.timed_out
    assert ran.wall_s < 30


def test_a_killed_command_ends_with_128_more_than_its_signal(cell: Cell) -> None:
    assert python("import os; os.kill(os.getpid(), 9)", cell).exit_code == 128 + 9


def test_no_group_is_left_behind(cell: Cell) -> None:
    def groups() -> list[Path]:
        """Those of this process: others on the machine have their own."""
        return [] if cell.isolation.cgroup is None else [*cell.isolation.cgroup.glob(f"{stale_dirs.prefix('cell')}*")]

    with entered(cell, ["true"]) as words:
        inside = groups()
        subprocess.run(words, cwd=cell.folder, check=True)

    assert len(inside) == (cell.isolation.cgroup is not None)
    assert groups() == []


def test_our_own_death_ends_a_cell(cell: Cell) -> None:
    code = f"""
import pathlib
from runner.execution.isolation import Cell, strongest
from runner.execution.sandbox import ProcessLimits, run
folder = pathlib.Path({str(cell.folder)!r})
command = ["/bin/sh", "-c", "touch started; sleep 60; true", str(folder)]
run(command, cwd=folder, limits=ProcessLimits(wall_s=60), env={{}}, cell=Cell(folder, strongest()))
"""
    ours = subprocess.Popen([sys.executable, "-c", code])
    while not (cell.folder / "started").exists():
        assert ours.poll() is None
        time.sleep(0.02)

    groups = groups_of(cell)

    ours.kill()
    ours.wait()

    until = time.monotonic() + 60
    while running(cell.folder) and time.monotonic() < until:
        time.sleep(0.02)
    # A process that was killed cannot remove its group, which is empty now.
    for group in groups:
        remove(group, until)


def groups_of(cell: Cell) -> list[Path]:
    """The groups that a process which names the cell's folder is in; those of other tests are none of our business."""
    if cell.isolation.cgroup is None:
        return []
    return [
        group
        for group in cell.isolation.cgroup.glob("evals-*")
        if any(names(pid, cell.folder) for pid in members(group))
    ]


def members(group: Path) -> list[str]:
    try:
        return (group / "cgroup.procs").read_text().split()
    except OSError:
        return []


def names(pid: str, folder: Path) -> bool:
    try:
        return os.fsencode(str(folder)) in Path("/proc", pid, "cmdline").read_bytes()
    except OSError:
        return False


def remove(group: Path, until: float) -> None:
    while True:
        try:
            group.rmdir()
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.02)
        else:
            return
