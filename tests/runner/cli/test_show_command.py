"""`evals show` prints to stdout; on a terminal through the user's pager, never through one of the project's."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from runner.cli.paging import pager_of
from tests.runner.cli.conftest import Call

CASES = Path(__file__).parents[3] / "cases" / "diff_edit"
EVALS = Path(sys.executable).parent / "evals"


@pytest.fixture
def run(project: Path, call: Call) -> Path:
    done = call("diff", "--replay", "--cases", CASES, "--diff-apply", "v3,v4", "--run-id", "r", "--json")
    assert done.code == 0, done.err
    return project


def test_a_case_is_shown_by_its_name_and_in_full(run: Path, call: Call) -> None:
    assert (run / "evals.db").exists()
    brief = call("show", "r", "yaml_ci_pipeline", "1", "--diff", "v4").out
    full = call("show", "r", "yaml_ci_pipeline", "1", "--diff", "v4", "--full").out

    assert brief.startswith("+ right: applied by v4; v3 ")
    assert len(brief.split("\n")) < 40
    assert "-- answer" in full
    assert "-- answer" not in brief


def test_a_simulated_answer_costs_nothing(project: Path, call: Call) -> None:
    call("diff", "sim/careful?time=virtual", "--cases", CASES, "--max-cases", 1, "--run-id", "r")

    assert (project / "evals.db").exists()
    assert "$0 (simulated)" in call("show", "r").out


def test_filters_choose_what_failed_or_flipped(run: Path, call: Call) -> None:
    assert (run / "evals.db").exists()
    failed = json.loads(call("show", "r", "--failed", "--diff", "v4", "--json").out)
    flipped = json.loads(call("show", "r", "--flip", "v3:v4", "--diff", "v4", "--json").out)

    assert {record["class"] for record in failed} <= {"failed", "invalid", "wrong"}
    assert len(failed) == 4
    assert flipped
    assert {record["diff_algorithm"] for record in flipped} == {"v4"}


@pytest.mark.parametrize("words", [("--flip", "v3"), ("--outcome", "gone"), ("--case", "gone"), ("gone",)])
def test_a_wrong_filter_is_one_line_and_prints_nothing(run: Path, call: Call, words: tuple[str, ...]) -> None:
    assert (run / "evals.db").exists()

    done = call("show", "r", *words)

    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)


PAGERS = [
    pytest.param({"PAGER": "sh -x"}, "sh", id="the user's"),
    pytest.param({"PAGER": ""}, "", id="none wanted"),
    pytest.param({"PAGER": "cat"}, "", id="cat"),
    pytest.param({"PAGER": "'"}, "", id="no command"),
    pytest.param({"PAGER": "no-such-program-at-all"}, "", id="not installed"),
    pytest.param({"PAGER": "mine", "PATH": "."}, "", id="only in the current folder"),
]


@pytest.mark.parametrize("variables, program", PAGERS)
def test_a_pager_is_a_program_of_absolute_folders(
    variables: dict[str, str], program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_text("#!/bin/sh\n")
    (tmp_path / "mine").chmod(0o755)

    command = pager_of({"PATH": os.environ["PATH"], **variables})

    assert Path(command[0]).name == program if program else command == []


def shown_on_terminal(words: list[str], environment: dict[str, str]) -> str:
    master, slave = pty.openpty()
    with subprocess.Popen([str(EVALS), *words], stdout=slave, stderr=subprocess.PIPE, env=environment):
        os.close(slave)
        data = b""
        try:
            while piece := os.read(master, 65536):
                data += piece
        except OSError:
            # The terminal is closed once the program has ended.
            pass
        finally:
            os.close(master)
    return data.decode()


def test_on_a_terminal_the_user_s_pager_gets_the_text_and_a_project_s_does_not(run: Path) -> None:
    (run / ".env").write_text("PAGER='sed s/^/project:/'\n")
    words = ["show", "r", "yaml_ci_pipeline", "--diff", "v4"]
    environment = {key: value for key, value in os.environ.items() if key != "PAGER"}

    by_user = shown_on_terminal(words, {**environment, "PAGER": "sed s/^/user:/"})
    plain = shown_on_terminal(words, {**environment, "PAGER": "cat"})

    assert by_user.startswith("user:+ right: applied by v4")
    assert plain.startswith("+ right: applied by v4")
