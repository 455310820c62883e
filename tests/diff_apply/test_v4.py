"""`v4` applies a diff wholly and as it was meant, or says which block is wrong and why."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diff_apply import DIFF_ALGORITHMS
from diff_apply.checked import checked
from diff_apply.generate import diff_of
from diff_apply.places import Rules
from diff_apply.result import Applied, DiffError, Method, Reason

v4 = DIFF_ALGORITHMS["v4"]

NO_NEWLINE, NEWLINE = "\\ No newline at end of file\n", "\\ Newline at end of file\n"

FUNCTION = "def area(w, h):\n    total = w * h\n    log(total)\n    return total\n"


def block(search: str, replacement: str, run: int = 7) -> str:
    return f"{'-' * run} SEARCH\n{search}{'=' * run}\n{replacement}{'+' * run} REPLACE\n"


def refusal(original: str, diff: str) -> DiffError:
    with pytest.raises(DiffError) as caught:
        v4(original, diff)
    return caught.value


APPLIED = [
    pytest.param("a\nb\nc\n", block("b\n", "B\n"), "a\nB\nc\n", id="a line is replaced"),
    pytest.param("a\nb\nc\n", block("b\n", ""), "a\nc\n", id="an empty replacement deletes"),
    pytest.param("a\nb\n", block("a\nb\n", ""), "", id="all lines are deleted"),
    pytest.param("", block("", "a\n"), "a\n", id="an empty search fills an empty file"),
    pytest.param("", block("\n", "a\n"), "a\n", id="a blank search fills an empty file too"),
    pytest.param("a\n", "", "a\n", id="an empty diff changes nothing"),
    pytest.param("a\n", " \n\n", "a\n", id="a blank diff changes nothing"),
    pytest.param("a\nb\nc\n", block("c\n", "C\n") + block("a\n", "A\n"), "A\nb\nC\n", id="blocks come in any order"),
    pytest.param("a\nb\n", block("a\n", "A\n") + block("b\n", "B\n"), "A\nB\n", id="adjacent blocks do not overlap"),
    pytest.param(
        "a\nb\n", "Sure:\n" + block("b\n", "B\n") + "Done.\n", "a\nB\n", id="prose around blocks is passed over"
    ),
    pytest.param("xa\na\n", block("a\n", "b\n"), "xa\nb\n", id="the end of a line is no place"),
    pytest.param("a\n\nb\n", block("\nb\n", "c\n"), "a\nc\n", id="a leading blank line is a line"),
    pytest.param("a\n", block("a\n\n", "b\n"), "b\n", id="what follows the last newline counts as a blank line"),
    pytest.param("a\n", block("a\n\n", "b\n\n"), "b\n", id="and does so in the replacement"),
    pytest.param("a \na\n", block("a\n", "b\n"), "a \nb\n", id="an exact match comes before a trimmed one"),
    pytest.param("  a\na \n", block("a\n", "b\n"), "  a\nb\n", id="trailing space is overlooked before indentation"),
]


@pytest.mark.parametrize("original, diff, text", APPLIED)
def test_whole_lines_are_edited(original: str, diff: str, text: str) -> None:
    assert v4(original, diff).text == text


ENDS = [
    pytest.param("a\nb", block("b\n", "c\n"), "a\nc", id="a replaced last line stays without newline"),
    pytest.param("a\nb", block("a\n", "c\n"), "c\nb", id="an untouched one too"),
    pytest.param("a\nb", block("b\n", ""), "a", id="a deleted one leaves its want to the line above"),
    pytest.param("a\nb", block("a\n", "c\n") + block("b\n", ""), "c", id="be that line new"),
    pytest.param("a\nb\nc", block("b\n", "") + block("c\n", ""), "a", id="or further up"),
    pytest.param("a", block("a\n", ""), "", id="nothing is left to lack a newline"),
    pytest.param("a\nb\n", block("b\n", "c\n" + NO_NEWLINE), "a\nc", id="the replacement takes the newline"),
    pytest.param("a\nb\n", block("b\n", NO_NEWLINE), "a", id="from the line above if need be"),
    pytest.param("a\nb", block("b\n", "b\n" + NEWLINE), "a\nb\n", id="the replacement adds a newline"),
    pytest.param("a\nb", block("b\n" + NO_NEWLINE, "c\n"), "a\nc\n", id="a search that speaks of it takes it over"),
    pytest.param("a\nb", block("b\n" + NO_NEWLINE, "c\n" + NO_NEWLINE), "a\nc", id="as git says it"),
    pytest.param("", block("", "a\n" + NO_NEWLINE), "a", id="a new file without newline"),
    pytest.param(NEWLINE + "a\n", block(NEWLINE + NEWLINE, "b\n"), "b\na\n", id="the last of two such lines speaks"),
    pytest.param("a\r\nb\r\n", block("a\n", "A\nB\n"), "A\r\nB\r\nb\r\n", id="CRLF for LF"),
    pytest.param("a\nb\n", block("a\r\n", "A\r\nB\r\n"), "A\nB\nb\n", id="LF for CRLF"),
    pytest.param("a\nb\n", block("a\n", "A\n").replace("\n", "\r\n"), "A\nb\n", id="LF for a diff of CRLFs"),
    pytest.param("a\r\nb\r\n", block("a\r\n", "A\nB\r\n"), "A\nB\r\nb\r\n", id="literal where the search is"),
    pytest.param("a\nb\r\nc\r\n", block("a\nb\nc\n", "a\nB\nc\n"), "a\nB\r\nc\r\n", id="repeated lines keep theirs"),
    pytest.param("a\r\nb", block("a\nb\n", "a\nB\nC\n"), "a\r\nB\r\nC", id="CRLF within, nothing at the end"),
    pytest.param("a\r\nb", block("b\n", "B\nC\n"), "a\r\nB\r\nC", id="CRLF though the last line shows none"),
    pytest.param("a\r\nb", block("b\n", ""), "a", id="a CRLF goes whole"),
    pytest.param("a\u2028b\n\x85\n", block("\x85\n", "c\n"), "a\u2028b\nc\n", id="other line separators are text"),
]


@pytest.mark.parametrize("original, diff, text", ENDS)
def test_the_ends_of_lines_and_of_the_file_are_kept(original: str, diff: str, text: str) -> None:
    assert v4(original, diff).text == text


SHAPES = [
    pytest.param("    a\n    b\n", block("a\nb\n", "a\nc\n  d\n"), "    a\n    c\n      d\n", id="deeper"),
    pytest.param("a\n  b\n", block("  a\n    b\n", "  a\n    c\n"), "a\n  c\n", id="less deep"),
    pytest.param("\ta\n\t\tb\n", block("    a\n        b\n", "    a\n        c\n"), "\ta\n\t\tc\n", id="tabs"),
    pytest.param("    a\n", block("\ta\n", "\ta\n\tb\n"), "    a\n    b\n", id="spaces"),
    pytest.param("    a\n", block("a\n", "    b\n    a\n"), "    b\n    a\n", id="the file's own indentation"),
    pytest.param("  a  \nb\n", block("  a\n", "  a\n  c\n"), "  a  \n  c\nb\n", id="a repeated line keeps its blanks"),
]


@pytest.mark.parametrize("original, diff, text", SHAPES)
def test_a_replacement_takes_the_form_of_its_place(original: str, diff: str, text: str) -> None:
    assert v4(original, diff).text == text


REFUSED = [
    pytest.param("a\nb\n", block("c\n", "d\n"), Reason.NO_MATCH, 1, id="no such line"),
    pytest.param("", block("a\n", "b\n"), Reason.NO_MATCH, 1, id="lines of an empty file"),
    pytest.param(FUNCTION, block("x\ny\nz\n", "b\n"), Reason.NO_MATCH, 1, id="lines like none"),
    pytest.param("a\n", block("a\n" + NO_NEWLINE, "b\n"), Reason.NO_MATCH, 1, id="the file has a newline"),
    pytest.param("a", block("a\n" + NEWLINE, "b\n"), Reason.NO_MATCH, 1, id="the file has no newline"),
    pytest.param("a\na\n", block("a\n", "b\n"), Reason.AMBIGUOUS, 1, id="two exact places"),
    pytest.param(" a\n  a\n", block("a\n", "b\n"), Reason.AMBIGUOUS, 1, id="two trimmed places"),
    pytest.param("a\nb\n", block("a\nb\n", "c\n") + block("b\n", "d\n"), Reason.OVERLAP, 2, id="inner after outer"),
    pytest.param("a\nb\n", block("b\n", "d\n") + block("a\nb\n", "c\n"), Reason.OVERLAP, 2, id="outer after inner"),
    pytest.param("a\nb\n", block("b\n", "c\n") * 2, Reason.OVERLAP, 2, id="the same block twice"),
    pytest.param("", block("", "a\n") * 2, Reason.OVERLAP, 2, id="an empty file filled twice"),
    pytest.param("a\n", block("", "b\n"), Reason.EMPTY_SEARCH, 1, id="an empty search"),
    pytest.param("a\nb\n", block("a\n", "c\n" + NO_NEWLINE), Reason.MALFORMED, 1, id="a newline taken mid-file"),
    pytest.param("a\n", "a -> b", Reason.MISSING_MARKER, None, id="prose alone"),
    pytest.param("a\n", block("a\n", "b\n>>>>>>>\n"), Reason.LEFTOVER_MARKER, 1, id="half a marker as text"),
    pytest.param("a\n", "------- SEARCH\na\n=======\nb\n", Reason.UNCLOSED, 1, id="no end marker"),
]


@pytest.mark.parametrize("original, diff, reason, number", REFUSED)
def test_a_wrong_diff_is_refused_with_its_reason(original: str, diff: str, reason: Reason, number: int | None) -> None:
    error = refusal(original, diff)

    assert (error.reason, error.block) == (reason, number)


def test_every_reason_is_met_in_the_tables() -> None:
    met = {refusal(case.values[0], case.values[1]).reason for case in REFUSED}  # type: ignore[arg-type]

    assert met | {Reason.EXTRA_MARKER} == set(Reason)
    assert refusal("a\n", block("a\n", "b\n") + "+++++++ REPLACE\n").reason is Reason.EXTRA_MARKER


def test_an_ambiguous_search_names_its_places() -> None:
    error = refusal("a\nb\n" * 5, block("b\n", "c\n"))

    assert "lines 2, 4, 6 and more" in str(error)


def test_a_missing_match_names_the_nearest_lines() -> None:
    error = refusal("x\n" + FUNCTION, block("def area(w, d):\n    result = 1\n", "pass\n"))

    assert error.nearest
    assert (error.nearest.first_line, error.nearest.last_line, error.nearest.difference) == (2, 3, 2)
    assert "nearest are lines 2-3" in str(error)
    assert "line 2 is 'def area(w, h):', not 'def area(w, d):'" in str(error)


def test_blocks_are_recorded_in_file_order_with_method_and_span() -> None:
    original = "a\n  b\nc\r\nd\n"

    blocks = v4(original, block("d\n", "D\n") + block("c\n", "C\n") + block("b\n", "B\n")).blocks

    assert [(original[one.start : one.end], one.replacement, one.method, one.block) for one in blocks] == [
        ("  b\n", "  B\n", Method.TRIMMED, 3),
        ("c\r\n", "C\r\n", Method.LINE_ENDS, 2),
        ("d\n", "D\n", Method.EXACT, 1),
    ]


def test_lines_that_are_clearly_most_similar_are_a_match() -> None:
    search = FUNCTION.replace("log(total)", "log(totals)")

    applied = v4(FUNCTION + "\n", block(search, search.replace("w * h", "h * w")))

    assert applied.text == FUNCTION.replace("w * h", "h * w") + "\n"
    assert applied.blocks[0].method is Method.ANCHOR
    assert 0.9 < (applied.blocks[0].similarity or 0) < 1


def test_without_equal_first_and_last_lines_more_similarity_is_wanted() -> None:
    search = FUNCTION.replace("return total", "return totals")

    assert v4(FUNCTION, block(search, "pass\n")).blocks[0].method is Method.SIMILAR


def test_a_line_that_is_another_altogether_is_not_kept_for_a_repeated_one() -> None:
    original = "start()\na_rather_long_line_that_stays(1)\nanother_long_line_that_stays(2)\n}\nstop()\n"
    search = original.replace("}\n", "\n")

    applied = v4(original, block(search, search.replace("(1)", "(3)")))

    assert applied.text == search.replace("(1)", "(3)")


def test_two_similar_places_are_ambiguous() -> None:
    twice = FUNCTION + FUNCTION.replace("w * h", "w + h")

    error = refusal(twice, block(FUNCTION.replace("w * h", "w - h"), "pass\n"))

    assert error.reason is Reason.AMBIGUOUS


@pytest.mark.parametrize("more", ["}\n", "    }\n\n}\n"])
def test_what_follows_the_last_newline_is_no_line_that_could_be_similar(more: str) -> None:
    search = FUNCTION.replace("w * h", "w - h") + more

    assert v4(FUNCTION, block(search.removesuffix(more), "pass\n")).text == "pass\n"
    assert refusal(FUNCTION, block(search, "pass\n")).reason is Reason.NO_MATCH


def test_two_lines_never_match_by_similarity() -> None:
    assert refusal(FUNCTION, block("    total = w * h\n    log(totals)\n", "pass\n")).reason is Reason.NO_MATCH


THRESHOLDS = [
    pytest.param(Rules(), True, id="as v4"),
    pytest.param(Rules(anchor=0.99), False, id="a higher threshold"),
    pytest.param(Rules(anchor=2, similar=2), False, id="equal lines only"),
    pytest.param(Rules(fewest_lines=5), False, id="longer blocks only"),
    pytest.param(Rules(margin=1), True, id="no second place, no margin"),
]


@pytest.mark.parametrize("rules, applies", THRESHOLDS)
def test_thresholds_are_real(rules: Rules, *, applies: bool) -> None:
    algorithm, diff = checked(rules), block(FUNCTION.replace("w * h", "w*h"), "pass\n")

    if applies:
        assert algorithm(FUNCTION, diff).text == "pass\n"
    else:
        with pytest.raises(DiffError, match="block 1"):
            algorithm(FUNCTION, diff)


def test_complete_blocks_are_applied_while_the_diff_goes_on() -> None:
    diff = block("c\n", "C\n") + block("a\n", "A\n")

    texts = {v4("a\nb\nc\n", diff[:length], final=False).text for length in range(len(diff) + 1)}

    assert texts == {"a\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"}


def test_a_wrong_complete_block_is_refused_while_the_diff_goes_on() -> None:
    with pytest.raises(DiffError, match="matches nothing"):
        v4("a\n", block("b\n", "c\n") + "------- SEA", final=False)


ROWS = st.sampled_from(["a", "b", "  a", "c", "", "\r", "=====", "------- SEARCH", "+++ REPLACE", "=======", "x\r"])
TEXTS = st.lists(ROWS, max_size=8).map("\n".join)


@settings(max_examples=150)
@given(TEXTS, TEXTS, st.integers(0, 200))
def test_no_prefix_of_a_right_diff_is_refused(before: str, after: str, length: int) -> None:
    applied = v4(before, diff_of(before, after)[:length], final=False)

    assert respliced(before, applied) == applied.text


@settings(max_examples=150)
@given(TEXTS, TEXTS, st.booleans())
def test_any_diff_is_refused_or_its_blocks_say_all_that_changed(original: str, diff: str, final: bool) -> None:
    try:
        applied = v4(original, diff, final=final)
    except DiffError:
        return

    assert respliced(original, applied) == applied.text


def respliced(original: str, applied: Applied) -> str:
    pieces, position = list[str](), 0
    for one in applied.blocks:
        assert position <= one.start <= one.end
        pieces += original[position : one.start], one.replacement
        position = one.end
    return "".join([*pieces, original[position:]])


def test_many_blocks_on_a_large_file_take_linear_time() -> None:
    rows = [f"    value_{at} = compute({at % 13})" for at in range(20_000)]
    original = "\n".join(rows) + "\n"
    drifted = "".join(
        block("".join(f"{row[2:]}\n" for row in rows[at : at + 10]), "pass\n") for at in range(0, 4000, 20)
    )

    assert len(v4(original, drifted).blocks) == 200


def test_a_file_of_equal_lines_takes_linear_time() -> None:
    assert refusal("x\n" * 200_000, block(" x\n" * 1000, "y\n")).reason is Reason.AMBIGUOUS
    assert refusal("x\n" * 200_000, block(" x\n" * 1000 + "y\n", "y\n")).reason is Reason.AMBIGUOUS
