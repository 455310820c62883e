"""A measure may be another program's, if it gives a number for each row."""

import sys

import pytest

from runner.errors import InputError
from runner.metrics.labelled_answers import Problem, answer
from runner.study.external import External, external, score_externally

PROBLEM = Problem("p", "python", "a\n", ("b\n",), None)
ANSWERS = [answer(PROBLEM, text, model="m", passed=False) for text in ("bb\n", "a\n")]


def program(code: str) -> External:
    return External("mine", (sys.executable, "-I", "-c", code))


def test_a_command_is_given_as_name_and_command() -> None:
    assert external("codebleu=python 'my rows.py' -q") == External("codebleu", ("python", "my rows.py", "-q"))


@pytest.mark.parametrize("given", ["codebleu", "=python", "codebleu=", "codebleu='python"])
def test_another_form_is_refused(given: str) -> None:
    with pytest.raises(InputError, match=r"^--external: "):
        external(given)


def test_rows_go_in_and_numbers_come_out() -> None:
    code = "import json, sys\nfor line in sys.stdin: print(len(json.loads(line)['hypothesis']) / 10, end=' ')"

    assert list(score_externally(program(code), ANSWERS, {})) == [0.3, 0.2]


def test_the_rows_hold_the_three_texts_and_the_language() -> None:
    code = "import sys\nprint(1); print(2); print(sys.stdin.readline(), file=sys.stderr); sys.exit(1)"

    with pytest.raises(InputError) as refused:
        score_externally(program(code), ANSWERS, {})

    assert '{"origin":"a\\n","references":["b\\n"],"hypothesis":"bb\\n","lang":"python"}' in str(refused.value)


@pytest.mark.parametrize(
    "code, told",
    [
        pytest.param("raise SystemExit('no such library')", "ended with code 1 (no such library)", id="failing"),
        pytest.param("print('nice')", "could not convert string to float", id="words"),
        pytest.param("print(1)", "1 numbers for 2 rows", id="too few"),
    ],
)
def test_a_program_that_does_not_score_is_refused(code: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        score_externally(program(code), ANSWERS, {})

    assert told in str(refused.value)
