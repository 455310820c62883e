"""Problems are read, or refused by one line each; and what proves nothing is found out by running it."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runner.case_digests import digest_of_cases
from runner.errors import InputError
from runner.execution.script_commands import commands_of, file_name
from runner.execution.script_judge import ScriptJudge
from runner.suites.edit.check import checked, prove
from runner.suites.edit.problems import EditProblem, parse_problem, read_problems

SHIPPED = Path(__file__).parents[4] / "cases" / "edit" / "problems.jsonl"
ROW: dict[str, object] = {
    "problem": "double",
    "lang": "python",
    "origin": "def double(x):\n    return x\n",
    "instruction": "Double it.",
    "reference": "def double(x):\n    return x + x\n",
    "test": "assert double(2) == 4",
}


def write(folder: Path, *rows: dict[str, object] | str) -> Path:
    path = folder / "problems.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def test_a_problem_is_read_with_all_its_fields(tmp_path: Path) -> None:
    (problem,), findings = read_problems(write(tmp_path, ROW))

    assert findings == ()
    assert (problem.case_id, problem.language, problem.path) == ("double", "python", "answer.py")
    assert problem.where.endswith("problems.jsonl:1")
    assert problem.as_row == ROW
    assert parse_problem(problem.content).digest == problem.digest


def test_several_references_are_kept(tmp_path: Path) -> None:
    row = {name: value for name, value in ROW.items() if name != "reference"} | {"references": ["a", "b"]}

    (problem,), _ = read_problems(write(tmp_path, row))

    assert problem.references == ("a", "b")
    assert parse_problem(problem.content).references == ("a", "b")


@pytest.mark.parametrize(
    "row, told",
    [
        pytest.param("{", "problems.jsonl:1: not JSON", id="no JSON"),
        pytest.param("[]", "an object is needed", id="no object"),
        pytest.param({**ROW, "instruction": " "}, "field 'instruction' is blank; say what", id="a blank instruction"),
        pytest.param({**ROW, "test": ""}, "field 'test' is blank; add a script", id="a blank test"),
        pytest.param({**ROW, "problem": ""}, "field 'problem' is blank; name it", id="no name"),
        pytest.param({**ROW, "origin": None}, "field 'origin' is null; make it a string", id="no origin"),
        pytest.param({**ROW, "lang": "klingon"}, "field 'lang': no grammar for language 'klingon'", id="unknown"),
        pytest.param({**ROW, "reference": ROW["origin"]}, "field 'reference' equals the origin", id="no edit"),
        pytest.param({"problem": "a"}, "field 'origin' is missing; add it", id="nearly nothing"),
    ],
)
def test_a_bad_line_is_told_by_file_line_and_field(tmp_path: Path, row: dict[str, object] | str, told: str) -> None:
    problems, (finding,) = read_problems(write(tmp_path, row))

    assert problems == ()
    assert told in finding
    assert "problems.jsonl:1: " in finding


def test_every_bad_line_is_told_and_every_good_one_read(tmp_path: Path) -> None:
    path = write(tmp_path, "{", ROW, {**ROW, "test": ""}, ROW)

    problems, findings = read_problems(path)

    assert [problem.case_id for problem in problems] == ["double"]
    assert [finding.split(": ")[0] for finding in findings] == [f"{path}:{line}" for line in (1, 3, 4)]
    assert f"'double' is there already ({path}:2); rename it" in findings[2]


def test_a_file_without_problems_is_told(tmp_path: Path) -> None:
    assert "no problems in it" in read_problems(write(tmp_path))[1][0]


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_problems(tmp_path / "absent.jsonl")


def test_the_digest_of_problems_is_that_of_what_they_say(problem: EditProblem) -> None:
    assert digest_of_cases((problem,)) == digest_of_cases((replace(problem, where="elsewhere:7"),))
    assert digest_of_cases((problem,)) != digest_of_cases((replace(problem, instruction="Halve it."),))


def test_the_shipped_problems_prove_something(judge: ScriptJudge) -> None:
    problems, findings = checked(SHIPPED, judge, 2)

    assert findings == ()
    assert len(problems) == 10


@pytest.mark.parametrize(
    "change, told",
    [
        pytest.param({"test": "double(2)"}, "its origin passes its test, so the test does not see", id="sees nothing"),
        pytest.param({"test": "assert double(2) == 5"}, "its reference fails its test (AssertionError", id="refuses"),
        pytest.param({"references": ("def double(x):\n    return x + x\n", "x")}, "its reference 2 fails", id="second"),
        pytest.param({"test": "raise SystemExit(2)"}, "its reference fails its test (SystemExit: 2)", id="ends"),
        pytest.param({"language": "javascript"}, "give --command javascript='PROGRAM {test}'", id="no command"),
        pytest.param({"language": None}, "no command runs text", id="no language"),
    ],
)
def test_a_problem_that_proves_nothing_is_told(
    judge: ScriptJudge, problem: EditProblem, change: dict[str, Any], told: str
) -> None:
    (finding,) = prove([replace(problem, **change)], judge, 1)

    assert told in finding
    assert finding.startswith("problems.jsonl:1: problem 'double': ")


def test_a_test_that_cannot_be_run_is_told_as_that(problem: EditProblem) -> None:
    judge = ScriptJudge(os.environ["PATH"], commands={"python": ("no-such-program", "{test}")})

    (finding,) = prove([problem], judge, 1)

    assert "its test could not be run" in finding
    assert "see to the program or the --command" in finding


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_problems_in_another_language_are_proved_by_its_command() -> None:
    judge = ScriptJudge(os.environ["PATH"], commands=commands_of(["js=node {test}"]))
    problem = EditProblem(
        "twice",
        "javascript",
        "const f = (x) => x\n",
        "Twice.",
        ("const f = (x) => 2 * x\n",),
        "if (f(2) !== 4) throw 1",
    )

    assert prove([problem], judge, 1) == ()


def test_problems_in_no_language_are_proved_by_a_command_for_text() -> None:
    judge = ScriptJudge(os.environ["PATH"], commands=commands_of(["text=sh {test}"]))
    problem = EditProblem("poem", None, "exit 1\n", "Let it end well.", ("true\n",), "exit 0")

    assert prove([problem], judge, 1) == ()


@pytest.mark.parametrize(
    "language, name",
    [("python", "answer.py"), ("java", "Main.java"), ("cpp", "answer.cpp"), ("go", "answer.go"), (None, "answer.txt")],
)
def test_a_file_is_called_as_its_language_wants(language: str | None, name: str) -> None:
    assert file_name(language) == name


def test_commands_are_parted_as_a_shell_does() -> None:
    commands = commands_of(["js=node {test}", "java=sh -c 'javac {test} && java -cp . Main'"])

    assert commands == {
        "javascript": ("node", "{test}"),
        "java": ("sh", "-c", "javac {test} && java -cp . Main"),
    }


@pytest.mark.parametrize(
    "given, told",
    [
        pytest.param(["node {test}"], "is not LANG=WORDS", id="no language"),
        pytest.param(["js=node"], "with {test} in them", id="no place"),
        pytest.param(["js=node '{test}"], "close the quotes", id="an open quote"),
        pytest.param(["klingon=x {test}"], "--command: no grammar for language 'klingon'", id="unknown"),
        pytest.param(["js=a {test}", "javascript=b {test}"], "two are given for javascript; leave one out", id="two"),
    ],
)
def test_a_command_of_another_form_is_refused(given: list[str], told: str) -> None:
    with pytest.raises(InputError) as refused:
        commands_of(given)

    assert told in str(refused.value)
    assert str(refused.value).startswith("--command: ")
