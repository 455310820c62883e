"""Parts of files: no more than is permitted, in order, around the places first, some of every file while that fits."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.suites.nextedit.commits import Span, split_lines
from runner.suites.nextedit.context.excerpts import View, excerpts, size_of, whole
from runner.suites.nextedit.context.ranking import Passage, passages_of

TEXTS = st.dictionaries(
    st.sampled_from(["a.py", "b.py", "lib/c.py"]),
    st.lists(st.text("xy ", max_size=30), max_size=200).map("\n".join),
    min_size=1,
)
LONG = {"a.py": "a line\n" * 300, "b.py": "b line\n" * 300}


def _passages(texts: Mapping[str, str]) -> list[Passage]:
    return [passage for path, text in texts.items() for passage in passages_of(path, text)]


def _lines(view: View, path: str) -> set[int]:
    return {line for span in view.get(path, ()) for line in range(span.start, span.end)}


@settings(max_examples=50)
@given(TEXTS, st.integers(0, 8000), st.booleans(), st.integers(0, 5))
def test_what_is_shown_fits_and_is_in_order(
    texts: dict[str, str], characters: int, every_file: bool, first: int
) -> None:
    path, text = next(iter(texts.items()))
    start = min(first, len(split_lines(text)))

    view = excerpts(
        texts, [Passage(path, Span(start, start))], lambda: _passages(texts), characters, every_file=every_file
    )

    for shown, spans in view.items():
        lines = split_lines(texts[shown])
        bounds = [bound for span in spans for bound in (span.start, span.end)]
        assert bounds == sorted(set(bounds))
        assert all(0 <= bound <= len(lines) for bound in bounds)
    told = {path: "".join(split_lines(texts[path])[line] for line in sorted(_lines(view, path))) for path in view}
    assert size_of(told) <= characters


def test_what_fits_is_shown_whole_and_nothing_is_ranked() -> None:
    texts = {"a.py": "1\n2\n", "b.py": ""}

    view = excerpts(texts, [], lambda: pytest.fail("ranked"), size_of(texts))

    assert view == whole(texts) == {"a.py": (Span(0, 2),), "b.py": ()}


def test_the_first_place_comes_first_then_the_others_then_what_ranks_highest() -> None:
    places = [Passage("a.py", Span(100, 101)), Passage("b.py", Span(200, 200))]
    ranked = [Passage("b.py", Span(280, 300)), Passage("a.py", Span(0, 40))]

    views = [excerpts(LONG, places, lambda: ranked, characters) for characters in (500, 700, 1000, 2000)]

    shown = [(100 in _lines(view, "a.py"), 199 in _lines(view, "b.py"), 290 in _lines(view, "b.py")) for view in views]
    assert shown == [(True, True, False), (True, True, False), (True, True, True), (True, True, True)]
    assert {*range(90, 111), *range(40)} <= _lines(views[-1], "a.py")


def test_no_file_shows_more_than_its_first_lines_before_every_file_has_some() -> None:
    texts = {f"{at}.py": "a line\n" * 300 for at in range(5)}

    view = excerpts(texts, [], lambda: _passages(texts), 1500)

    assert set(view) == set(texts)
