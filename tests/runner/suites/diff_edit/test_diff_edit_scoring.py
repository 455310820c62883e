"""What becomes of an answer: every outcome from a small one, under our rule and under the original's."""

import difflib

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import Applied, Candidate, DiffError, Reason
from parsers import PARSERS
from parsers.blocks import ToolCall
from runner.records import Completion, Outcome, Scoring
from runner.run.diff_scoring import ValidityName, is_valid, line_changes, score_answer
from runner.storage.parsed_calls import calls_of
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.cline import score_message, valid_for_cline
from tests.runner.suites.made_cases import AFTER, BEFORE, block, call, case_of

PARSER = ("xml-tools-v2", PARSERS["xml-tools-v2"])
V4 = {"v4": DIFF_ALGORITHMS["v4"]}
PATHLESS = f"<replace_in_file>\n<diff>\n{block()}</diff>\n</replace_in_file>"
DIFFLESS = "<replace_in_file>\n<path>src/a.txt</path>\n</replace_in_file>"

# An answer, why it ended, its outcome under our rule.
ANSWERS = [
    pytest.param(call(), "stop", Outcome.APPLIED, id="applied"),
    pytest.param(call(block("two", "two")), "stop", Outcome.APPLIED_NOTHING, id="applied without a change"),
    pytest.param(call(block("four")), "stop", Outcome.NO_MATCH, id="no such line"),
    pytest.param(call("------- SEARCH\ntwo\n"), "stop", Outcome.MALFORMED_DIFF, id="half a block"),
    pytest.param(call(block() + block()), "stop", Outcome.MALFORMED_DIFF, id="one place twice"),
    pytest.param(DIFFLESS, "stop", Outcome.MISSING_DIFF, id="no diff"),
    pytest.param(call(""), "stop", Outcome.MISSING_DIFF, id="an empty diff"),
    pytest.param(DIFFLESS, "length", Outcome.TRUNCATED, id="cut before the diff"),
    pytest.param(call()[:-30], "length", Outcome.TRUNCATED, id="cut in the diff"),
    pytest.param(call().removesuffix("</replace_in_file>"), "stop", Outcome.TRUNCATED, id="a call that never closes"),
    pytest.param("I would rather not.", "stop", Outcome.NO_CALL, id="no call"),
    pytest.param("", "stop", Outcome.NO_CALL, id="not a word"),
    pytest.param(call(tool="write_to_file"), "stop", Outcome.OTHER_TOOL, id="another tool"),
    pytest.param(call(path="src/b.txt"), "stop", Outcome.WRONG_PATH, id="another file"),
    pytest.param(PATHLESS, "stop", Outcome.MISSING_PATH, id="no path"),
    pytest.param(call(path=""), "stop", Outcome.MISSING_PATH, id="an empty path"),
    pytest.param(call() + call(), "stop", Outcome.SEVERAL_CALLS, id="two calls"),
    pytest.param(call(tool="read_file") + call(), "stop", Outcome.SEVERAL_CALLS, id="another call beside it"),
]  # fmt: skip


def score(
    text: str, case: DiffEditCase | None = None, validity: ValidityName = "strict", finish: str = "stop"
) -> Scoring:
    (scoring,) = score_answer(case or case_of(), Completion(text, finish_reason=finish), PARSER, V4, validity)
    return scoring


@pytest.mark.parametrize("text, finish, outcome", ANSWERS)
def test_an_answer_has_its_outcome_and_its_validity(text: str, finish: str, outcome: Outcome) -> None:
    scoring = score(text, finish=finish)

    assert scoring.outcome is outcome
    assert scoring.valid == outcome.valid


@pytest.mark.parametrize("text, finish, outcome", ANSWERS)
def test_under_the_originals_rule_validity_is_the_originals(text: str, finish: str, outcome: Outcome) -> None:
    theirs = score_message(text, BEFORE, "src/a.txt", "xml-tools-v2", "v4")

    scoring = score(text, validity="cline", finish=finish)

    assert scoring.valid == valid_for_cline(theirs.error), outcome
    assert (scoring.outcome in {Outcome.APPLIED, Outcome.APPLIED_NOTHING}) == theirs.succeeded


def test_an_ambiguous_search_is_told_apart() -> None:
    assert score(call(block("same")), case_of("same\nother\nsame\n")).outcome is Outcome.AMBIGUOUS


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_crash_counts_under_no_rule(outcome: Outcome) -> None:
    assert is_valid(outcome, "strict") == outcome.valid
    assert not is_valid(Outcome.CRASHED, "cline")


@pytest.mark.parametrize(
    "path, same",
    [
        pytest.param("src/a.txt", True, id="as it is"),
        pytest.param("./src/a.txt", True, id="from here"),
        pytest.param("src//a.txt", True, id="a double slash"),
        pytest.param("src/./a.txt", True, id="a dot"),
        pytest.param("src/old/../a.txt", True, id="there and back"),
        pytest.param("/work/tree/src/a.txt", True, id="from the working folder"),
        pytest.param("/work/tree/./src//a.txt", True, id="folded too"),
        pytest.param("//work/tree/src/a.txt", True, id="two slashes at the start"),
        pytest.param("/src/a.txt", False, id="from the root"),
        pytest.param("/work/other/src/a.txt", False, id="from another folder"),
        pytest.param("a.txt", False, id="only its name"),
        pytest.param("../tree/src/a.txt", False, id="out of the folder and back"),
        pytest.param("src/A.txt", False, id="another case"),
        pytest.param("src/a.txt/", True, id="a slash at the end"),
    ],
)
def test_a_path_is_compared_folded(path: str, same: bool) -> None:
    assert score(call(path=path)).outcome is (Outcome.APPLIED if same else Outcome.WRONG_PATH)


@pytest.mark.parametrize("path", ["./src/a.txt", "/work/tree/src/a.txt"])
def test_the_original_compared_paths_to_the_letter(path: str) -> None:
    assert score(call(path=path), validity="cline").outcome is Outcome.WRONG_PATH


@pytest.mark.parametrize("path", ["/work/tree/src/a.txt", "//src/a.txt", "./src/a.txt"])
def test_a_cases_own_path_is_folded_as_well(path: str) -> None:
    case = case_of(path=path)

    assert score(call(path=path), case).outcome is Outcome.APPLIED
    assert score(call(path=path.replace("src/", "src/./")), case).outcome is Outcome.APPLIED


def test_a_result_is_measured() -> None:
    scoring = score(call(block("two", "2\nzwei") + block("three", "drei")), case_of(expected=(AFTER,)))

    assert (scoring.num_edits, scoring.lines_added, scoring.lines_removed) == (2, 3, 2)
    assert scoring.edited == "one\n2\nzwei\ndrei\n"
    assert scoring.equals_expected is False
    blocks = orjson.loads(scoring.blocks or "")
    assert [(one["block"], one["method"], one["line"]) for one in blocks] == [(1, "exact", 2), (2, "exact", 3)]


def test_blocks_out_of_order_keep_their_number_in_the_diff() -> None:
    scoring = score(call(block("three", "drei") + block("two", "2\nzwei")), case_of(expected=(AFTER,)))

    blocks = orjson.loads(scoring.blocks or "")
    assert [(one["block"], one["line"]) for one in blocks] == [(2, 2), (1, 3)]


@pytest.mark.parametrize(
    "text, expected, equal",
    [
        pytest.param(call(), (AFTER,), True, id="the expected file"),
        pytest.param(call(), ("other", AFTER), True, id="one of several"),
        pytest.param(call(block("two", "2")), (AFTER,), False, id="another file"),
        pytest.param(call(block("four")), (AFTER,), False, id="no file"),
        pytest.param(call(), (), None, id="nothing expected"),
        pytest.param("no call", (AFTER,), None, id="no valid answer"),
    ],
)
def test_a_result_equals_one_of_the_expected_files_or_not(
    text: str, expected: tuple[str, ...], equal: bool | None
) -> None:
    assert score(text, case_of(expected=expected)).equals_expected is equal


def test_a_refused_diff_says_which_block_and_what_came_nearest() -> None:
    case = case_of("def one():\n    return 1\n\n\ndef two():\n    return 2\n")

    scoring = score(call(block("def two():\n    return 3", "x")), case)

    refused = orjson.loads(scoring.blocks or "")
    assert (refused["reason"], refused["block"]) == ("no_match", 1)
    assert (refused["nearest"]["first_line"], refused["nearest"]["last_line"]) == (5, 6)
    assert (refused["nearest"]["expected"], refused["nearest"]["actual"]) == ("    return 3", "    return 2")
    assert "block 1" in (scoring.error_text or "")


@pytest.mark.parametrize(
    "replacement, before, after",
    [
        pytest.param("x = 2", True, True, id="still parses"),
        pytest.param("x = (", True, False, id="parses no more"),
    ],
)
def test_whether_a_file_still_parses_is_asked_where_it_did(replacement: str, before: bool, after: bool) -> None:
    case = case_of("x = 1\n", path="a.py")

    scoring = score(call(block("x = 1", replacement), path="a.py"), case)

    assert (scoring.parses_before, scoring.parses_after) == (before, after)


@pytest.mark.parametrize(
    "path, contents, before",
    [
        pytest.param("a.py", "x = (\n", False, id="a broken file"),
        pytest.param("a.zzz", "x = 1\n", None, id="no language"),
    ],
)
def test_a_file_that_did_not_parse_is_not_asked_again(path: str, contents: str, before: bool | None) -> None:
    scoring = score(call(block(contents.rstrip("\n"), "y"), path=path), case_of(contents, path=path))

    assert scoring.outcome is Outcome.APPLIED
    assert (scoring.parses_before, scoring.parses_after) == (before, None)


def crashing(original: str, diff: str, *, final: bool = True) -> Applied:
    raise ZeroDivisionError(f"a plug-in's own: {original} {diff} {final}")


def refusing(original: str, diff: str, *, final: bool = True) -> Applied:
    nearest = Candidate(1, 1, 0.5, 1, diff, original)
    raise DiffError(Reason.OVERLAP, f"half a pair \ud83d, final {final}", block=1, nearest=nearest)


def test_each_algorithm_has_a_scoring_of_its_own_and_a_crash_is_one_of_them() -> None:
    answer = Completion(call(), finish_reason="stop", answer_id=7)

    crashed, applied = score_answer(case_of(), answer, PARSER, {"mine:crashing": crashing, **V4}, "strict")

    assert (crashed.diff_algorithm, crashed.outcome, crashed.valid) == ("mine:crashing", Outcome.CRASHED, False)
    assert "ZeroDivisionError: a plug-in's own" in (crashed.error_text or "")
    assert (applied.diff_algorithm, applied.outcome, applied.valid) == ("v4", Outcome.APPLIED, True)
    assert crashed.answer_id == applied.answer_id == 7


def test_half_a_surrogate_pair_breaks_no_scoring() -> None:
    text = call(block("two", "\ud83d"), path="src/a.txt") + "\ud83d"

    (refused,) = score_answer(case_of(), Completion(text), PARSER, {"mine": refusing}, "strict")

    assert refused.outcome is Outcome.MALFORMED_DIFF
    assert score(text).edited == "one\n\ud83d\nthree\n"


words = st.text(alphabet="ab é🙂", max_size=30)


@given(
    answers=st.lists(st.tuples(st.sampled_from(["replace_in_file", "read_file"]), words, words), max_size=3),
    prose=words,
)
def test_the_calls_come_back_from_what_is_kept_of_them(answers: list[tuple[str, str, str]], prose: str) -> None:
    text = prose + "".join(call(block(diff, diff), path, tool) for tool, path, diff in answers)

    scoring = score(text)

    parsed = [one for one in PARSER[1].parse(text) if isinstance(one, ToolCall)]
    assert calls_of(scoring.parsed_calls or "", text) == [{"name": one.name, "input": one.params} for one in parsed]


lines = st.lists(st.sampled_from(["a", "b", "c", "", "\x00"]), max_size=9)


def longest_common(old: list[str], new: list[str]) -> int:
    """The length of the longest common subsequence, by the textbook."""
    row = [0] * (len(new) + 1)
    for one in old:
        diagonal = 0
        for index, other in enumerate(new):
            diagonal, row[index + 1] = row[index + 1], diagonal + 1 if one == other else max(row[index], row[index + 1])
    return row[-1]


@given(old=lines, new=lines)
def test_lines_are_counted_by_the_smallest_diff(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old), "\n".join(new)

    added, removed = line_changes(before, after)

    kept = longest_common(before.split("\n"), after.split("\n"))
    assert (added, removed) == (len(after.split("\n")) - kept, len(before.split("\n")) - kept)


def test_lines_are_counted_as_difflib_counts_them_where_it_finds_the_smallest() -> None:
    before = [f"line {number}\n" for number in range(300)]
    after = [*before[:50], "new\n", *before[52:200], "other\n", "more\n", *before[200:]]

    shown = list(difflib.unified_diff(before, after, n=0))[2:]

    added = sum(line.startswith("+") for line in shown)
    removed = sum(line.startswith("-") for line in shown)
    assert line_changes("".join(before), "".join(after)) == (added, removed) == (3, 2)
