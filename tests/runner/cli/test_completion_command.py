"""`evals completion`: building data sets and proving them again, as a person calls it."""

import sys
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from runner.cli.completion import app
from runner.errors import InputError
from runner.execution.isolation import NOT_WEAK, Isolation
from runner.execution.verdicts import Known
from runner.suites.completion.judge import judge_of

SHIPPED = Path(__file__).parents[3] / "cases" / "completion"


@pytest.fixture(autouse=True)
def cells(isolation: Isolation) -> None:
    """All of it needs cells."""


@pytest.fixture
def python(plain_python: str) -> tuple[str, str]:
    """The words that choose an interpreter which starts soon."""
    return "--python", plain_python


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "half.py").write_text("def half(number):\n    return number // 2\n")
    (folder / "test_half.py").write_text("from half import half\n\ndef test_half(): assert half(4) == 2\n")
    return folder


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def test_a_data_set_is_built_and_holds(repo: Path, tmp_path: Path, python: tuple[str, str]) -> None:
    out = tmp_path / "half.jsonl"

    built = call("build", "--repo", repo, "--out", out, "--scenes", "1.1,2.2", "--json", *python)
    checked = call("validate", out, "--repo", repo, *python)

    told = orjson.loads(built.stdout)
    # Behind the last return nothing is ever executed, so whatever is put there survives.
    assert told["scenes"] == {"1.1": {"METHOD": 1, "STATEMENT": 1}, "2.2": {"STATEMENT": 1}}
    assert (told["survivors"], told["unproved"]) == (1, {})
    assert (told["proved"], told["tests"]) == (3, {"passing": 1, "left_out": 0, "broken": {}})
    assert told["seconds"] > 0
    assert "1 tests pass every time, 0 are left out" in built.stderr
    assert checked.stdout == "3 of 3 proofs hold\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["half.jsonl", "repo"]


@pytest.mark.wide
def test_one_place_that_two_blocks_of_a_type_draw_is_one_task(
    repo: Path, tmp_path: Path, python: tuple[str, str]
) -> None:
    out, nested = tmp_path / "half.jsonl", "        if number > 2:\n            number = number + 2\n"
    (repo / "half.py").write_text(f"def half(number):\n    if number:\n{nested}    return number // 2\n")
    (repo / "test_half.py").write_text("from half import half\n\ndef test_half(): assert half(4) == 3\n")

    built = call("build", "--repo", repo, "--out", out, "--scenes", "2.2", "--mutants", "0", "--json", *python)
    checked = call("validate", out, "--repo", repo, *python)

    assert orjson.loads(built.stdout)["scenes"] == {"2.2": {"IF": 1, "METHOD": 1, "STATEMENT": 1}}
    assert checked.stdout == "3 of 3 proofs hold\n"


@pytest.mark.slow
def test_a_command_fills_the_environment_of_the_tests(repo: Path, tmp_path: Path) -> None:
    result = call("build", "--repo", repo, "--out", tmp_path / "o", "--install", "echo $VIRTUAL_ENV >&2; ls; exit 3")

    assert isinstance(result.exception, InputError)
    assert "ended with code 3" in str(result.exception)
    assert "evals-install-" in str(result.exception)
    assert not list(repo.glob("env"))


def test_an_interpreter_is_found_by_a_path_from_here(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / "bin" / "python").chmod(0o755)
    monkeypatch.chdir(tmp_path)

    with judge_of(repo, "bin/python", Known(), NOT_WEAK) as judge:
        assert judge.target.python == str(tmp_path / "bin" / "python")


@pytest.mark.parametrize(
    "words, told",
    [
        pytest.param(["--scenes", "1.1,9"], "--scenes: '9' is none of 1.1, 1.2, 1.3, 2.1, 2.2, 3, 4", id="scene"),
        pytest.param(["--python", "/absent/python"], "--python /absent/python", id="interpreter"),
        pytest.param(["--out", "/absent/folder/x"], "give a file in an existing folder", id="out"),
        pytest.param(["--repo", "/absent/repo"], "no such folder", id="repo"),
    ],
)
def test_what_cannot_be_is_refused(repo: Path, tmp_path: Path, words: list[str], told: str) -> None:
    result = call("build", "--repo", repo, "--out", tmp_path / "o.jsonl", *words)

    assert isinstance(result.exception, InputError), result.output
    assert told in str(result.exception)


@pytest.mark.wide
def test_a_refuted_proof_is_named_and_ends_with_1(repo: Path, tmp_path: Path, python: tuple[str, str]) -> None:
    out = tmp_path / "half.jsonl"
    call("build", "--repo", repo, "--out", out, "--scenes", "1.1", *python)
    (repo / "test_half.py").write_text("from half import half\n\ndef test_half(): half\n")

    result = call("validate", out, "--repo", repo, *python)

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "1.1/METHOD/half.py:22-40: the filling 'pass' ends as pass",
        "1.1/STATEMENT/half.py:22-40: the filling 'pass' ends as pass",
        "0 of 2 proofs hold",
    ]
