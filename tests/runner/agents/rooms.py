"""Agents of a few lines of shell or Python, let loose in real cells."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from runner.agents.agent import Agent
from runner.agents.attempt import AgentSetting
from runner.agents.limits import AgentLimits
from runner.agents.room import program_of
from runner.agents.tree_difference import TreeDifference, difference_in
from runner.execution.isolation import Isolation, permitted
from runner.prices import Price, Prices, Rate
from runner.records import Completion
from runner.storage.streams import AnswerReader
from suts.agent_parts import WorkingFolder
from suts.connection import connect
from suts.settings import Settings
from suts.sut import Endpoint, Message, Request
from suts.upstreams import GOOGLE, PATHS, Upstreams
from tests.main_job import EVALS, KEYS, Served
from tests.runner.cells import running

ROOT = Path(__file__).parents[3]
PLAYER = ROOT / "tests" / "agents" / "player.py"
ACP_PLAYER = ROOT / "tests" / "agents" / "acp_player.py"
KEY = "sk-real-0123456789abcdef"
PROVIDERS = (*(provider for _, provider in PATHS.values()), GOOGLE)
FILES = {"src/a.py": "x = 1\n"}
RATE = Rate(1.0, 2.0)
WIDE = AgentLimits(seconds=60.0)
SPIN = "import time\nfor n in range(9): open(f'{n}', 'wb').write(b'x' * (1 << 20))\ntime.sleep(60)"
GROW = "import time\nhoard = []\nwhile True: hoard.append(b'x' * (8 << 20))"
SWARM = "for n in $(seq 60); do sleep 60 & done 2>/dev/null; wait"
# Agents that use too much of something, by the limit that ends them.
BREAKERS = {
    "seconds": (AgentLimits(seconds=0.5), ("bash", "-c", "sleep 60 & sleep 60")),
    "processes": (AgentLimits(processes=20), ("bash", "-c", SWARM)),
    "memory": (AgentLimits(memory=100 << 20), ("python3", "-c", GROW)),
    "disk": (AgentLimits(disk=4 << 20), ("python3", "-c", SPIN)),
}


def agent(
    *words: str,
    url: str = "",
    limits: AgentLimits = WIDE,
    model: str = "sim/any",
    isolation: Isolation | None = None,
) -> Agent:
    prices = Prices("2026-01-01", {f"{provider}/{model}": Price(RATE) for provider in PROVIDERS})
    endpoint = Endpoint("agent", url, "", own_limits=True, priced=False)
    keys = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY, "GEMINI_API_KEY": KEY}
    settings = [Settings(provider=provider, base_url=f"{url}/v1", environment=keys) for provider in PROVIDERS]
    upstreams = Upstreams({one.provider: connect(one) for one in settings} if url else {})
    setting = AgentSetting(program_of(words), isolation or permitted(), limits, upstreams)
    return Agent(f"agent:{words[0]}", endpoint, setting, prices, time.monotonic_ns)


async def attempted(
    tried: Agent,
    files: Mapping[str, str] = FILES,
    case_id: str = "case",
    number: int = 1,
    task: str = "Edit.",
    folder: WorkingFolder | None = None,
) -> Completion:
    folder = folder or WorkingFolder(files, case_id, number)
    request = Request("", (Message("user", task),), folder=folder)
    reading = AnswerReader(tried.wire.decoder(), None, time.monotonic_ns())
    async for received in tried.stream(request):
        reading.feed(received)
    reading.end(time.monotonic_ns())
    return reading.completion()


def ran(*words: str, limits: AgentLimits = WIDE, url: str = "", isolation: Isolation | None = None) -> Completion:
    return asyncio.run(attempted(agent(*words, limits=limits, url=url, isolation=isolation)))


def shell(script: str, limits: AgentLimits = WIDE) -> Completion:
    return ran("bash", "-c", script, limits=limits)


def python(script: str, limits: AgentLimits = WIDE) -> Completion:
    return ran(str(Path(sys.executable).resolve()), "-c", script, limits=limits)


def tree_of(completion: Completion) -> TreeDifference:
    tree = difference_in(completion.text)
    assert tree is not None
    return tree


def printed(completion: Completion) -> str:
    return b"".join(piece.data for piece in completion.stream).decode()


def killed_while_asking(command: Sequence[str], program: Path, served: Served, requests: int) -> list[str]:
    """Kill a command once the server has had so many requests; return the processes of its agents that ran then.

    None of them is left.
    """
    environ = {**os.environ, **KEYS}
    process = subprocess.Popen([str(EVALS), *command], cwd=ROOT, env=environ, stderr=subprocess.DEVNULL)
    while len(served.log()) < requests:
        assert process.poll() is None
    cells = running(program)
    process.send_signal(signal.SIGKILL)
    process.wait()
    until = time.monotonic() + 60
    while running(program):
        assert time.monotonic() < until, running(program)
    return cells
