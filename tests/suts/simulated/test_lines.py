"""What a simulated model answers to the question which line it is: planted rates, in forms that a parser reads."""

from collections import Counter
from dataclasses import replace
from math import sqrt

import pytest

from parsers.line_number import parse_line_number
from suts.simulated.lines import LINE_INVALIDS
from suts.simulated.models import Planned, expected_counts, plan
from suts.simulated.spec import parse_spec
from suts.sut import Truth

LINES = 120
TRUTH = Truth("D/1", number=1, answer="<line>40</line>", lines=LINES)
DRAWS = 2000


def drawn(model: str, truth: Truth = TRUTH) -> list[Planned]:
    spec = parse_spec(model)
    return [plan(spec, replace(truth, case_id=f"D/{at}")) for at in range(DRAWS)]


def read(text: str, right: int = 40, lines: int = LINES) -> str:
    """The outcome of an answer by its text alone."""
    line = parse_line_number(text)
    if line is None:
        return "no_answer"
    if not 1 <= line <= lines:
        return "out_of_range"
    return "solved" if line == right else "unsolved"


def band(rate: float, count: int) -> float:
    """Four standard deviations of a binomial share."""
    return 4 * sqrt(rate * (1 - rate) / count)


@pytest.mark.parametrize("model", ["sim/careful", "sim/sloppy", "sim/chatty", "sim/any?valid=0.5&applied=0.5"])
def test_every_answer_reads_as_what_was_planted(model: str) -> None:
    for answer in drawn(model):
        assert read(answer.text) == answer.outcome


def test_the_planted_rates_are_found_in_two_thousand_draws() -> None:
    found = Counter(answer.outcome for answer in drawn("sim/any?valid=0.7&applied=0.6"))

    valid = found["solved"] + found["unsolved"]
    assert valid / DRAWS == pytest.approx(0.7, abs=band(0.7, DRAWS))
    assert found["solved"] / valid == pytest.approx(0.6, abs=band(0.6, valid))
    share = LINE_INVALIDS["no_answer"] / sum(LINE_INVALIDS.values())
    assert found["no_answer"] / (DRAWS - valid) == pytest.approx(share, abs=band(share, DRAWS - valid))


def test_two_of_three_wrong_lines_are_near_and_the_others_anywhere() -> None:
    distances = [abs((parse_line_number(answer.text) or 0) - 40) for answer in drawn("sim/any?applied=0")]

    assert min(distances) == 1
    assert max(distances) == LINES - 40
    near = sum(distance <= 3 for distance in distances) / DRAWS
    # Some of those drawn from the whole file are near by chance.
    assert near == pytest.approx(2 / 3 + 1 / 3 * 6 / (LINES - 1), abs=band(2 / 3, DRAWS))


def test_malformed_answers_have_several_forms() -> None:
    texts = [answer.text for answer in drawn("sim/any?valid=0&prose=0") if answer.outcome == "no_answer"]

    forms = Counter(text if text.startswith(("<line>", "It is line")) else "prose" for text in texts)
    assert set(forms) == {
        "prose",
        "<line>somewhere in the middle</line>",
        "<line>40",
        "It is line 40, or the one behind it.",
    }
    assert min(forms.values()) > DRAWS / 20


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_the_shortest_files_have_answers_too(lines: int) -> None:
    truth = replace(TRUTH, answer=f"<line>{lines}</line>", lines=lines)

    for answer in drawn("sim/any?valid=0.7&applied=0.3", truth)[:300]:
        assert read(answer.text, right=lines, lines=lines) == answer.outcome


def test_what_a_run_must_count_is_known() -> None:
    truths = [replace(TRUTH, case_id=f"D/{at}") for at in range(100)]

    counts = expected_counts(parse_spec("sim/any?valid=0.8&applied=0.7"), truths, quota=1, cap=10)

    assert counts.valid == 100
    assert counts.applied == counts.outcomes["solved"]
    assert set(counts.outcomes) == {"solved", "unsolved", "no_answer", "out_of_range"}
