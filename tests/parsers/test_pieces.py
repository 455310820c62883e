import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.pieces import Pieces
from parsers.trim import js_trim


@given(parts=st.lists(st.text(max_size=3), max_size=6), data=st.data())
def test_a_slice_is_that_of_the_joined_text(parts: list[str], data: st.DataObject) -> None:
    pieces = Pieces()
    for number, part in enumerate(parts):
        pieces.append(part)
        text = "".join(parts[: number + 1])
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(0, len(text)))

        assert pieces.slice(start, stop) == text[start:stop]
        assert pieces.length == len(text)


def test_nothing_gives_nothing() -> None:
    assert Pieces().slice(0, 0) == ""


@pytest.mark.parametrize(
    "text, trimmed",
    [
        pytest.param("\t\n\v\f\r \xa0a\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff", "a", id="all_of_them"),
        pytest.param("\x1ca\x85", "\x1ca\x85", id="only_python_trims_these"),
        pytest.param("\u200ba\u180e", "\u200ba\u180e", id="no_longer_white_space"),
        pytest.param(" a b ", "a b", id="inner_space_stays"),
    ],
)
def test_trimming_is_that_of_javascript(text: str, trimmed: str) -> None:
    assert js_trim(text) == trimmed
