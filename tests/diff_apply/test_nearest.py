"""The nearest candidate is the place that a drifted SEARCH means, found quickly on huge files too."""

import random
import sys

import pytest

from diff_apply.lines import Source
from diff_apply.nearest import nearest, similarity, windows
from diff_apply.result import Candidate

WORDS = ["open", "read", "close", "write", "seek", "total", "count", "limit", "offset", "buffer", "cursor", "token"]


def a_file(draw: random.Random) -> list[str]:
    """Made-up functions, with lines and shapes that repeat as in real code."""
    rows = list[str]()
    for number in range(draw.randint(6, 20)):
        name = f"{draw.choice(WORDS)}_{draw.choice(WORDS)}_{number}"
        rows += [f"def {name}({draw.choice(WORDS)}, {draw.choice(WORDS)}=None):", '    """Do it."""']
        for _ in range(draw.randint(2, 8)):
            left, right, depth = draw.choice(WORDS), draw.choice(WORDS), draw.choice([1, 1, 1, 2])
            statement = draw.choice([f"{left} = self.{right}({draw.randint(0, 99)})", f"if not {left}:", "continue"])
            rows.append("    " * depth + statement)
        rows += [f"    return {draw.choice(WORDS)}", "", ""]
    return rows


def deeper(rows: list[str], draw: random.Random) -> list[str]:
    return [" " * draw.choice([2, 4]) + row if row else row for row in rows]


def less_deep(rows: list[str], draw: random.Random) -> list[str]:
    return [row.removeprefix(" " * draw.choice([2, 4])) for row in rows]


def tabs(rows: list[str], _: random.Random) -> list[str]:
    return [row.replace("    ", "\t") for row in rows]


def crlf(rows: list[str], _: random.Random) -> list[str]:
    return [row + "\r" for row in rows]


def changed_line(rows: list[str], draw: random.Random) -> list[str]:
    """One line says something else."""
    at = draw.choice([number for number, row in enumerate(rows) if row.strip()])
    return [*rows[:at], f"    {draw.choice(WORDS)} = {draw.choice(WORDS)}", *rows[at + 1 :]]


def test_drifted_blocks_are_found_in_their_places(capsys: pytest.CaptureFixture[str]) -> None:
    draw, right, total = random.Random(20250606), 0, 500

    for number in range(total):
        rows = a_file(draw)
        drift = (deeper, less_deep, tabs, crlf, changed_line)[number % 5]
        at, count = unique_block(rows, draw)
        drifted = "".join(row + "\n" for row in drift(rows[at : at + count], draw))
        found = nearest("\n".join(rows) + "\n", drifted)
        right += found is not None and (found.first_line, found.last_line) == (at + 1, at + count)

    with capsys.disabled():
        sys.stdout.write(f"\nnearest candidate: {right} of {total} drifted blocks found\n")
    assert right >= 0.95 * total


def unique_block(rows: list[str], draw: random.Random) -> tuple[int, int]:
    """Row and length of a block of 3 to 9 rows that stands once in the file."""
    while True:
        count = draw.randint(3, 9)
        at = draw.randrange(len(rows) - count)
        block = [row.strip() for row in rows[at : at + count]]
        same = [row for row in range(len(rows)) if [line.strip() for line in rows[row : row + count]] == block]
        if same == [at]:
            return at, count


FILE = "def one():\n    first = 1\n    return first\n\ndef two():\n    second = 2\n    return second\n"

CANDIDATES = [
    pytest.param("    second = 3\n", Candidate(6, 6, 0.9, 6, "    second = 3", "    second = 2"), id="a changed line"),
    pytest.param(
        "def two():\n  second = 2\n", Candidate(5, 6, 1.0, 6, "  second = 2", "    second = 2"), id="an indented one"
    ),
    pytest.param("def one():\r\n", Candidate(1, 1, 1.0, 1, "def one():\r", "def one():"), id="a CR"),
    pytest.param("zzz\n", None, id="nothing alike"),
    pytest.param("\n\n\n\n\n\n\n\n\n\n", None, id="blank lines"),
]


@pytest.mark.parametrize("search, candidate", CANDIDATES)
def test_a_candidate_says_where_it_differs_first(search: str, candidate: Candidate | None) -> None:
    assert nearest(FILE, search) == candidate


def test_a_search_longer_than_the_file_ends_with_it() -> None:
    candidate = nearest("a long first line\nb\n", "a long first line\nb\nc\n")

    assert candidate
    assert (candidate.first_line, candidate.last_line, candidate.difference) == (1, 2, 3)
    assert (candidate.expected, candidate.actual) == ("c", "")


@pytest.mark.parametrize("text", ["", "\n"])
def test_an_empty_file_has_no_candidate(text: str) -> None:
    assert nearest(text, "a\n") is None


SIMILARITIES = [
    pytest.param(["abcd"], ["abcd"], 1.0, id="equal"),
    pytest.param(["abcd"], ["abxd"], 0.75, id="one of four"),
    pytest.param(["abcdefgh", "}"], ["abcdefgh", ")"], 8 / 9, id="a long line weighs more"),
    pytest.param(["ab"], ["ab", "cd"], 0.5, id="a line without partner"),
    pytest.param([""], [""], 1.0, id="nothing to compare"),
    pytest.param(["a" * 3000], ["a" * 2999], 0.0, id="very long lines are equal or not"),
]


@pytest.mark.parametrize("rows, wanted, expected", SIMILARITIES)
def test_similarity_is_one_less_the_share_of_edits(rows: list[str], wanted: list[str], expected: float) -> None:
    assert similarity(rows, wanted) == pytest.approx(expected)


def test_a_common_line_votes_only_when_no_other_can() -> None:
    rows = ["}"] * 100 + ["unique"] + ["}"] * 100

    assert windows(Source("\n".join(rows)), ["}", "unique"]) == [99]
    assert windows(Source("\n".join(rows)), ["}", "else"])[0] == 0


def test_a_huge_file_takes_bounded_work() -> None:
    original = "\n".join(f"value_{at} = {at}" for at in range(300_000))

    assert nearest(original, "zzz = qqq\n" * 50) is None
    assert nearest("x\n" * 300_000 + "y" * 500_000, "x y\n" * 50 + "y" * 499_999 + "\n") is None
