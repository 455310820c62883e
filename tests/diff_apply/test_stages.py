"""Each stage of Cline's engines finds its kind of place, from the cursor on."""

import pytest

from diff_apply.lines import Source
from diff_apply.result import Method
from diff_apply.stages import Place, Stage, anchored, anchored_by_distance, exact, exact_anywhere, line_trimmed

EXACT = [
    pytest.param("a\nb\na\n", "a\n", 0, 0, id="the first"),
    pytest.param("a\nb\na\n", "a\n", 1, 4, id="the first from the cursor"),
    pytest.param("a\nb\na\n", "a\n", -1, 0, id="a cursor before the text"),
    pytest.param("xa\n", "a\n", 0, 1, id="within a line"),
    pytest.param("x\na\n", "\na\n", 0, 1, id="with the LF of the line before"),
    pytest.param("a\nb", "b\n", 0, None, id="not at an end without newline"),
    pytest.param("a\nb\na\n", "b\n", 3, None, id="not before the cursor"),
]


@pytest.mark.parametrize("text, search, cursor, start", EXACT)
def test_exact_text_is_found_wherever_it_stands(text: str, search: str, cursor: int, start: int | None) -> None:
    place = exact(Source(text), search, cursor)

    assert place == (None if start is None else Place(start, start + len(search), Method.EXACT))


def test_the_last_stage_looks_before_the_cursor() -> None:
    assert exact_anywhere(Source("a\nb\n"), "a\n", 3) == Place(0, 2, Method.EXACT_ELSEWHERE)
    assert exact_anywhere(Source("a\nb\n"), "c\n", 3) is None


TRIMMED = [
    pytest.param(" a\nb \n", "a\nb\n", 0, (0, 6), id="blanks around lines"),
    pytest.param(" a\n", "\ta\r\n", 0, (0, 3), id="blanks around both"),
    pytest.param(" a\n a\n", "a\n", 1, (3, 6), id="a row that the cursor is in is passed over"),
    pytest.param("b\n a", "a\n", 0, (2, 5), id="the end may lie one beyond the text"),
    pytest.param(" a\n", "a\n\n", 0, (0, 4), id="what follows the last newline is a row"),
    pytest.param(" a\nb\n", "a\nc\n", 0, None, id="all lines must be equal"),
    pytest.param(" a\n", "a\nb\nc\nd\n", 0, None, id="more lines than the file has"),
]


@pytest.mark.parametrize("text, search, cursor, span", TRIMMED)
def test_trimmed_rows_are_found_whole(text: str, search: str, cursor: int, span: tuple[int, int] | None) -> None:
    place = line_trimmed(Source(text), search, cursor)

    assert (place and (place.start, place.end, place.method)) == (span and (*span, Method.TRIMMED))


ANCHORED = [
    pytest.param("{\nx\n}\n", "{\ny\n}\n", (0, 6), id="the middle is not compared"),
    pytest.param("{\nx\ny\n}\n{\nx\n}\n", "{\nz\n}\n", (8, 14), id="as many rows as lines"),
    pytest.param("\nx\n\n", "\ny\n\n", (0, 4), id="blank lines are anchors too"),
    pytest.param("{\nx\n}\n", "{\ny\n]\n", None, id="the last line differs"),
    pytest.param("{\n", "{\n", None, id="one line is no pair of anchors"),
]


@pytest.mark.parametrize("stage", [anchored, anchored_by_distance])
@pytest.mark.parametrize("text, search, span", ANCHORED)
def test_anchors_are_the_first_and_the_last_line(
    stage: Stage, text: str, search: str, span: tuple[int, int] | None
) -> None:
    place = stage(Source(text), search, 0)

    assert (place and place[:3]) == (span and (*span, Method.ANCHOR))


def test_a_single_candidate_is_judged_by_its_first_middle_row() -> None:
    place = anchored_by_distance(Source("{\n\nabcd\nzzzz\n}\n"), "{\n\nabxd\nyyyy\n}\n", 0)

    assert place
    assert place.similarity == 0.75 / 3


def test_a_single_candidate_with_a_blank_middle_is_similar_by_nothing() -> None:
    place = anchored_by_distance(Source("{\n\n}\n"), "{\n \n}\n", 0)

    assert place
    assert place.similarity == 0


def test_of_several_candidates_the_mean_of_the_middle_rows_decides() -> None:
    text = "{\nabcd\nzz\n}\n{\nabcd\nef\n}\n{\nabcd\nef\n}\n"

    place = anchored_by_distance(Source(text), "{\nabcx\nef\n}\n", 0)

    assert place == Place(12, 24, Method.ANCHOR, (0.75 + 1) / 2)
