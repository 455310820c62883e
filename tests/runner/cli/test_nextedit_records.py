"""What a run of `evals nextedit` leaves on record: what was asked, in which order, and the figures that follow from it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from runner.cli import app
from runner.cli.nextedit_variables import NAMES
from tests.next_edit import cases_folder

CASE = cases_folder() / "knobs-ef8ee13de7.json"
MODEL = "sim/careful?ttft_ms=0&gap_ms=0&time=virtual"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def call(*words: object) -> Result:
    done = CliRunner().invoke(app, [*(str(word) for word in words), "--db", "x.db"])
    assert done.exit_code == 0, done.output
    return done


def replayed(*words: object, cases: Path = CASE) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call("nextedit", "--cases", cases, "--json", "--yes", *words).stdout)
    return found


class TestQuestions:
    @pytest.mark.parametrize("leak, told", [("none", False), ("files", False), ("message", True)])
    def test_what_a_model_was_told_is_on_record(self, leak: str, told: bool) -> None:
        run_id = replayed("--sut", MODEL, "--leak", leak)["run_id"]

        exported = [json.loads(line) for line in call("export", run_id).stdout.splitlines()]

        message = json.loads(CASE.read_text())["message"].strip()
        texts = [record["request"]["messages"][0]["text"] for record in exported]
        assert len(set(texts)) > 1
        assert {message in text for text in texts} == {told}
        assert {len(record["request"]["messages"]) for record in exported} == {1}

    def test_it_is_shown_with_its_answer(self) -> None:
        replayed("--sut", MODEL, "--run-id", "one")
        exported = [json.loads(line) for line in call("export", "one").stdout.splitlines()]

        shown = call("show", "one", CASE.stem, "--json")

        found = json.loads(shown.stdout)
        assert [each["messages"] for each in found] == [each["request"]["messages"] for each in exported]
