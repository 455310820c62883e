"""When an attempt uses too much: by what the kernel counts where it holds a bound, else by looking at its processes."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from runner.agents.limits import AgentLimits
from runner.agents.tree_difference import bytes_in
from runner.execution.isolation import Cell
from runner.execution.keeper import descendants

_MEMORY_EVENTS = ("memory.events", "memory.oom_control")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Gauges:
    """What an attempt uses: its folder, and the files in which the kernel counts refusals of its groups.

    `pid` is the process that has entered the cell. It is looked at, with all that it started, for the limits that are
    stated here: of those that no group holds.
    """

    room: Path
    disk: int
    processes: tuple[Path, ...] = ()
    memory: tuple[Path, ...] = ()
    pid: int = 0
    most_processes: int | None = None
    most_memory: int | None = None

    def reached(self) -> str:
        """Return the limit that is reached, "" if none."""
        if any(_counted(path, "max") for path in self.processes):
            return "processes"
        if any(_counted(path, "oom_kill") for path in self.memory):
            return "memory"
        return self._looked_at() or ("disk" if bytes_in(self.room) > self.disk else "")

    def _looked_at(self) -> str:
        if self.most_processes is None and self.most_memory is None:
            return ""
        threads, own_bytes = used_by(self.pid)
        if self.most_processes is not None and threads >= self.most_processes:
            return "processes"
        return "memory" if self.most_memory is not None and own_bytes > self.most_memory else ""


def gauges_of(room: Path, cell: Cell, pid: int, limits: AgentLimits) -> Gauges:
    """Return the gauges of a process that has entered its cell."""
    processes, memory = [], []
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            group = line.rpartition("/")[2]
            if group and cell.isolation.cgroup is not None:
                processes.append(cell.isolation.cgroup / group / "pids.events")
            if group and cell.isolation.memory_cgroup is not None:
                memory += [cell.isolation.memory_cgroup / group / name for name in _MEMORY_EVENTS]
    by_kernel = [tuple(path for path in paths if path.exists()) for paths in (processes, memory)]
    return Gauges(
        room,
        limits.disk,
        by_kernel[0],
        by_kernel[1],
        pid,
        None if by_kernel[0] else limits.processes,
        None if by_kernel[1] else limits.memory,
    )


def used_by(pid: int) -> tuple[int, int]:
    """Return the threads of a process and of all that it started, and the bytes of their memory that no file backs."""
    threads = pages = 0
    for number in (pid, *descendants(pid)):
        with suppress(OSError, ValueError):
            threads += sum(1 for _ in Path(f"/proc/{number}/task").iterdir())
            _, resident, shared, *_ = map(int, Path(f"/proc/{number}/statm").read_text().split())
            pages += resident - shared
    return threads, pages * _PAGE


def _counted(path: Path, name: str) -> int:
    """Return a count of the kernel's; 0 where its group is gone."""
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return 0
    return next((int(words[1]) for words in lines if len(words) == 2 and words[0] == name), 0)
