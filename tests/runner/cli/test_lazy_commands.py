"""The table of commands: every line of it holds, and only the command that is called is loaded."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from runner.cli import COMMANDS, app
from runner.cli.defaults import called_commands, commands_of, options_of
from tests.runner.cli.conftest import Call

# Modules that belong to one command each.
OWNERS = {"runner.cli.diff": "diff", "runner.cli.study": "study", "runner.cli.nextedit": "nextedit"}
# typer's validators: plain values of options are read without them, as importing them takes long.
VALIDATORS = "pydantic"
# An option of these words is another one: whose stored answer is shown, not whom to ask.
FILTERS = {("stream", "sut"), ("stream", "prompt"), ("diagnose", "prompt"), ("show", "prompt"), ("completion", "limit")}


def group() -> TyperGroup:
    made = get_command(app)
    assert isinstance(made, TyperGroup)
    return made


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_s_line_in_the_help_is_the_first_of_its_own(name: str) -> None:
    loaded = group().commands[name]

    assert loaded.name == name
    assert (loaded.help or "").split("\n")[0] == COMMANDS[name].summary


def test_the_help_has_one_line_of_80_columns_for_each_command(call: Call) -> None:
    lines = call("--help").out.split("Commands:\n")[1].rstrip().split("\n")

    assert [line.split()[0] for line in lines] == list(COMMANDS)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    "words, loaded",
    [
        pytest.param(["--help"], set(), id="the help"),
        pytest.param(["prompts"], set(), id="another command"),
        pytest.param(["diff", "--help"], {"runner.cli.diff"}, id="a command's help"),
        pytest.param(["diff", "--model-ids", "x", "--budget", "2.5"], {"runner.cli.diff"}, id="a command"),
        pytest.param(["diff", "--max-cases", "x"], {"runner.cli.diff", VALIDATORS}, id="a wrong value"),
        pytest.param(["--explain-config", "diff"], {"runner.cli.diff"}, id="an option before the command"),
        pytest.param(["nosuch"], set(), id="an unknown command"),
    ],
)
def test_only_what_is_called_is_loaded(words: list[str], loaded: set[str], tmp_path: Path) -> None:
    assert loaded_by(words, tmp_path) == loaded


def test_a_file_whose_keys_are_to_be_checked_loads_all(tmp_path: Path) -> None:
    (tmp_path / "evals.toml").write_text('[study]\nagainst = "sari"\n')

    assert loaded_by(["prompts"], tmp_path) == set(OWNERS)


def loaded_by(words: list[str], folder: Path) -> set[str]:
    """Which of the owned modules, and of the validators, a call of evals in a folder imports."""
    script = (
        "import sys\nfrom runner.cli import main\nsys.argv[0] = 'evals'\n"
        "try:\n    main()\nexcept SystemExit:\n    print('loaded', *sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", script, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=True)
    return set(done.stderr.split("loaded")[-1].split()) & {*OWNERS, VALIDATORS}


@pytest.mark.parametrize(
    "words, called",
    [
        pytest.param(["runs", "--db", "x"], [("runs",)], id="a command"),
        pytest.param(
            ["cases", "check"], [("cases", name) for name in ("new", "mine", "import", "check")], id="a group"
        ),
        pytest.param(["--explain-config", "runs"], [("runs",)], id="a flag before the command"),
        pytest.param(["--help"], [], id="no command"),
        pytest.param(["nosuch"], [], id="an unknown command"),
    ],
)
def test_the_called_command_is_the_first_word_that_is_no_option(
    words: list[str], called: list[tuple[str, ...]]
) -> None:
    assert [path for path, _ in called_commands(group(), words)] == called


def test_an_unknown_command_is_told_the_nearest_one(call: Call) -> None:
    done = call("dif")

    assert done.code == 2
    assert "No such command 'dif'. Did you mean 'diff'?" in done.err


def test_the_options_before_a_command_are_flags() -> None:
    assert [option.name for option in group().params if not getattr(option, "is_flag", False)] == []


def test_options_that_mean_the_same_have_one_main_name() -> None:
    main: dict[str, set[str]] = {}
    for path, command in commands_of(group()):
        for name, option in options_of(command).items():
            if (path[0], name) not in FILTERS:
                main.setdefault(name, set()).add(option.opts[0])

    assert len(main) > 80
    assert {name: firsts for name, firsts in main.items() if len(firsts) > 1} == {}
