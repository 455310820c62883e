"""Where the blocks of a diff stand in the answer, and what they matched in the file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from runner.view.arrivals import shown_length

CONTEXT = 3
_BLOCK_START = re.compile(r"^(?:-{3,}|<{3,}) SEARCH>?\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MatchedSpan:
    """What a block matched in the file, with the lines around it; `numbers` are those of all these lines."""

    block: int
    title: str
    before: str
    text: str
    after: str
    numbers: str


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A part of an answer, of the block with that number or of none (0); `start` is where it begins as it is shown."""

    block: int
    text: str
    start: int


def matched_spans(blocks: object, original: str) -> tuple[MatchedSpan, ...]:
    """Return the spans from the column `blocks` of a scoring, in the order of the file; () where it was refused."""
    if not isinstance(blocks, list):
        return ()
    return tuple(_span(number, block, original) for number, block in enumerate(blocks, 1))


def _span(number: int, block: dict[str, Any], original: str) -> MatchedSpan:
    start, end = (max(0, min(len(original), int(block[name]))) for name in ("start", "end"))
    top = _back(original, start, CONTEXT)
    bottom = _forth(original, end, CONTEXT)
    first = original.count("\n", 0, top) + 1
    excerpt = original[top:bottom]
    lines = excerpt.count("\n") + (not excerpt.endswith("\n"))
    numbers = "\n".join(map(str, range(first, first + lines)))
    name = int(block.get("block") or number)
    similarity = "" if block.get("similarity") is None else f", alike {block['similarity']:.2f}"
    title = f"block {name}: {block['method']}, line {original.count(chr(10), 0, start) + 1}{similarity}"
    return MatchedSpan(name, title, original[top:start], original[start:end], original[end:bottom], numbers)


def _back(text: str, place: int, lines: int) -> int:
    """Return where the line begins that stands so many lines before a place."""
    at = text.rfind("\n", 0, place) + 1
    for _ in range(lines):
        at = text.rfind("\n", 0, max(0, at - 1)) + 1
    return at


def _forth(text: str, place: int, lines: int) -> int:
    """Return where the line ends that stands so many lines behind a place."""
    inside = place and text[place - 1] == "\n"
    at = place if inside else text.find("\n", place) + 1 or len(text)
    for _ in range(lines):
        at = text.find("\n", at) + 1 or len(text)
    return at


def answer_parts(answer: str, diff: str) -> tuple[AnswerPart, ...]:
    """Return the answer in parts, cut where a block of its diff begins."""
    at = answer.find(diff) if diff else -1
    if at < 0:
        return (AnswerPart(0, answer, 0),)
    cuts = [at + match.start() for match in _BLOCK_START.finditer(diff)]
    places = [0, *cuts, at + len(diff), len(answer)] if cuts else [0, len(answer)]
    blocks = [0, *range(1, len(cuts) + 1), 0]
    return _parts([(block, answer[start:end]) for block, (start, end) in zip(blocks, pairwise(places), strict=False)])


def _parts(texts: Sequence[tuple[int, str]]) -> tuple[AnswerPart, ...]:
    parts, start = list[AnswerPart](), 0
    for block, text in texts:
        if text:
            parts.append(AnswerPart(block, text, start))
            start += shown_length(text)
    return tuple(parts)
