"""Coding agents as the systems of a nextedit run: their prompt, how they are recorded, what their limits are."""

from collections.abc import Iterable, Mapping, Sequence

from runner.agents.agent import limits_of as agents_limits
from runner.agents.answers import figures_in
from runner.agents.names import all_agents
from runner.agents.tree_difference import difference_in
from runner.run.tree_scoring import agent_detail
from runner.run.variants import Part, PartName, variants_of
from runner.suites.nextedit.folder_question import FOLDER_PROMPT
from runner.variant import AGENT_READING, Variant
from suts.sut import Sut

FOLDER_PROMPTS = (FOLDER_PROMPT,)


def are_agents(names: Sequence[str]) -> bool:
    """Return whether systems are agents. Raises InputError where only some are."""
    return all_agents(names)


def limits_of(suts: Iterable[Sut]) -> dict[str, object]:
    """Return the limits of agents, for the identity of a run."""
    return {"parser": AGENT_READING, "agent_limits": agents_limits(suts)}


def attempt_detail(parser: str, answer: str) -> Mapping[str, object]:
    """Return what is kept of an agent's attempt itself; nothing of an answer that another parser reads."""
    return agent_detail(figures_in(answer), difference_in(answer)) if parser == AGENT_READING else {}


def agent_variants(sut: Sut, prompt: Part) -> tuple[Variant, ...]:
    """Return how an agent is recorded."""
    return tuple(variants_of((sut,), (prompt,), PartName(AGENT_READING)))
