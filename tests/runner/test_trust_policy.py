"""What needs trust in a project's file: every option of every command is in one place, or harmless."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperGroup, TyperOption
from typer.main import get_command

from runner.cli import app
from runner.cli.defaults import long_names
from runner.trust_policy import LIMITS, OPTIONS, option_needs_trust, variable_needs_trust
from suts import PROVIDERS

SUSPICIOUS = re.compile(
    r"url|http|proxy|host|port$|key|token$|secret|auth|"
    r"yes|consent|force|ping|ask|trust|"
    r"command|cmd|exec|run$|python|interpreter|install|program|external|lsp|server|plugin|module|import|"
    r"sandbox|network|env|insecure|unsafe|weak|allow|clone|root|"
    r"sut|model|parser|algorithm|apply|metric|chain|prompt|suite|wire|order|"
    r"delete|remove|prune|drop|streams|texts|overwrite|revoke"
)
# Looked at: names that match, and cannot do harm.
HARMLESS = {
    "port": "of a server on this machine",
    "key-env": "the variable with the key that serve-sim asks of its clients",
    "trace": "shows what is there",
    "dry-run": "asks nobody",
    "allow-failing": "leaves tests out of a data set",
    "module-timeout": "a number",
    "model": "of a stored answer (stream), or a path (codrep predict)",
    "models": "a regular expression",
    "run": "of a stored answer",
    "explain-config": "shows what is there",
    "trust": "cannot be set in a file",
    "revoke": "trusts less",
    "wait-for-server": "a time",
}


def group_options(command: object) -> Iterator[TyperOption]:
    """The options of a command and of all below it, those of groups included."""
    yield from (option for option in getattr(command, "params", ()) if isinstance(option, TyperOption))
    if isinstance(command, TyperGroup):
        for below in command.commands.values():
            yield from group_options(below)


ALL_OPTIONS = list(group_options(get_command(app)))


def test_every_option_with_a_suspicious_name_is_in_the_policy_or_known_to_be_harmless() -> None:
    open_ones = {
        name
        for option in ALL_OPTIONS
        if not option.type_descriptor.is_path and not OPTIONS.keys() & set(long_names(option))
        for name in long_names(option)
        if SUSPICIOUS.search(name)
    }

    assert open_ones - HARMLESS.keys() == set()


def test_every_line_of_the_policy_is_about_an_option_that_exists() -> None:
    names = {name for option in ALL_OPTIONS for name in long_names(option)}

    assert (OPTIONS.keys() | LIMITS) - names == set()


@pytest.mark.parametrize("variable", sorted({name for each in PROVIDERS.values() for name in each.base_url_variables}))
def test_the_base_url_of_every_provider_needs_trust_in_dotenv(variable: str, tmp_path: Path) -> None:
    assert variable_needs_trust(variable, "https://stranger.example", tmp_path)
    assert not variable_needs_trust(variable, " ", tmp_path)


def test_a_key_in_dotenv_needs_no_trust(tmp_path: Path) -> None:
    assert not any(
        variable_needs_trust(name, "sk-x", tmp_path) for each in PROVIDERS.values() for name in each.key_variables
    )


@pytest.mark.parametrize(
    "name,value,needs",
    [
        ("model-ids", "sim/careful,openai/gpt-x@effort=low", False),
        ("model-ids", "ollama/qwen2.5-coder:7b", False),
        ("model-ids", "sim/careful,mine.models:Thing", True),
        ("sut", "rules,historian:main.py", True),
        ("sut", "rules, mine.py", True),
        ("sut", "http://127.0.0.1:8123", True),
        ("parser", "xml-tools-v2", False),
        ("parser", "mine:parser", True),
        ("metric", ["es-token", "mine:metric"], True),
        ("wire", ["mine:wire"], True),
        ("order", "graph", False),
        ("order", "llm:openai/gpt-x", False),
        ("order", "llm:mine:Model/x", True),
        ("streams", True, True),
        ("texts", True, True),
        ("host", "127.0.0.1", False),
        ("host", "::1", False),
        ("host", "localhost", False),
        ("host", "0.0.0.0", True),  # noqa: S104 - what is to be refused
        ("prompts", "basic,mine/own.md", False),
        ("prompts", "basic,../own.md", True),
        ("datasets", ["a:/b"], True),
        ("clone", False, False),
        ("clone", True, True),
        ("seed", 1, False),
    ],
)
def test_some_values_need_trust_and_others_do_not(name: str, value: object, needs: bool, tmp_path: Path) -> None:
    assert option_needs_trust([name], value, tmp_path, is_path=False) == needs


def test_a_path_needs_trust_where_it_leaves_the_folder(tmp_path: Path) -> None:
    inside = ("a/b.db", "a/../b.db", str(tmp_path / "b.db"), ".")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "out").symlink_to("/")

    assert not any(option_needs_trust(["db"], value, tmp_path, is_path=True) for value in inside)
    assert all(
        option_needs_trust(["db"], value, tmp_path, is_path=True)
        for value in ("../b.db", "/b.db", "a/../../b.db", "out/b.db", "loop/b.db", "a\0b")
    )
