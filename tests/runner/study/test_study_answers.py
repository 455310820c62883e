"""Labelled answers are read from a folder, or refused by one line that names file, field and mend."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from runner.errors import InputError
from runner.metrics.labelled_answers import Problem, answer, read_answers, read_problems

PROBLEM = {
    "problem": "p",
    "lang": "python",
    "origin": "a = 1\n",
    "reference": "a = 2  # two\n",
    "test": "assert a == 2",
}
ANSWER = {"model": "m-base", "problem": "p", "prediction": "\na = 2\n", "passed": True}


def folder(path: Path, problems: Sequence[object], answers: Sequence[object], *, packed: bool = False) -> Path:
    (path / "problems.jsonl").write_bytes(b"\n".join(map(orjson.dumps, problems)))
    data = b"\n".join(map(orjson.dumps, answers))
    if packed:
        (path / "predictions.jsonl.gz").write_bytes(gzip.compress(data))
    else:
        (path / "predictions.jsonl").write_bytes(data)
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_answers_are_joined_with_their_problems_and_lose_their_comments(tmp_path: Path, packed: bool) -> None:
    (found,) = read_answers(folder(tmp_path, [PROBLEM], [ANSWER], packed=packed))

    assert (found.problem, found.model, found.passed) == ("p", "m-base", True)
    assert (found.sample.origin, found.sample.references, found.sample.hypothesis) == (
        "a = 1\n",
        ("a = 2\n",),
        "a = 2\n",
    )
    assert found.exact
    assert not found.nothing


def test_answers_come_problem_by_problem(tmp_path: Path) -> None:
    problems = [{**PROBLEM, "problem": name} for name in "ba"]
    answers = [{**ANSWER, "problem": name, "model": model} for model in "xy" for name in "ba"]

    found = read_answers(folder(tmp_path, problems, answers))

    assert [(one.problem, one.model) for one in found] == [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]


def test_models_are_chosen_by_a_regular_expression(tmp_path: Path) -> None:
    answers = [{**ANSWER, "model": model} for model in ("m-base", "m-tuned", "n-baseline")]

    found = read_answers(folder(tmp_path, [PROBLEM], answers), "-(baseline|base)$")

    assert [one.model for one in found] == ["m-base", "n-baseline"]


def test_pass_counts_are_answers_that_passed_and_answers_that_failed(tmp_path: Path) -> None:
    counted = {"problem": "p", "prediction": "a = 2", "n": 5}
    rows = [{**counted, "n_ok": 2}, {**counted, "n_ok": 5}, {**counted, "n_ok": 0}]

    found = read_answers(folder(tmp_path, [PROBLEM], rows))

    assert [(answer.passed, answer.count) for answer in found] == [(True, 2), (False, 3), (True, 5), (False, 5)]


def test_texts_of_the_same_tokens_are_equal_by_token_alone() -> None:
    problem = Problem("p", "java", "int f() { return 1; }\n", ("int f() { return 2; }\n",), None)
    broken = answer(problem, "int f() {\n  return 2;\n}\n", model="m", passed=True)
    origin = answer(problem, "int f()\n{ return 1; }\n", model="m", passed=False)

    assert (broken.exact, broken.exact_by_token) == (False, True)
    assert (origin.nothing, origin.nothing_by_token) == (False, True)
    assert not broken.nothing_by_token
    assert not origin.exact_by_token


def test_what_changes_nothing_is_told_apart() -> None:
    problem = Problem("p", "python", "a = 1\n", ("a = 2\n",), None)

    assert answer(problem, "a = 1  # still\n", model="m", passed=False).nothing
    assert not answer(problem, "a = 3\n", model="m", passed=False).nothing


@pytest.mark.parametrize(
    "problems, answers, models, told",
    [
        pytest.param([], [], "", "no problems in it", id="no problems"),
        pytest.param([PROBLEM, PROBLEM], [], "", "problems.jsonl:2: field 'problem': 'p' is there already", id="twice"),
        pytest.param([{**PROBLEM, "lang": "x"}], [], "", "field 'lang': no grammar for language 'x'", id="language"),
        pytest.param([{"problem": "p"}], [], "", "problems.jsonl:1: field 'origin' is missing", id="no origin"),
        pytest.param([PROBLEM], [{**ANSWER, "problem": "q"}], "", "no problem is called 'q'", id="no such problem"),
        pytest.param(
            [PROBLEM], [{**ANSWER, "passed": 1}], "", "'passed' is a number; make it true or false", id="label"
        ),
        pytest.param([PROBLEM], [{**ANSWER, "n": 3}], "", "'passed' stands beside 'n_ok' or 'n'", id="both labels"),
        pytest.param(
            [PROBLEM],
            [{"problem": "p", "prediction": "", "n": 3}],
            "",
            "predictions.jsonl:1: field 'passed' is missing; add true or false, or 'n_ok' and 'n'",
            id="half a count",
        ),
        pytest.param(
            [PROBLEM],
            [{"problem": "p", "prediction": "", "n": 3, "n_ok": 4}],
            "",
            "field 'n_ok' is more than 'n'; fix one of them",
            id="more passed than there were",
        ),
        pytest.param(
            [PROBLEM],
            [{"problem": "p", "prediction": "", "n": 0, "n_ok": 0}],
            "",
            "give how many there were, a whole number from 1 on",
            id="no answers",
        ),
        pytest.param([PROBLEM], [ANSWER], "tuned", "no answer's model matches 'tuned'; there are: m-base", id="models"),
        pytest.param([PROBLEM], [ANSWER], "(", "'(' is not a regular expression", id="expression"),
    ],
)
def test_bad_folders_are_refused(
    tmp_path: Path, problems: Sequence[object], answers: Sequence[object], models: str, told: str
) -> None:
    with pytest.raises(InputError) as refused:
        read_answers(folder(tmp_path, problems, answers), models)

    assert told in str(refused.value)


def test_a_folder_without_the_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no problems.jsonl and no problems.jsonl.gz in it"):
        read_problems(tmp_path)
