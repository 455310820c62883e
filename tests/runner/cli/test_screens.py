"""Screens as people see them, held in files: every table fits its width, whatever the terminal.

The figures are those of simulated models in virtual time. After a change of a screen that is meant, write the files
again by `WRITE_SCREENS=1 pytest tests/runner/cli/test_screens.py`, and read the difference.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.console import show
from runner.suites.completion.completion_figures import figures_of
from tests.runner.cli.conftest import Call
from tests.runner.suites.completion.test_scores import answered

ROOT = Path(__file__).parents[3]
SCREENS = ROOT / "tests" / "golden" / "screens"
EVALS = Path(sys.executable).parent / "evals"
ScreenOf = Callable[..., str]
WIDTHS = (80, 120, 200)
MODELS = ("sim/careful?time=virtual", "sim/chatty?time=virtual", "sim/sloppy?time=virtual")
DIFF = ("diff", "--model-ids", ",".join(MODELS), "--diff-apply", "v4,v3", "--max-cases", "6", "--run-id", "first")
NEXTEDIT = (
    *("nextedit", "--cases", "one.json", "--model-ids", "sim/careful?time=virtual,sim/any?time=virtual"),
    *("--run-id", "second"),
)
COMMANDS = {
    "report": ("report", "first"),
    "runs": ("runs",),
    "cost": ("cost", "first"),
    "diff": DIFF,
    "nextedit": NEXTEDIT,
}
# When a run began and how long this machine took are no business of a screen.
CHANGING = {
    r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d": "2026-01-01T00:00:00",
    r"\.\d{3}\b(?=  complete)": ".000",
    r"the event loop was late by .*": "the event loop was late by 1.0 ms (p99)",
    r"(?m)^clocks of \d+ answers? may be late: .*\n(  .*\n)?": "",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs in a database; running them again adds nothing."""
    folder = tmp_path_factory.mktemp("screens")
    (folder / "cases").mkdir()
    (folder / "cases" / "diff_edit").symlink_to(ROOT / "cases" / "diff_edit")
    (folder / "one.json").symlink_to(ROOT / "cases" / "nextedit" / "vane-cf1c5d4c73.json")
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_STATE_HOME": str(folder)}
    for words in (DIFF, NEXTEDIT):
        subprocess.run([str(EVALS), *with_cases(words)], cwd=folder, env=variables, check=True, capture_output=True)
    return folder


def with_cases(words: tuple[str, ...]) -> tuple[str, ...]:
    return (*words, "--cases", str(ROOT / "cases" / "diff_edit")) if words[0] == "diff" else words


@pytest.fixture
def screen_of(call: Call, desk: Path, monkeypatch: pytest.MonkeyPatch) -> ScreenOf:
    """What a command prints at the desk, which is no terminal; its width is told by a variable."""
    monkeypatch.chdir(desk)

    def screen(*words: str, columns: int | None = None) -> str:
        monkeypatch.delenv("COLUMNS", raising=False)
        if columns is not None:
            monkeypatch.setenv("COLUMNS", str(columns))
        done = call(*with_cases(words))
        assert done.code == 0, done.err
        return done.out

    return screen


def held(name: str, columns: int, screen: str) -> str:
    """What the file has; written first if that is asked for."""
    path = SCREENS / f"{name}-{columns}.txt"
    if os.environ.get("WRITE_SCREENS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(screen, encoding="utf-8")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_screen_is_as_it_is_held(name: str, columns: int, screen_of: ScreenOf) -> None:
    screen = screen_of(*COMMANDS[name], columns=columns)
    for pattern, fixed in CHANGING.items():
        screen = re.sub(pattern, fixed, screen)

    assert max(map(len, screen.splitlines())) <= columns
    assert screen == held(name, columns, screen)


@pytest.mark.parametrize("columns", WIDTHS)
def test_the_figures_of_completion_are_as_they_are_held(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    groups = {
        ("openrouter/qwen/qwen3-coder-480b-a35b-instruct", "fim/qwen2.5-coder", chain): {
            number: answered(f"task {number}", number % 3 != 0) for number in range(9)
        }
        for chain in ("raw", "repaired")
    }

    show(figures_of(groups).document("made answers"))

    screen = capsys.readouterr().out
    assert max(map(len, screen.splitlines())) <= columns
    assert screen == held("completion", columns, screen)


@pytest.mark.parametrize("name", COMMANDS)
def test_into_a_file_goes_every_column_without_control_characters(name: str, screen_of: ScreenOf) -> None:
    screen = screen_of(*COMMANDS[name])

    assert screen == screen_of(*COMMANDS[name], "--wide", columns=40)
    assert "--wide" not in screen
    assert all(line.isprintable() for line in screen.splitlines())
