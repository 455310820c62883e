"""From a name such as `agent:COMMAND` or `claude-code/MODEL` to its agent, with the servers that it may ask."""

import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree, which

from runner.agents.agent import Agent
from runner.agents.attempt import KIND, AgentSetting
from runner.agents.command import read_command
from runner.agents.limits import AgentLimits
from runner.agents.names import CLAUDE, CLAUDE_SDK, COMMAND, is_agent
from runner.agents.room import AgentProgram, program_of
from runner.errors import InputError
from runner.execution import stale_dirs
from runner.execution.isolation import NOT_WEAK, Isolation, Weak, permitted
from runner.prices import load_prices
from suts.claude_session import SDKS
from suts.connection import Connection, connect, is_loopback
from suts.settings import Settings, UnknownSutError
from suts.sut import Endpoint
from suts.upstreams import GOOGLE, PATHS, Upstreams

_CLAUDE_VARIABLES = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_MAX_RETRIES": "3",
}


@dataclass(slots=True)
class AgentBuilder:
    """Makes the agents of a run; the isolation is found once, when the first one is made."""

    settings: Settings
    limits: AgentLimits
    weak: Weak = NOT_WEAK
    prices: Path | None = None
    budget_usd: float | None = None
    _isolation: Isolation | None = field(default=None, init=False)

    def names(self, name: str) -> bool:
        """Return whether a name is that of an agent."""
        return is_agent(name)

    def agent(self, name: str) -> Agent:
        """Return the agent of a name. Raises InputError, also where no cell can be made; UnknownSutError."""
        if self.settings.batched:
            raise UnknownSutError(f"{name}: --batch-api: an agent asks one question after another; remove --batch-api")
        if self._isolation is None:
            stale_dirs.sweep(Path(tempfile.gettempdir()), partial(rmtree, ignore_errors=True), KIND)
            self._isolation = permitted(self.weak, "agents", network=True)
        upstreams = upstreams_of(self.settings, name)
        limits = self.limits
        if self.budget_usd is not None:
            limits = replace(limits, usd=min(limits.usd, self.budget_usd))
        setting = AgentSetting(_program(name), self._isolation, limits, upstreams)
        agent = Agent(name, _endpoint(upstreams.connections), setting, load_prices(self.prices), self.settings.now_ns)
        agent.priced = self.budget_usd is not None
        return agent


def upstreams_of(settings: Settings, name: str) -> Upstreams:
    """Return the servers that an agent or a module may ask. Raises UnknownSutError where there is none."""
    if settings.provider:
        return Upstreams({"": connect(settings)})
    providers = (
        ["anthropic"]
        if name.startswith((CLAUDE, CLAUDE_SDK))
        else [*(provider for _, provider in PATHS.values()), GOOGLE]
    )
    usable: dict[str, Connection] = {}
    missing: list[str] = []
    for provider in providers:
        try:
            usable[provider] = connect(replace(settings, provider=provider))
        except UnknownSutError as error:
            missing.append(str(error))
    if not usable:
        raise UnknownSutError(f"{name}: no server to ask: {missing[0]}")
    return Upstreams(usable)


def _endpoint(connections: Mapping[str, Connection]) -> Endpoint:
    """Return what stands for the servers of an agent: one that may cost money, if there is one."""
    paid = [connection for connection in connections.values() if not is_loopback(connection.base_url)]
    chosen = (paid or list(connections.values()))[0]
    return replace(chosen.endpoint, provider="agent", priced=False, own_limits=True)


def _program(name: str) -> AgentProgram:
    if name.startswith((CLAUDE, CLAUDE_SDK)):
        head, _, model = name.partition("/")
        if not model.strip():
            raise InputError(f"--model-ids: {name!r} names no model; write {head}/MODEL")
        if name.startswith(CLAUDE_SDK):
            return _by_sdk(model)
        words = "claude -p --output-format stream-json --verbose --permission-mode acceptEdits"
        more = ("--model", model, "--disallowedTools", "WebFetch", "WebSearch")
        return program_of((*words.split(), *more), _CLAUDE_VARIABLES)
    command = read_command(name)
    program = program_of(command.words, command.variables)
    if name.startswith(COMMAND):
        return replace(program, takes_task=command.has_task)
    return acp_program(program)


def _by_sdk(model: str) -> AgentProgram:
    """Return the script that runs Claude Code by its SDK. Raises InputError where that is not installed."""
    if not any(map(find_spec, SDKS)):
        raise InputError("--model-ids: claude-sdk/ needs an SDK of Claude Code: pip install 'evals[claude]'")
    source = files("suts").joinpath("claude_session.py").read_text(encoding="utf-8")
    python = program_of((sys.executable,), _CLAUDE_VARIABLES)
    claude = program_of(("claude",)).visible if which("claude") else ()
    words = (*python.words, "-I", "-c", source, model)
    return replace(python, words=words, visible=(*python.visible, *claude))


def acp_program(agent: AgentProgram) -> AgentProgram:
    """Return the client of the protocol, which starts an agent that speaks it."""
    source = files("runner.agents").joinpath("acp_client.py").read_text(encoding="utf-8")
    python = str(Path(sys.executable).resolve())
    return replace(agent, words=(python, "-I", "-S", "-c", source, *agent.words))
