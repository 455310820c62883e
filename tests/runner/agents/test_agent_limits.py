"""The limits of agents, as options give them."""

import pytest

from runner.agents.limits import AgentLimits, read_limits
from runner.agents.names import is_agent
from runner.agents.tree_difference import difference_in
from runner.errors import InputError
from runner.trust_policy import OPTIONS


def test_limits_are_read_by_name_and_sizes_have_units() -> None:
    limits = read_limits("turns=3, memory=2G,disk=5M,usd=0.25")

    assert limits == AgentLimits(turns=3, memory=2 << 30, disk=5 << 20, usd=0.25)
    assert read_limits("") == AgentLimits()


@pytest.mark.parametrize("text", ["turns", "turns=0", "turns=many", "usd=-1", "seconds=nan", "steps=3", "turns=2k"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--agent-limits"):
        read_limits(text)


@pytest.mark.parametrize("name", ["agent:./mine", "acp:gemini --acp", "claude-code/sonnet"])
def test_a_project_s_file_names_an_agent_only_once_it_is_trusted(name: str) -> None:
    from pathlib import Path

    assert is_agent(name)
    assert OPTIONS["model-ids"](name, Path())


def test_a_project_s_file_raises_no_limit_of_an_agent_before_it_is_trusted() -> None:
    from pathlib import Path

    assert OPTIONS["agent-limits"]("usd=1000", Path())


@pytest.mark.parametrize("text", ["", "no JSON", "[]", '{"tree": 3}', '{"tree": {"changed": []}}'])
def test_a_text_that_is_no_answer_of_an_agent_has_no_difference(text: str) -> None:
    assert difference_in(text) is None
