"""`evals cases check` names all that is wrong, and the strict check proves expected files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from diff_apply.reach import out_of_reach
from runner.cli.cases import app
from runner.suites.diff_edit.check import check_folder

BEFORE = "def greet(name):\n    return 'hi ' + name\n"
AFTER = "def greet(name):\n    return 'good morning, ' + name\n"


def a_case(**changes: object) -> dict[str, Any]:
    """A case that passes the strict check; a change to None leaves a field out."""
    case = {
        "messages": [{"role": "user", "text": "Be polite."}],
        "file_contents": BEFORE,
        "file_path": "greet.py",
        "system_prompt_details": {
            "cwd_value": "/home/a",
            "os_value": "Linux",
            "shell_value": "/bin/sh",
            "home_value": "/home/a",
        },
        "expected_contents": AFTER,
        "language": "python",
    }
    return {name: value for name, value in (case | changes).items() if value is not None}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write case files into a folder of their own and return it."""

    def written(**files: object) -> Path:
        for name, content in files.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
        return tmp_path

    return written


def test_a_sound_case_passes_the_strict_check(write: Callable[..., Path]) -> None:
    assert check_folder(write(a=a_case()), strict=True) == ()


@pytest.mark.parametrize(
    "changes, field, message",
    [
        pytest.param({"expected_contents": None}, "expected_contents", "is missing; add the file", id="no-expected"),
        pytest.param({"expected_contents": BEFORE}, "expected_contents", "equals file_contents", id="no-edit"),
        pytest.param(
            {"expected_contents": [AFTER, BEFORE]}, "expected_contents[1]", "equals file_contents", id="second-no-edit"
        ),
        pytest.param(
            {"expected_contents": "def greet(:\n"}, "expected_contents", "does not parse as python; fix", id="syntax"
        ),
        pytest.param({"language": "klingon"}, "language", "'klingon' has no grammar; name it", id="unknown-language"),
        pytest.param(
            {"language": None, "file_path": "notes"}, "language", "is missing, and file_path does not", id="no-language"
        ),
        pytest.param({"file_contents": " "}, "file_contents", "is blank; give the file's text", id="skipped"),
    ],
)
def test_the_strict_check_names_what_proves_nothing(
    write: Callable[..., Path], changes: dict[str, object], field: str, message: str
) -> None:
    folder = write(bad=a_case(**changes), good=a_case(test_id="good"))

    (finding,) = check_folder(folder, strict=True)

    assert (finding.file, finding.field) == (folder / "bad.json", field)
    assert message in str(finding)
    assert check_folder(folder, strict=False) == ()


def test_the_path_tells_the_language_that_a_case_leaves_out(write: Callable[..., Path]) -> None:
    assert check_folder(write(a=a_case(language=None)), strict=True) == ()


def test_an_expected_file_that_only_v4_can_reach_is_named(write: Callable[..., Path]) -> None:
    open_ended = a_case(file_contents=BEFORE[:-1], expected_contents=AFTER[:-1])

    findings = check_folder(write(a=open_ended), strict=True)

    assert [finding.problem for finding in findings] == [
        "its generated diff gives another file under v1",
        "its generated diff gives another file under v3",
    ]


def test_a_refusal_is_told_with_its_reason() -> None:
    assert out_of_reach("a\n=======\nb\n", "a\n=======\nc\n", "v1") == ""
    assert out_of_reach("=======\nb\n", "=======\n+++++++ REPLACE\nb\n", "v1").startswith("its generated diff ")


def test_all_findings_of_all_files_come_in_the_order_of_the_files(write: Callable[..., Path]) -> None:
    folder = write(a=a_case(expected_contents=BEFORE), b=a_case(file_path=None, language=3), c=a_case(file_contents=""))

    findings = check_folder(folder, strict=True)

    assert [(finding.file.stem, finding.field) for finding in findings] == [
        ("a", "expected_contents"),
        ("b", "file_path"),
        ("b", "language"),
        ("c", "file_contents"),
    ]


def test_a_missing_folder_is_a_finding(tmp_path: Path) -> None:
    (finding,) = check_folder(tmp_path / "nowhere", strict=False)

    assert str(finding).endswith(
        "nowhere: folder: cannot be read: No such file or directory; give a folder of case files (*.json)"
    )


def test_the_command_tells_counts_and_skipped_cases_as_json_and_exits_0(write: Callable[..., Path]) -> None:
    result = CliRunner().invoke(app, ["check", str(write(a=a_case(), b=a_case(file_contents=""))), "--json"])

    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert (told["cases"], told["strict"], told["findings"]) == (1, False, [])
    assert [skip["case_id"] for skip in told["skipped"]] == ["b"]


def test_the_command_prints_a_line_for_each_finding_and_exits_2(write: Callable[..., Path]) -> None:
    folder = write(a=a_case(file_path=None), b=a_case(messages=[]))

    result = CliRunner().invoke(app, ["check", str(folder)])

    assert result.exit_code == 2
    assert result.stderr == ""
    assert result.stdout.split("\n") == [
        f"{folder}/a.json: file_path: is missing; give the path that the edit must name, a string",
        f"{folder}/b.json: messages: is empty; list the turns of the conversation",
        f"0 cases, 0 skipped, 2 findings in {folder}",
        "",
    ]


def test_the_command_lists_skipped_cases(write: Callable[..., Path]) -> None:
    folder = write(a=a_case(), b=a_case(file_contents=""))

    result = CliRunner().invoke(app, ["check", str(folder)])

    assert result.exit_code == 0
    assert f"{folder}/b.json: skipped: file_contents is absent or only white space\n" in result.stdout


def test_the_strict_command_tells_its_findings_as_json(write: Callable[..., Path]) -> None:
    folder = write(a=a_case(expected_contents=BEFORE))

    result = CliRunner().invoke(app, ["check", str(folder), "--strict", "--json"])

    assert result.exit_code == 2
    assert json.loads(result.stdout)["findings"] == [
        {
            "file": f"{folder}/a.json",
            "field": "expected_contents",
            "problem": "equals file_contents",
            "fix": "make the edit in it",
        }
    ]
