"""What sets the published versions apart, each peculiarity in a small example of our own."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import DiffError, Method, Placed, Reason

NAMES = ["v1", "v2", "diff-06-23-25", "diff-06-25-25", "diff-06-26-25", "v3", "v3/v2"]

START, SEPARATOR, END = "------- SEARCH\n", "=======\n", "+++++++ REPLACE\n"


def block(search: str, replacement: str) -> str:
    return f"{START}{search}{SEPARATOR}{replacement}{END}"


def given_by(name: str, original: str, diff: str) -> str | Reason:
    try:
        return DIFF_ALGORITHMS[name](original, diff).text
    except DiffError as error:
        return error.reason


# original, diff, and what v1, v2, 06-23, 06-25, 06-26, v3 and v3/v2 make of it.
TABLE = [
    pytest.param("a\nb\nc\n", block("b\n", "B\n"), ["a\nB\nc\n"] * 7, id="a plain block"),
    pytest.param("a\n  b\nc\n", block("b\n", "B\n"), ["a\n  B\nc\n"] * 7, id="an indented line, in part"),
    pytest.param("a\nb \nc\n", block("b\n", "B\n"), ["a\nB\nc\n"] * 7, id="a line with trailing space"),
    pytest.param("a\nb", block("b\n", "B\n"), ["a\nB\n"] * 7, id="a newline is added at the end"),
    pytest.param("xb\n", block("b\n", "B\n"), ["xB\n"] * 7, id="a part of a line"),
    pytest.param("{\na\nb\n}\n", block("{\nx\ny\n}\n", "z\n"), ["z\n"] * 7, id="a middle that differs"),
    pytest.param("a\n", block("z\n", "y\n"), [Reason.NO_MATCH] * 7, id="no match"),
    pytest.param("", block("", "new\n"), ["new\n"] * 7, id="an empty file"),
    pytest.param(
        "a\n", block("", "B\n"), ["B\n"] * 2 + [Reason.EMPTY_SEARCH] * 4 + ["B\n"], id="an empty search on a file"
    ),
    pytest.param(
        "a\nb\n",
        block("b\n", "B\n") + block("a\n", "A\n"),
        [Reason.NO_MATCH] * 2 + ["A\nB\n"] * 4 + [Reason.NO_MATCH],
        id="blocks out of order",
    ),
    pytest.param("a\n", "--- SEARCH\na\n===\nA\n+++ REPLACE\n", ["a\n"] * 2 + ["A\n"] * 5, id="short markers"),
    pytest.param(
        "a\n",
        "------- SEARCH>\na\n=======\nA\n+++++++ REPLACE>\n",
        ["A\n+++++++ REPLACE>\n\na\n", Reason.MISSING_MARKER, Reason.EMPTY_SEARCH, "A\n", "A\n", "A\n", "A\n"],
        id="a bracket after the word",
    ),
    pytest.param(
        "a\nb\n",
        f"{START}b\n{SEPARATOR}B\n",
        ["a\nB\n\na\nb\n", Reason.UNCLOSED] + ["a\nB\n\n"] * 4 + [Reason.UNCLOSED],
        id="no end marker",
    ),
    pytest.param(
        "a\nb\n",
        f"{START}b\n{SEPARATOR}B\n- item",
        ["a\nB\na\nb\n", Reason.UNCLOSED] + ["a\nB\n"] * 4 + [Reason.UNCLOSED],
        id="a last line that begins like a marker",
    ),
    pytest.param(
        "a\nb\nc\n",
        block("b\n", "B\n") + END,
        ["a\nB\n\n", Reason.EXTRA_MARKER] + ["a\nb\ncB\nc\n"] * 2 + [Reason.EXTRA_MARKER] * 3,
        id="an extra end marker",
    ),
    pytest.param("a\n", "prose", ["a\n"] * 7, id="no marker at all"),
    pytest.param(
        "a\nb\n",
        "prose\n" + block("b\n", "B\n"),
        ["a\nB\n", Reason.MALFORMED] + ["a\nB\n"] * 4 + [Reason.MALFORMED],
        id="prose before a block",
    ),
    pytest.param(
        "a\nb\n",
        block("b\n", "B\n=======\nC\n"),
        ["a\nB\na\nC\n", Reason.MALFORMED] + ["a\nB\nC\n"] * 4 + [Reason.MALFORMED],
        id="a separator in the replacement",
    ),
    pytest.param(
        "a\nb\nc\n",
        block("a\nb\n", "X\n") + block("b\n", "Y\n"),
        [Reason.NO_MATCH] * 2 + ["X\nY\nc\n"] * 4 + [Reason.NO_MATCH],
        id="overlapping blocks",
    ),
    pytest.param("a\n", block("a\n", "A\n").replace("\n", "\r\n"), ["a\n"] * 7, id="markers that end in CR"),
]


@pytest.mark.parametrize("original, diff, expected", TABLE)
def test_versions_differ_as_published(original: str, diff: str, expected: list[str | Reason]) -> None:
    assert [given_by(name, original, diff) for name in NAMES] == expected


def test_only_06_26_takes_the_most_similar_of_several_anchored_places() -> None:
    original = "{\nfirst = 1\n}\n{\nsecond = 2\n}\n"
    diff = block("{\nsecond = 3\n}\n", "x\n")

    assert given_by("diff-06-26-25", original, diff) == "{\nfirst = 1\n}\nx\n"
    assert given_by("diff-06-26-25/v2", original, diff) == "{\nfirst = 1\n}\nx\n"
    assert given_by("v3", original, diff) == "x\n{\nsecond = 2\n}\n"


def test_similarity_is_measured_in_utf_16_units() -> None:
    original = "{\n\U0001f600b\n}\n"

    placed = DIFF_ALGORITHMS["diff-06-26-25"](original, block("{\n\U0001f600c\n}\n", "x\n")).blocks[0]

    assert placed.similarity == pytest.approx(2 / 3)


def test_blocks_are_recorded_clamped_to_the_text() -> None:
    applied = DIFF_ALGORITHMS["v3"]("a\n  b", block("b\n", "B\n") + block("a\n", "A\n"))

    assert applied.blocks == (
        Placed(0, 2, "A\n", Method.EXACT_ELSEWHERE, block=2),
        Placed(2, 5, "B\n", Method.TRIMMED, block=1),
    )


def test_an_error_names_its_block() -> None:
    with pytest.raises(DiffError) as caught:
        DIFF_ALGORITHMS["v3"]("a\nb\n", block("a\n", "A\n") + block("z\n", "Z\n"))

    assert caught.value.block == 2


@pytest.mark.parametrize("name", ["v1", "v2", "v3", "v3/v2"])
def test_a_growing_diff_shows_a_growing_file(name: str) -> None:
    diff = block("b\n", "B\nC\n")

    shown = [DIFF_ALGORITHMS[name]("a\nb\nc\n", diff[:length], final=False).text for length in range(len(diff))]

    assert list(dict.fromkeys(shown))[:2] == ["", "a\n"]
    assert shown[-1] == "a\nB\nC\n"


PIECES = st.sampled_from([START, SEPARATOR, END, "a\n", "b\n", "  a\n", "\n", "--- SEARCH\n", "===\n", "+++ REPLACE"])
TEXTS = st.lists(PIECES, max_size=9).map("".join)


@pytest.mark.parametrize("name", DIFF_ALGORITHMS)
@settings(max_examples=60)
@given(original=TEXTS, diff=TEXTS, final=st.booleans())
def test_every_algorithm_raises_diff_errors_only_and_is_pure(
    name: str, original: str, diff: str, *, final: bool
) -> None:
    outcomes = list[object]()

    for _ in range(2):
        try:
            outcomes.append(DIFF_ALGORITHMS[name](original, diff, final=final))
        except DiffError as error:
            outcomes.append((error.reason, error.block, str(error)))

    assert outcomes[0] == outcomes[1]
