"""`evals cases new` makes a case that can be tried, from files or from the last commit."""

import json
from pathlib import Path

import pytest

from runner.suites.diff_edit.cases import load_cases
from tests.repositories import make_repository
from tests.runner.cli.conftest import Call

BEFORE = "def greet(name):\n    return 'hi ' + name\n"
AFTER = "def greet(name):\n    return 'Good morning, ' + name\n"


@pytest.fixture
def files(project: Path) -> Path:
    (project / "greet.py").write_text(BEFORE)
    (project / "after.py").write_text(AFTER)
    return project


def test_two_files_make_a_case_with_an_expected_file(files: Path, call: Call) -> None:
    done = call("cases", "new", "greet.py", "after.py", "--instruction", "Be polite.", "--out", "mine")

    (case,) = load_cases(files / "mine").cases
    assert done.out == "mine/greet_new.json\n"
    assert (case.file_contents, case.expected_contents, case.file_path) == (BEFORE, (AFTER,), "greet.py")
    assert "Be polite." in case.messages[0].text
    assert call("cases", "check", "mine", "--strict").code == 0


def test_two_files_without_an_instruction_ask_for_their_difference(files: Path, call: Call) -> None:
    assert call("cases", "new", "greet.py", "after.py", "--out", "mine", "--path", "src/greet.py").code == 0

    (case,) = load_cases(files / "mine").cases
    assert "+    return 'Good morning, ' + name" in case.messages[0].text
    assert case.file_path == "src/greet.py"


def test_a_file_and_an_instruction_make_a_case_that_simulated_models_can_solve(files: Path, call: Call) -> None:
    done = call("cases", "new", "greet.py", "--instruction", "Be polite.", "--out", "mine", "--id", "polite")

    ran = call("diff", "--cases", "mine", "--model-ids", "sim/any?valid=1&applied=1&time=virtual", "--json")
    shown = json.loads(call("show", "latest", "polite", "--json").out)

    assert (done.code, ran.code) == (0, 0)
    assert [record["outcome"] for record in shown] == ["applied"]
    assert load_cases(files / "mine").cases[0].expected_contents == ()


def test_the_last_commit_makes_a_case_of_its_file_and_message(project: Path, call: Call) -> None:
    make_repository(project / "repo", {"greet.py": BEFORE.encode()}, {"greet.py": AFTER.encode()})

    assert call("cases", "new", "--last-commit", "--repo", "repo", "--out", "mine").code == 0

    (case,) = load_cases(project / "mine").cases
    assert (case.file_contents, case.expected_contents) == (BEFORE, (AFTER,))


def test_of_several_files_of_a_commit_one_is_chosen(project: Path, call: Call) -> None:
    make_repository(
        project / "repo", {"a.py": b"a = 1\n", "b.py": b"b = 1\n"}, {"a.py": b"a = 2\n", "b.py": b"b = 2\n"}
    )

    refused = call("cases", "new", "--last-commit", "--repo", "repo", "--out", "mine")
    done = call("cases", "new", "--last-commit", "--repo", "repo", "--out", "mine", "--path", "b.py")

    assert refused.code == 2
    assert "its last commit modified a.py, b.py; choose one by --path" in refused.err
    assert (done.code, done.out) == (0, "mine/b_new.json\n")


REFUSED = [
    pytest.param(["greet.py"], "--instruction: is missing", id="nothing to do"),
    pytest.param([], "give a file before the edit, or --last-commit", id="no file"),
    pytest.param(["greet.py", "greet.py"], "the two files are equal", id="no edit"),
    pytest.param(["gone.py", "after.py"], "gone.py: cannot be read", id="no such file"),
    pytest.param(["greet.py", "--instruction", "x", "--id", "../x"], "--id: '../x' is no name", id="a path for an id"),
    pytest.param(["blank.py", "--instruction", "x"], "is blank before the edit", id="a blank file"),
    pytest.param(["--last-commit", "--repo", "gone"], "gone: no such folder", id="no repository"),
]


@pytest.mark.parametrize("words, message", REFUSED)
def test_what_makes_no_case_is_one_line_and_writes_nothing(
    files: Path, call: Call, words: list[str], message: str
) -> None:
    (files / "blank.py").write_text("\n")

    done = call("cases", "new", *words, "--out", "mine")

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert message in done.err
    assert not (files / "mine").exists()


def test_a_case_that_is_there_is_not_overwritten(files: Path, call: Call) -> None:
    assert files.exists()
    words = ("cases", "new", "greet.py", "after.py", "--out", "mine")
    assert call(*words).code == 0

    again = call(*words)

    assert again.code == 2
    assert "is there already; give another --id" in again.err


def test_other_files_in_a_folder_of_cases_are_named_once(files: Path, call: Call) -> None:
    call("cases", "new", "greet.py", "after.py", "--out", "mine")
    (files / "mine" / "README.md").write_text("mine")

    checked = call("cases", "check", "mine")
    ran = call("diff", "--cases", "mine", "--model-ids", "sim/any?time=virtual")

    assert checked.out.count("mine: not cases, left alone: README.md") == 1
    assert ran.err.count("mine: not cases, left alone: README.md") == 1
