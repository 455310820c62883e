"""What a simulated model answers: planted rates, planted forms, and the same answer for ever."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import sqrt

import pytest

from suts.simulated.models import Planned, case_rate, expected_counts, limited, plan
from suts.simulated.spec import FAILURES, INVALIDS, ModelSpec, parse_spec
from suts.sut import Truth

# Outcomes of native calls alone, which text cannot have.
NATIVE = {"bad_arguments"}

BEFORE = """import os


def first(row):
    total = compute_total(row)
    return total


def second(row):
    left = compute_left(row)
    return total


class Ledger:
    pass
"""
BLOCKS = (
    (
        "def first(row):\n    total = compute_total(row)\n    return total\n",
        "def first(row):\n    return compute_total(row)\n",
    ),
    ("class Ledger:\n", "class Parcel:\n"),
)
TRUTH = Truth("ledger", number=1, path="app/ledger.py", blocks=BLOCKS, before=BEFORE)
DRAWS = 2000


def drawn(model: str, truth: Truth = TRUTH) -> list[Planned]:
    spec = parse_spec(model)
    return [plan(spec, replace(truth, case_id=f"case-{at}")) for at in range(DRAWS)]


def forced(outcome: str) -> ModelSpec:
    """A model that gives this outcome alone."""
    if outcome in INVALIDS:
        others = "&".join(f"{name}=0" for name in INVALIDS if name != outcome)
        return parse_spec(f"sim/any?valid=0&{others}")
    if outcome == "applied":
        return parse_spec("sim/any")
    others = "&".join(f"{name}=0" for name in FAILURES if name != outcome)
    return parse_spec(f"sim/any?applied=0&{others}")


def band(rate: float, count: int) -> float:
    """Four standard deviations of a binomial share: one test in 16,000 would fail by chance, and none ever changes."""
    return 4 * sqrt(rate * (1 - rate) / count)


@pytest.mark.parametrize(
    "model",
    [
        pytest.param("sim/careful", id="careful"),
        pytest.param("sim/sloppy", id="sloppy"),
        pytest.param("sim/chatty", id="chatty"),
        pytest.param("sim/any?applied=0.7&valid=0.8", id="any"),
        pytest.param("sim/any?applied=0.5&valid=0.5&spread=0.5", id="cases that differ widely"),
    ],
)
def test_the_planted_rates_are_found_in_two_thousand_draws(model: str) -> None:
    spec = parse_spec(model)

    answers = drawn(model)

    valid = [answer for answer in answers if answer.valid]
    applied = sum(answer.outcome == "applied" for answer in valid)
    assert len(valid) / DRAWS == pytest.approx(spec.valid, abs=band(spec.valid, DRAWS))
    assert applied / len(valid) == pytest.approx(spec.applied, abs=band(spec.applied, len(valid)))


def test_the_weights_decide_what_wrong_and_invalid_answers_look_like() -> None:
    found = Counter(answer.outcome for answer in drawn("sim/any?valid=0.5&applied=0"))

    for weights in (FAILURES, INVALIDS):
        total = sum(found[name] for name in weights)
        for name, weight in weights.items():
            share = weight / sum(weights.values())
            assert found[name] / total == pytest.approx(share, abs=band(share, total)), name


@pytest.mark.parametrize("flaw", ["drift", "middle", "legacy", "reorder"])
def test_a_flaw_is_borne_by_its_share_of_the_right_answers(flaw: str) -> None:
    answers = drawn(f"sim/any?{flaw}=0.3")

    share = sum(flaw in answer.deviations for answer in answers) / DRAWS
    assert share == pytest.approx(0.3, abs=band(0.3, DRAWS))
    assert {answer.outcome for answer in answers} == {"applied"}


def test_an_answer_depends_on_seed_case_number_step_and_model_alone() -> None:
    spec = parse_spec("sim/sloppy")

    first = plan(spec, TRUTH)

    assert plan(parse_spec("sim/sloppy?time=virtual&gap_ms=0&wire=anthropic&cached=0.5"), TRUTH) == first
    for other in (
        replace(TRUTH, number=2),
        replace(TRUTH, step=1),
        replace(TRUTH, seed=1),
        replace(TRUTH, case_id="another"),
    ):
        assert plan(spec, other).text != first.text
    assert plan(parse_spec("sim/sloppy?valid=0.8"), TRUTH).text != first.text


def test_another_process_gives_the_same_answers() -> None:
    code = (
        "import hashlib; from suts.simulated.models import plan; from suts.simulated.spec import parse_spec;"
        "from suts.sut import Truth; spec = parse_spec('sim/sloppy');"
        "texts = [plan(spec, Truth(f'c{at}', 1, path='a.py')).text for at in range(50)];"
        "print(hashlib.sha256(''.join(texts).encode()).hexdigest())"
    )

    runs = [
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env={"PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    ]

    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stdout.strip() == b"af3636288d5936c22c35336120e6a2d4986225fb032bf543b2ce66e0cc1bb912"


def whole_call(text: str) -> str:
    head, body = text.split("<replace_in_file>", 1)
    assert "<" not in head
    assert body.endswith("</replace_in_file>")
    return body


def check_no_match(answer: Planned) -> None:
    searches = [part.split("=======\n")[0] for part in whole_call(answer.text).split("------- SEARCH\n")[1:]]
    assert len(searches) == len(BLOCKS)
    assert sum(search not in BEFORE for search in searches) == 1


def check_ambiguous(answer: Planned) -> None:
    search = whole_call(answer.text).split("------- SEARCH\n")[1].split("=======\n")[0]
    assert BEFORE.split("\n").count(search.rstrip("\n")) >= 2


def check_malformed_diff(answer: Planned) -> None:
    body = whole_call(answer.text)
    counts = {body.count(marker) for marker in ("------- SEARCH\n", "=======\n", "+++++++ REPLACE\n")}
    assert len(counts) == 2
    assert "</diff>" in body


def check_missing_diff(answer: Planned) -> None:
    assert "<path>app/ledger.py</path>" in whole_call(answer.text)
    assert "<diff>" not in answer.text


def check_truncated(answer: Planned) -> None:
    assert answer.finish_reason == "length"
    assert "<path>app/ledger.py</path>\n<diff>\n------- SEARCH\n" in answer.text
    assert "</diff>" not in answer.text


def check_applied_nothing(answer: Planned) -> None:
    for part in whole_call(answer.text).split("------- SEARCH\n")[1:]:
        search, rest = part.split("=======\n")
        assert search == rest.split("+++++++ REPLACE\n")[0]
        assert search in BEFORE


def check_no_call(answer: Planned) -> None:
    assert answer.text
    assert "<" not in answer.text


def check_other_tool(answer: Planned) -> None:
    assert "<replace_in_file>" not in answer.text
    assert "</" in answer.text


def check_wrong_path(answer: Planned) -> None:
    assert "<path>app/ledger.py</path>" not in whole_call(answer.text)
    assert "/app/ledger.py</path>" in answer.text


def check_missing_path(answer: Planned) -> None:
    assert "<path>" not in whole_call(answer.text)


def check_several_calls(answer: Planned) -> None:
    assert answer.text.count("<replace_in_file>") == answer.text.count("</replace_in_file>") == 2


def check_applied(answer: Planned) -> None:
    text = BEFORE
    for part in whole_call(answer.text).split("------- SEARCH\n")[1:]:
        search, rest = part.split("=======\n")
        assert text.count(search) == 1
        text = text.replace(search, rest.split("+++++++ REPLACE\n")[0])
    assert text == BEFORE.replace(*BLOCKS[0]).replace(*BLOCKS[1])


@pytest.mark.parametrize(
    "outcome, check",
    [pytest.param(name[6:], check, id=name[6:]) for name, check in globals().items() if name.startswith("check_")],
)
def test_each_outcome_has_its_form(outcome: str, check: Callable[[Planned], None]) -> None:
    spec = forced(outcome)

    for number in range(1, 40):
        answer = plan(spec, replace(TRUTH, number=number))

        assert answer.outcome == outcome
        check(answer)


def test_every_outcome_is_checked_above() -> None:
    checked = {name[6:] for name in globals() if name.startswith("check_")}

    assert checked == {"applied", *FAILURES, *INVALIDS} - NATIVE


def test_a_case_without_a_repeated_line_is_never_answered_ambiguously() -> None:
    truth = replace(TRUTH, before="one\ntwo\n", blocks=(("one\n", "three\n"),))

    assert plan(forced("ambiguous"), truth).outcome == "no_match"


def test_without_right_blocks_nothing_is_applied() -> None:
    truth = replace(TRUTH, blocks=(), before="")

    outcomes = {answer.outcome for answer in drawn("sim/sloppy", truth)}

    assert outcomes == {"no_match", *FAILURES, *INVALIDS} - {"applied", "applied_nothing", "ambiguous"} - NATIVE


def test_without_a_path_and_an_answer_there_is_no_call() -> None:
    answer = plan(parse_spec("sim/careful"), Truth("chat", number=1))

    assert answer.outcome == "no_call"


def test_a_question_with_a_known_answer_is_answered_in_plain_text() -> None:
    truth = Truth("hunk", number=1, answer="    return left + right\n")

    answers = drawn("sim/any?valid=0.8&applied=0.7", truth)

    shares = Counter(answer.outcome for answer in answers)
    assert shares["no_answer"] / DRAWS == pytest.approx(0.2, abs=band(0.2, DRAWS))
    assert shares["solved"] / DRAWS == pytest.approx(0.56, abs=band(0.56, DRAWS))
    for answer in answers:
        assert (answer.text == truth.answer) == (answer.outcome == "solved")


def test_a_wrong_answer_that_is_known_is_given_as_it_is() -> None:
    truth = Truth("hunk", number=1, answer="right", wrong="wrong")

    answers = drawn("sim/any?applied=0.7", truth)

    told = {"solved": "right", "unsolved": "wrong"}
    assert {(answer.outcome, answer.text) for answer in answers} == set(told.items())


@pytest.mark.parametrize(
    "blocks, before",
    [
        pytest.param((("a\n", "b\n"),), "", id="the file is unknown"),
        pytest.param((("a\n", "b\n"),), "a\n x\n  a\n", id="two places fit once trimmed"),
        pytest.param((("", "b\n"),), "", id="an empty file"),
    ],
)
def test_a_flaw_that_could_move_the_edit_is_left_out(blocks: tuple[tuple[str, str], ...], before: str) -> None:
    truth = replace(TRUTH, blocks=blocks, before=before)

    answer = plan(parse_spec("sim/any?drift=1&middle=1&reorder=1&legacy=1"), truth)

    assert answer.outcome == "applied"
    assert answer.deviations == ("legacy",)


def test_drift_keeps_the_line_ends_of_windows() -> None:
    blocks = (("if a:\r\n    b\r\n", "c\r\n"),)
    truth = replace(TRUTH, blocks=blocks, before="if a:\r\n    b\r\n")
    spec = parse_spec("sim/any?drift=1&prose=0")

    for number in range(1, 20):
        answer = plan(spec, replace(truth, number=number))

        search = answer.text.split("SEARCH\n")[1].split("=======\n")[0]
        assert [line.strip() for line in search.split("\r\n")] == ["if a:", "b", ""]
        assert search != blocks[0][0]


def test_expected_counts_follow_the_rule_of_the_quota() -> None:
    spec = parse_spec("sim/any?valid=0.6&applied=0.5")
    truths = [replace(TRUTH, case_id=f"case-{at}") for at in range(50)]

    counts = expected_counts(spec, truths, quota=3, cap=30)

    assert counts.valid == 150
    assert counts.attempts == sum(counts.outcomes.values())
    assert counts.applied == counts.outcomes["applied"]
    invalid = sum(count for name, count in counts.outcomes.items() if name in INVALIDS)
    assert counts.attempts == 150 + invalid


def test_a_case_that_never_answers_validly_ends_at_the_cap() -> None:
    counts = expected_counts(parse_spec("sim/any?valid=0"), [TRUTH], quota=2, cap=7)

    assert (counts.attempts, counts.valid, counts.applied) == (7, 0, 0)


def test_the_rates_of_cases_spread_evenly_round_the_planted_one() -> None:
    spec = parse_spec("sim/any?applied=0.6&spread=0.2")

    rates = [case_rate(spec, replace(TRUTH, case_id=str(at))) for at in range(DRAWS)]

    assert min(rates) == pytest.approx(0.4, abs=0.01)
    assert max(rates) == pytest.approx(0.8, abs=0.01)
    assert sum(rates) / DRAWS == pytest.approx(0.6, abs=0.01)


def test_a_limit_of_tokens_cuts_the_answer() -> None:
    answer = plan(parse_spec("sim/chatty?valid=1"), TRUTH)

    cut = limited(answer, 100)

    assert (cut.outcome, cut.finish_reason) == ("cut", "length")
    assert answer.text.startswith(cut.text)
    assert len(cut.text) + len(cut.reasoning) <= 400
    assert limited(answer, 100_000) is answer


@pytest.mark.parametrize(
    "model, words",
    [
        pytest.param(
            "sim/nobody",
            "choose one of any, careful, chatty, empty, over-run, sloppy, truth, wrong",
            id="an unknown name",
        ),
        pytest.param("sim/any?vaild=1", "has no parameter 'vaild'", id="an unknown parameter"),
        pytest.param("sim/any?valid=1.2", "not within 0..1", id="no share"),
        pytest.param("sim/any?valid=nan", "no number of 0 or more", id="no number"),
        pytest.param("sim/any?drift=x", "no number of 0 or more", id="no number at all"),
        pytest.param("sim/any?prose=2.5", "no whole number", id="half a word"),
        pytest.param("sim/any?valid=1&valid=0", "given twice", id="given twice"),
        pytest.param("sim/any?time=slow", "none of real, virtual", id="an unknown word"),
        pytest.param("sim/any?applied=0.9&spread=0.2", "leaves 0..1", id="a spread beyond one"),
        pytest.param(
            "sim/any?valid=0.5&" + "&".join(f"{name}=0" for name in INVALIDS), "needs a weight", id="no weight left"
        ),
    ],
)
def test_a_wrong_id_is_refused_in_one_line(model: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        parse_spec(model)

    assert "\n" not in str(caught.value)
