import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.first_line import FirstLine

LINES = [
    "------- SEARCH\n",
    "<<< SEARCH>\r\n",
    "=======\n",
    "===\r\n",
    "+++++++ REPLACE\n",
    "a\n",
    "\n",
    " ",
    "- SEARCH\n",
]
values = st.lists(st.sampled_from(LINES), max_size=8).map("".join)


def _position(pieces: list[str]) -> int | None:
    """Where the line is complete in the whole value; its length + 1 for its end."""
    watch, at = FirstLine(), 0
    for piece in pieces:
        offset = watch.feed(piece)
        if offset is not None:
            return at + offset
        at += len(piece)
    return at + 1 if watch.close() else None


@given(value=values, cut=st.integers(1, 9))
def test_the_place_does_not_depend_on_the_pieces(value: str, cut: int) -> None:
    pieces = [value[at : at + cut] for at in range(0, len(value), cut)]

    assert _position(pieces) == _position([value])


@given(value=values)
def test_the_place_is_the_end_of_the_line_after_the_separator(value: str) -> None:
    place = _position([value])

    if place is not None:
        before = value[: place - 1].rsplit("\n", 1)[0].splitlines()
        assert set(before[-1]) == {"="}
        assert any("SEARCH" in line for line in before[:-1])


@pytest.mark.parametrize("value", ["", " \n", "------- SEARCH", "------- SEARCH\n===", "------- SEARCH\n===\n  "])
def test_a_value_may_end_without_a_replacement_line(value: str) -> None:
    assert _position([value]) is None
