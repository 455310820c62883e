"""Which line an answer names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.line_number import parse_line_number


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
