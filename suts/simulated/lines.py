"""The text of an answer that names a line of a file, with a given outcome.

| outcome | form |
|---|---|
| `solved` | the right answer |
| `unsolved` | another line of the file: two times in three one to three lines off, else any |
| `out_of_range` | a line behind the end of the file, or line 0 |
| `no_answer` | prose alone, a tag without a number, a tag left open, or a number among words |
"""

from collections.abc import Mapping
from typing import Final

from suts.simulated.draws import Key, pick, unit, weighted
from suts.simulated.prose import padding
from suts.sut import Truth

LINE_INVALIDS: Final[Mapping[str, float]] = {"no_answer": 2.0, "out_of_range": 1.0}

_NEAR = 2 / 3
_NEAREST = (-3, -2, -1, 1, 2, 3)
_MALFORMED: Final[Mapping[str, float]] = {"prose": 2.0, "words": 1.0, "open": 1.0, "among": 1.0}


def line_answer(key: Key, truth: Truth, outcome: str) -> str:
    """Return an answer with this outcome; `truth.answer` is the right one, with its number of 1 to `truth.lines`."""
    match outcome:
        case "solved":
            return truth.answer
        case "unsolved":
            return _tag(_other_line(key, truth))
        case "out_of_range":
            return _tag(pick((*key, "beyond"), (0, truth.lines + 1, 10 * truth.lines + 3)))
        case _:
            return _malformed(key, truth)


def _other_line(key: Key, truth: Truth) -> int:
    right = right_line(truth)
    near = [right + step for step in _NEAREST if 1 <= right + step <= truth.lines]
    if unit((*key, "near")) < _NEAR:
        return pick((*key, "near line"), near)
    drawn = 1 + int(unit((*key, "far line")) * (truth.lines - 1))
    return drawn + (drawn >= right)


def right_line(truth: Truth) -> int:
    """Return the number in the right answer."""
    return int("".join(filter(str.isdigit, truth.answer)))


def _malformed(key: Key, truth: Truth) -> str:
    line = right_line(truth)
    match weighted((*key, "form"), _MALFORMED):
        case "words":
            return "<line>somewhere in the middle</line>"
        case "open":
            return f"<line>{line}"
        case "among":
            return f"It is line {line}, or the one behind it."
        case _:
            return padding((*key, "lost"), 60)


def _tag(line: int) -> str:
    return f"<line>{line}</line>"
