"""When an attempt uses too much: by the counts of both versions of cgroups, and by looking at its processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from runner.agents.gauges import Gauges, gauges_of, used_by
from runner.agents.limits import AgentLimits
from runner.execution.isolation import GROUP_ONLY, Cell

# The files as the kernel's documents have them, in the second version (admin-guide/cgroup-v2) and in the first.
QUIET_NOW = "low 0\nhigh 0\nmax 12\noom 1\noom_kill 0\noom_group_kill 0\n"
KILLED_NOW = "low 0\nhigh 0\nmax 12\noom 1\noom_kill 1\noom_group_kill 0\n"
QUIET_THEN = "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n"
KILLED_THEN = "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"
PLAY = """
import sys, threading, time
hoard = b"x" * (50 << 20)
for _ in range(3):
    threading.Thread(target=sys.stdin.read).start()
print("ready", flush=True)
"""


@pytest.mark.parametrize(
    "pids, memory, limit",
    [
        pytest.param("max 0\n", QUIET_NOW, "", id="none"),
        pytest.param("max 3\n", QUIET_NOW, "processes", id="processes"),
        pytest.param("max 0\n", KILLED_NOW, "memory", id="memory of version 2"),
        pytest.param("max 0\n", QUIET_THEN, "", id="none of version 1"),
        pytest.param("max 0\n", KILLED_THEN, "memory", id="memory of version 1"),
        pytest.param("", "", "", id="files of nothing"),
    ],
)
def test_the_counts_of_the_kernel_are_read(pids: str, memory: str, limit: str, tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    for name, text in (("pids.events", pids), ("memory.events", memory)):
        (tmp_path / name).write_text(text)

    gauges = Gauges(tmp_path / "room", 1 << 20, (tmp_path / "pids.events",), (tmp_path / "memory.events",))

    assert gauges.reached() == limit


def test_a_group_that_is_gone_counts_nothing(tmp_path: Path) -> None:
    assert Gauges(tmp_path, 1 << 20, (tmp_path / "pids.events",), (tmp_path / "memory.events",)).reached() == ""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at on Linux")
def test_threads_and_memory_of_processes_and_their_children_are_looked_at(tmp_path: Path) -> None:
    words = ["sh", "-c", '"$@"; true', "sh", sys.executable, "-I", "-S", "-c", PLAY]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        threads, own_bytes = used_by(process.pid)
        few, little, neither = (
            gauges_of(tmp_path, Cell(tmp_path, GROUP_ONLY), process.pid, limits).reached()
            for limits in (AgentLimits(processes=5), AgentLimits(memory=40 << 20), AgentLimits())
        )
        process.communicate()

    # The shell, and the interpreter with three threads besides its own.
    assert threads == 5
    assert 50 << 20 < own_bytes < 100 << 20
    assert (few, little, neither) == ("processes", "memory", "")
    assert used_by(process.pid) == (0, 0)
