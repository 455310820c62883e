"""The commands of agents: variables before them, the task among their words, and what is visible of what they name."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from runner.agents.agent import Agent
from runner.agents.command import read_command
from runner.agents.limits import AgentLimits
from runner.agents.opening import AgentBuilder
from runner.agents.room import program_of
from runner.errors import InputError
from runner.run.resolve import split_models
from suts.settings import Settings
from suts.sut import SutError
from tests.main_job import evals
from tests.runner.agents.rooms import attempted, printed, tree_of

TASK = "Say 'yes' to {proxy},\nand no more."


def agent_of(name: str) -> Agent:
    return AgentBuilder(Settings(base_url="http://127.0.0.1:9/v1"), AgentLimits(seconds=60.0)).agent(name)


def printed_by(name: str) -> list[str]:
    """The lines that the agent of a name prints in an attempt."""
    done = asyncio.run(attempted(agent_of(name), task=TASK))
    lines = [json.loads(line) for line in printed(done).splitlines()]
    return [line["d"] for line in lines if line["t"] == "out"]


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["agent:A='{\"a\":1,\"b\":2}' x -c 'p={a=1,b=2}'", "acp:y"], id="quoted commas"),
        pytest.param(["agent:/n/@openai/codex.js", "acp:y a=b"], id="the next one after a path with @"),
        pytest.param(["agent:echo it\\'s", "acp:y"], id="an escaped quote"),
    ],
)
def test_a_comma_within_quotes_ends_no_name(names: list[str]) -> None:
    assert split_models(",".join(names)) == tuple(names)


def test_variables_stand_before_a_command_as_for_a_shell() -> None:
    command = read_command("agent:A=1 B='x, y' program C=3")

    assert command.variables == {"A": "1", "B": "x, y"}
    assert command.words == ("program", "C=3")


@pytest.mark.parametrize("name", ["agent:", "agent:A=1", "agent:'a"])
def test_a_name_without_a_command_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="--model-ids"):
        read_command(name)


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "GITHUB_TOKEN", "secret", "Db_Password"])
def test_a_variable_that_seems_to_hold_a_secret_is_refused_without_its_value(variable: str) -> None:
    with pytest.raises(InputError, match=f"{variable} seems to be a secret") as refused:
        read_command(f"agent:{variable}=abcdefgh12345 codex exec")

    assert "abcdefgh" not in str(refused.value)
    assert read_command(f"agent:{variable}=none MAX_TOKENS=100000000 run").variables[variable] == "none"


@pytest.mark.slow
def test_the_task_is_a_word_where_the_command_says_so_and_else_on_standard_input() -> None:
    as_word = printed_by("""agent:A="{proxy}" sh -c 'echo "$A"; cat; printf "%s\\n" "$0"' {task}""")
    as_input = printed_by("agent:cat")

    assert as_word[0].startswith("http://127.0.0.1:")
    assert as_word[1:] == TASK.split("\n") == as_input


@pytest.mark.slow
def test_a_task_that_is_too_long_for_a_word_is_no_fault_of_the_agent() -> None:
    with pytest.raises(SutError, match=r"the attempt could not be made: .*too long"):
        asyncio.run(attempted(agent_of("agent:echo {task}"), task="x" * (1 << 18)))


@pytest.mark.slow
def test_of_a_program_that_a_script_starts_its_package_is_visible_and_of_a_setting_its_file(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "node_modules" / "package"
    package.mkdir(parents=True)
    (package / "part.sh").write_text("echo 'y = 2' >> src/a.py\n")
    (package / "cli.sh").write_text(f"#!/usr/bin/env own-shell\n. {package}/part.sh\ncat $1 $FILE\n")
    (package / "cli.sh").chmod(0o755)
    (tmp_path / "bin").mkdir()
    shutil.copy("/bin/bash", tmp_path / "bin" / "own-shell")
    for name in ("first", "second", "hidden"):
        (tmp_path / name).write_text(f"the {name} one\n")

    script = '\'"$0" "${1#*=}"; cat "${1%/*}"/hidden\''
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PATH", str(tmp_path / "bin"), prepend=":")
        name = f"agent:FILE={tmp_path}/second sh -c {script} {package}/cli.sh set={tmp_path}/first"
        done = asyncio.run(attempted(agent_of(name)))

    assert tree_of(done).changed == {"src/a.py": "x = 1\ny = 2\n"}, printed(done)
    assert "the first one" in printed(done)
    assert "the second one" in printed(done)
    assert "the hidden one" not in printed(done)


def test_a_program_that_is_named_beside_others_shows_no_home(tmp_path: Path) -> None:
    script = tmp_path / "python-agent"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)

    assert program_of(("sh", str(script))).visible == (script,)


@pytest.mark.parametrize(
    "words, unused",
    [
        (("diff", "agent:true", "--prompts", "strict", "--edit-tool", "v4a"), "--prompts, --edit-tool"),
        (("edit", "run", "cases/edit/problems.jsonl", "--sut", "agent:true", "--diff-apply", "v3"), "--diff-apply"),
        (("completion", "run", "cases/completion/shelf.jsonl", "agent:true", "--max-context", "99"), "--max-context"),
        (("nextedit", "agent:true", "--parser", "xml-tools-v1"), "--parser"),
    ],
    ids=["diff", "edit", "completion", "nextedit"],
)
def test_options_that_agents_have_no_use_for_are_named_before_a_run(words: tuple[str, ...], unused: str) -> None:
    done = evals(*words, "--dry-run", "--base-url", "http://127.0.0.1:9/v1")

    assert done.returncode == 0, done.stderr
    assert f"{unused}: for models; agents have a task and a reading of their own" in done.stderr
