"""Which line an answer names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.blocks import EditMarks, Text, ToolCall
from parsers.line_number import _OPEN_TAG, _TAG, PARSER, parse_line_number

# What an answer may be made of, and what looks like it.
PARTS = (
    "<line>",
    "</line>",
    "<LINE>",
    "</Line>",
    "<l",
    "</",
    "<",
    ">",
    "/",
    "line",
    "1",
    "23",
    " ",
    "\n",
    "\u0131",
    "a",
)


@pytest.mark.parametrize(
    "text, line",
    [
        pytest.param("<line>12</line>", 12, id="the tag alone"),
        pytest.param("Line 4 or 9?\n\n<line> 9 </line>\n", 9, id="words before the tag"),
        pytest.param("<line>4</line> or rather\n<LINE>9</LINE>", 9, id="the last of several tags"),
        pytest.param("<line>4</line>\nThat is line 7.", 4, id="a tag before a number"),
        pytest.param("12", 12, id="a bare number"),
        pytest.param("I think of it.\n\n**Line 12**.\n", 12, id="an emphasised last line"),
        pytest.param("The answer is: 12", 12, id="a sentence that says just this"),
        pytest.param("`12`", 12, id="a code span"),
        pytest.param("", None, id="nothing"),
        pytest.param("I cannot tell.", None, id="no number"),
        pytest.param("It is line 12, because of line 14", None, id="a number among words"),
        pytest.param("12 or 14", None, id="two numbers"),
        pytest.param("<line>12", None, id="a tag that was never closed"),
        pytest.param("<line>twelve</line>", None, id="a tag without a number"),
        pytest.param("-12", None, id="a negative number"),
        pytest.param("<line>12.5</line>", None, id="a fraction"),
        pytest.param(f"<line>{'9' * 5000}</line>", None, id="a number beyond all files"),
        pytest.param("<line>0</line>", 0, id="line 0 is named, and wrong"),
    ],
)
def test_an_answer_names_one_line_or_none(text: str, line: int | None) -> None:
    assert parse_line_number(text) == line


@given(st.text())
def test_no_text_raises(text: str) -> None:
    found = parse_line_number(text)

    assert found is None or found >= 0


@given(st.text(), st.integers(0, 10**8))
def test_a_tag_at_the_end_wins_over_any_text(text: str, line: int) -> None:
    assert parse_line_number(f"{text}<line>{line}</line>") == line


def test_a_named_line_is_a_call_behind_the_words() -> None:
    assert PARSER.parse("It is here.\n<line>7</line>") == (
        Text("It is here.\n<line>7</line>"),
        ToolCall("line", {"number": "7"}),
    )


def test_an_answer_without_a_line_is_words_alone() -> None:
    assert PARSER.parse(" Nowhere. ") == (Text("Nowhere."),)
    assert PARSER.parse(" \n") == ()


@pytest.mark.parametrize(
    "text, marks",
    [
        pytest.param("No tag: 12", EditMarks(), id="none"),
        pytest.param("So: <line>12</line>.", EditMarks(opened=10, closed=19), id="a tag"),
        pytest.param("<line>x</line><line> 3 </line>", EditMarks(opened=6, closed=30), id="the first whole one"),
        pytest.param("<line>3</line><line>4</line>", EditMarks(opened=6, closed=14), id="the first of two"),
        pytest.param("<line>3<line>4</line>", EditMarks(opened=6, closed=21), id="one within another"),
        pytest.param("<line>3 4</line>", EditMarks(opened=6), id="two numbers"),
    ],
)
def test_marks_tell_when_a_tag_was_begun_and_when_one_was_whole(text: str, marks: EditMarks) -> None:
    parse = PARSER.start()

    parse.feed(text)

    assert parse.marks == marks


@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
def test_marks_read_by_characters_are_those_of_the_whole_text(text: str) -> None:
    parse = PARSER.start()

    for character in text:
        parse.feed(character)

    opened, closed = _OPEN_TAG.search(text), _TAG.search(text)
    assert parse.marks == EditMarks(opened=opened.end() if opened else None, closed=closed.end() if closed else None)
    assert parse.snapshot() == PARSER.parse(text)
