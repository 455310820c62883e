"""Tables within a width: which columns stay, how names are shortened, and that no line is ever too long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.document import Table
from runner.table_layout import shortened, table_lines, text_width

RATES = Table(
    "rates",
    ("model", "cases", "right", "wrong", "seconds"),
    (("openai/gpt-x", "29", "93.1 [85.3, 96.9]", "0.0", "1.25"), ("sim/careful", "29", "-", "0.0", "12.50")),
    important=("model", "right", "seconds"),
)


@pytest.mark.parametrize(
    "width,head",
    [
        pytest.param(None, "model         cases              right  wrong  seconds", id="no width"),
        pytest.param(54, "model         cases              right  wrong  seconds", id="all fit"),
        pytest.param(53, "model         cases              right  seconds", id="the last of the others goes first"),
        pytest.param(46, "model                     right  seconds", id="then the other one"),
        pytest.param(39, "model                     right", id="then the least important"),
        pytest.param(12, "model", id="the most important stays"),
    ],
)
def test_columns_are_left_out_by_importance(width: int | None, head: str) -> None:
    assert table_lines(RATES, width)[0] == head


def test_a_last_line_names_what_is_left_out() -> None:
    assert table_lines(RATES, 46)[-1] == "(2 more columns: cases, wrong; --wide)"
    assert table_lines(RATES, 35)[-1] == "(3 more columns: cases, …; --wide)"
    assert table_lines(RATES, 31)[-1] == "(3 more columns: --wide)"


def test_numbers_stand_at_the_right_and_names_at_the_left() -> None:
    assert table_lines(RATES)[1:] == [
        "openai/gpt-x     29  93.1 [85.3, 96.9]    0.0     1.25",
        "sim/careful      29                  -    0.0    12.50",
    ]


def test_names_are_shortened_before_an_important_column_goes() -> None:
    name = "openrouter/qwen/qwen3-coder-480b-a35b-instruct"
    table = Table("", ("model", "right", "other"), ((name, "93.1", "x"),), important=("model", "right"))

    assert table_lines(table, 32) == [
        "model                      right",
        "openrouter/q…35b-instruct   93.1",
        "(1 more column: other; --wide)",
    ]


def test_prose_is_wrapped_between_words() -> None:
    table = Table(
        "", ("name", "what it is"), (("v4", "Applies blocks in any order to whole lines"),), prose=("what it is",)
    )

    assert table_lines(table, 30) == [
        "name  what it is",
        "v4    Applies blocks in any",
        "      order to whole lines",
    ]


@pytest.mark.parametrize(
    "names,width,cut",
    [
        pytest.param(["abcdefghij", "abc"], 7, ["abc…hij", "abc"], id="in the middle"),
        pytest.param(["model?seed=1&time=virtual", "model?seed=2&time=virtual"], 16, None, id="what tells two apart"),
        pytest.param(["abcdefghijklmnop (simulated)"], 24, ["abcde…klmnop (simulated)"], id="a tag stays"),
    ],
)
def test_a_shortened_name_stays_its_own(names: list[str], width: int, cut: list[str] | None) -> None:
    found = shortened(names, width)

    assert len(set(found)) == len(names)
    assert max(map(len, found)) <= width
    assert cut is None or found == cut


CELLS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), max_size=4), st.integers(1, 120), st.booleans())
def test_no_line_is_wider_than_the_width(rows: list[tuple[str, ...]], width: int, prose: bool) -> None:
    table = Table("", ("a", "bb", "ccc", "dddd"), tuple(rows), ("bb", "a"), ("dddd",) if prose else ())

    lines = table_lines(table, width)

    assert max(text_width(line) for line in lines if not line.endswith("--wide)")) <= width


def test_wide_characters_take_two_columns() -> None:
    assert text_width("模型") == 4
    assert table_lines(Table("", ("n", "m"), (("模型", "x"), ("ab", "x"))))[1:] == ["模型  x", "ab    x"]
