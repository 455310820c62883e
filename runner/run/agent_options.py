"""The options of commands that can run coding agents."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated

from typer import Option

from runner.errors import InputError
from runner.pool import PROCESSES
from runner.run.options import AskOptions
from runner.run.resolve import split_models

if TYPE_CHECKING:
    from suts.sut import Sut

_LIMITS = (
    "The limits of each attempt of an agent, as name=value,...: seconds, turns, calls, usd, processes, memory, disk."
)
_WEAK = "Run agents and edit tools even where no whole cell can be made: at worst they have all your permissions."
AgentLimitsText = Annotated[str, Option("--agent-limits", help=_LIMITS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOptions(AskOptions):
    """The options of a command that can run coding agents."""

    agent_limits: AgentLimitsText = ""
    weak_sandbox: Annotated[bool, Option("--weak-sandbox", help=_WEAK)] = False

    @property
    def agents(self) -> bool:
        """Whether the systems are coding agents. Raises InputError where only some are."""
        from runner.agents.names import all_agents

        return all_agents(split_models(self.model_ids)) if self.model_ids.strip() else False

    def say_unused(self, say: Callable[[str], None], *names: str) -> None:
        """Say which of these options are given although agents have no use for them."""
        defaults = {field.name: field.default for field in fields(self)}
        unused = [f"--{name.replace('_', '-')}" for name in names if getattr(self, name) != defaults[name]]
        if unused:
            say(
                f"{', '.join(unused)}: for models; agents have a task and a reading of their own, so it changes nothing"
            )

    @property
    def builder(self) -> "Callable[[str], Sut]":
        """The function from the name of a model or an agent to a system, for these options."""
        return builder_with_agents(self, self.agent_limits, weak=self.weak_sandbox)


def builder_with_agents(options: AskOptions, limits: str, *, weak: bool) -> "Callable[[str], Sut]":
    """Return a function from the name of a model or an agent to a system. Raises InputError for limits."""
    from runner.agents.limits import read_limits
    from runner.agents.opening import AgentBuilder
    from runner.execution.isolation import Weak
    from suts.registry import resolve

    chosen = options.sut_settings
    agents = AgentBuilder(chosen, read_limits(limits), Weak(weak, options.yes), options.prices, options.budget)

    def built(name: str) -> "Sut":
        if not agents.names(name):
            return resolve(name, chosen)
        if options.executor != PROCESSES:
            raise InputError(f"--executor: {name} works on this machine; remove --executor {options.executor}")
        if chosen.replicas:
            raise InputError(f"--base-url: is given {len(chosen.replicas)} times, and {name} takes one; give it once")
        return agents.agent(name)

    return built
