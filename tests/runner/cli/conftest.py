"""What the tests of commands share: calling the console script's function as a person would."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from runner.cli import main

NOT_TRUSTED = "not used, this folder is not trusted; review with `evals trust`\n"


@dataclass(frozen=True)
class Done:
    code: object
    out: str
    err: str


Call = Callable[..., Done]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Calls `evals` with words; no variable of this process reaches it."""
    for name in [name for name in os.environ if name.startswith("EVALS_") or name.endswith(("_API_KEY", "_BASE_URL"))]:
        monkeypatch.delenv(name)

    def run(*words: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["evals", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            main()
        told = capsys.readouterr()
        return Done(stopped.value.code or 0, told.out, told.err)

    return run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cloned project to work in, and a user who has no settings yet and has trusted nothing."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
