"""One attempt of an agent: its room, its cell, its proxy, and its end, after which nothing of them is left."""

import asyncio
import os
import signal
import socket
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from runner.agents.door import DOOR, behind_door, behind_port, door_of, new_secret, not_started, opened_door
from runner.agents.gauges import Gauges, gauges_of
from runner.agents.limits import AgentLimits
from runner.agents.metering import AgentRecord, Meter
from runner.agents.room import AgentProgram, cell_for, environment_in
from runner.agents.tree_difference import difference
from runner.execution import stale_dirs
from runner.execution.isolation import Cell, Isolation, entered, first_processes, kept
from runner.execution.weakness import ONE_PORT
from runner.execution.workspace import Workspace, files_of
from suts.agent_parts import WorkingFolder
from suts.upstreams import Upstreams

_LOOK_S = 0.1
# A look walks through the folder: of a large one it is to take no more than so much of the time.
_LOOKING = 0.1
_END_S = 10.0
_LINE = 1 << 20
# With these a shell and `env` say that there is no such program, or none that can run.
_NOT_FOUND = (126, 127)
KIND = "agent"


@dataclass(frozen=True, slots=True)
class AgentSetting:
    """What all attempts of an agent share."""

    program: AgentProgram
    isolation: Isolation
    limits: AgentLimits
    upstreams: Upstreams


@dataclass(slots=True)
class Ending:
    """Why an attempt ends before its agent does: the first limit that was reached."""

    why: str = ""
    event: asyncio.Event = field(default_factory=asyncio.Event)

    def at(self, limit: str) -> None:
        """End the attempt at this limit."""
        self.why = self.why or limit
        self.event.set()


async def run_attempt(setting: AgentSetting, folder: WorkingFolder, task: str, meter: Meter, ending: Ending) -> None:
    """Let an agent work in a new folder, and record all of it. Raises SutError where it could not begin."""
    record = meter.record
    with tempfile.TemporaryDirectory(prefix=stale_dirs.prefix(KIND), ignore_cleanup_errors=True) as name:
        room = Path(name)
        tree = room / "work"
        tree.mkdir()
        Workspace(tree, files_of(folder.files))
        code = await _worked(setting, room, task, meter, ending, folder)
        meter.give_up()
        if code in _NOT_FOUND and not meter.requested:
            raise not_started(f"it ended with code {code}: {record.last_words}")
        changed = await asyncio.to_thread(difference, tree, folder.files)
        record.add("end", why=ending.why, code=code, means=setting.isolation.means, tree=changed.data)


async def _worked(
    setting: AgentSetting, room: Path, task: str, meter: Meter, ending: Ending, folder: WorkingFolder
) -> int | None:
    """Return the exit code of the agent; None where it was ended."""
    # Runs of models start without a server of their own.
    from suts.forwarding import forwarding

    cell = cell_for(room, setting.program, setting.isolation, setting.limits, folder.hidden)
    # A command has it on standard input, or where its words say.
    worded, fed = (_word(task), "") if setting.program.takes_task else ("", task)
    # Others can try the port where the cell has no network of its own.
    secret = "" if cell.isolation.contained else new_secret()
    async with _started(setting, room, cell, secret, worded) as (process, listener):
        gauges = gauges_of(room, cell, process.pid, setting.limits)
        async with forwarding(listener, setting.upstreams, meter, folder, secret):
            talk = asyncio.create_task(_talk(process, fed, meter.record))
            look = asyncio.create_task(_look(gauges, ending, setting.limits.seconds))
            over = asyncio.create_task(ending.event.wait())
            try:
                await asyncio.wait((talk, over), return_when=asyncio.FIRST_COMPLETED)
                # What it used up may be why it ended.
                if not ending.why and (limit := gauges.reached()):
                    ending.at(limit)
            finally:
                await _kill(process, cell)
                for part in (talk, look, over):
                    part.cancel()
                await asyncio.gather(talk, look, over, return_exceptions=True)
        return None if ending.why else process.returncode


@asynccontextmanager
async def _started(
    setting: AgentSetting, room: Path, cell: Cell, secret: str, task: str
) -> AsyncIterator[tuple[Process, socket.socket]]:
    """Start an agent that waits in its cell; yields its process and the port that it will ask at."""
    ours, theirs = socket.socketpair()
    door = door_of(secret)
    program = tuple(word.replace(DOOR, door) for word in setting.program.words)
    if ONE_PORT in cell.isolation.means:
        program = behind_port(program)
    first = behind_door(theirs.fileno(), setting.limits.disk, program, task)
    environment = environment_in(room, setting.program, door)
    with ours, theirs, entered(cell, first) as words:
        process = await asyncio.create_subprocess_exec(
            *(words if cell.isolation.contained else kept(words)),
            stdin=PIPE,
            stdout=PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=room / "work",
            env=environment,
            start_new_session=True,
            pass_fds=(theirs.fileno(),),
            limit=_LINE,
        )
        theirs.close()
        try:
            with await opened_door(ours, process) as listener:
                yield process, listener
        finally:
            await _kill(process, cell)


def _word(task: str) -> str:
    """Return a task as a word of a command, which can have no zero byte."""
    return task.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


async def _talk(process: Process, task: str, record: AgentRecord) -> None:
    """Give an agent its task, and record what it prints until it ends."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(ConnectionError):
        process.stdin.write(task.encode("utf-8", "replace"))
        await process.stdin.drain()
    process.stdin.close()
    while True:
        try:
            line = await process.stdout.readline()
        except ValueError:
            # Longer than any line that is kept.
            continue
        if not line:
            break
        record.printed(line.decode("utf-8", "replace").rstrip("\n"))
    await process.wait()


async def _look(gauges: Gauges, ending: Ending, seconds: float) -> None:
    """End the attempt when its time is up or when it uses too much."""
    loop = asyncio.get_running_loop()
    until, pause = loop.time() + seconds, _LOOK_S
    while not ending.why:
        await asyncio.sleep(min(pause, max(0.0, until - loop.time())))
        began = loop.time()
        if began >= until:
            ending.at("seconds")
        elif limit := await asyncio.to_thread(gauges.reached):
            ending.at(limit)
        pause = max(_LOOK_S, (loop.time() - began) / _LOOKING)


async def _kill(process: Process, cell: Cell) -> None:
    """End a process and all that it started in its cell."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            if not cell.isolation.contained:
                # Its keeper, which ends the others first.
                process.terminate()
            elif inner := first_processes(process.pid):
                for child in inner:
                    os.kill(child, signal.SIGKILL)
            else:
                os.killpg(process.pid, signal.SIGKILL)
    with suppress(TimeoutError):
        async with asyncio.timeout(_END_S):
            await process.wait()
