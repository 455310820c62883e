"""The worst answers have an outcome that is the model's, by any algorithm; real answers are far from the bounds."""

import pytest

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import DiffAlgorithm
from parsers import PARSERS
from runner.records import Completion, Outcome
from runner.run import complexity
from runner.run.complexity import TooComplexError, check_answer, check_diff, check_repairs, check_result
from runner.run.diff_scoring import score_answer
from tests.runner.suites.made_cases import block, call, case_of
from tests.worst_answers import LINES, WORST

FILE = "".join(f"    line {number} of a file;\n" for number in range(150))
VERSIONS = {name: DIFF_ALGORITHMS[name] for name in ("v1", "v2", "v3", "v4")}


@pytest.mark.parametrize("name", WORST)
def test_the_worst_answers_have_outcomes_of_the_model(name: str) -> None:
    text = WORST[name]("src/a.txt", FILE, LINES)

    scorings = score_answer(case_of(FILE), Completion(text), ("p", PARSERS["xml-tools-v2"]), VERSIONS, "strict")

    assert [scoring.diff_algorithm for scoring in scorings] == list(VERSIONS)
    assert not any(scoring.outcome.infrastructure for scoring in scorings)
    assert all(len(scoring.edited or "") <= len(FILE) + complexity.MOST_ADDED for scoring in scorings)


@pytest.mark.parametrize("name", sorted(set(PARSERS) - {"xml-tools-v2"}))
def test_calls_that_repeat_the_answer_are_too_complex_for_every_parser(name: str) -> None:
    text = WORST["calls closed again"]("src/a.txt", FILE, LINES)

    (scoring,) = score_answer(case_of(FILE), Completion(text), (name, PARSERS[name]), {"v4": VERSIONS["v4"]}, "strict")

    assert (scoring.outcome, scoring.valid, scoring.parsed_calls) == (Outcome.TOO_COMPLEX, True, None)


def test_too_complex_is_valid_and_failed_and_says_why() -> None:
    text = call(block("line\n" * complexity.LONGEST_DIFF))

    (scoring,) = score_answer(
        case_of(), Completion(text), ("p", PARSERS["xml-tools-v2"]), {"v4": VERSIONS["v4"]}, "strict"
    )

    assert (scoring.outcome, scoring.valid, scoring.outcome.solved) == (Outcome.TOO_COMPLEX, True, False)
    assert "the maximum is" in (scoring.error_text or "")


def test_the_bounds_are_inclusive() -> None:
    markers = block() * 2
    file = "x" * (complexity.MOST_SEARCHED // 6)

    check_answer("x" * complexity.LONGEST_ANSWER)
    check_diff("", "x" * complexity.LONGEST_DIFF)
    check_diff(file, markers)
    check_result("ab", "x" * (complexity.MOST_ADDED + 2))
    check_repairs(DIFF_ALGORITHMS["v2"], "====\n" * complexity.MOST_REPAIRS)
    with pytest.raises(TooComplexError, match="the answer has"):
        check_answer("x" * (complexity.LONGEST_ANSWER + 1))
    with pytest.raises(TooComplexError, match="the diff has"):
        check_diff("", "x" * (complexity.LONGEST_DIFF + 1))
    with pytest.raises(TooComplexError, match="its markers search"):
        check_diff(file + "x" * 6, markers)
    with pytest.raises(TooComplexError, match="the edit adds"):
        check_result("a", "x" * (complexity.MOST_ADDED + 2))
    with pytest.raises(TooComplexError, match="need a repair"):
        check_repairs(DIFF_ALGORITHMS["v2"], "====\n" * (complexity.MOST_REPAIRS + 1))


def is_refused(algorithm: DiffAlgorithm, diff: str) -> bool:
    try:
        check_repairs(algorithm, diff)
    except TooComplexError:
        return True
    return False


def test_only_the_algorithm_that_repairs_markers_is_held_to_that_bound() -> None:
    diff = "====\n" * (complexity.MOST_REPAIRS + 1)

    held = [name for name, algorithm in VERSIONS.items() if is_refused(algorithm, diff)]

    assert held == ["v2"]


def test_a_separator_after_a_separator_weighs_more() -> None:
    file = "x" * (complexity.MOST_SEARCHED // 16)

    check_diff(file, block("two", "TWO") * 5)
    with pytest.raises(TooComplexError):
        check_diff(file, "------- SEARCH\n=======\n=======\n")
