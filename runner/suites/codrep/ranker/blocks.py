"""The blocks of a program, read from its braces alone: comments, headers, methods.

No parser: braces are matched outside comments, and a block's header, the words since the statement before it, states
what it is. Broken programs give poorer blocks, never an error.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from runner.suites.codrep.ranker.program import Bools, Ints, Program

NO_BLOCK = -1
NOT_OPEN = -1

_CONTROLS = frozenset("if for while switch try catch finally else do synchronized case default".split())  # noqa: SIM905 - as in `lexer`


class BraceBlock(IntEnum):
    """What a pair of braces encloses."""

    OTHER = 0
    TYPE = 1
    METHOD = 2
    CONTROL = 3
    ANONYMOUS = 4
    VALUES = 5


# The marks in a header that show the kind of its block; of several the first counts.
_KIND_MARKS = (
    (frozenset(("class", "interface", "enum")), BraceBlock.TYPE),
    (frozenset(("->",)), BraceBlock.CONTROL),
    (frozenset(("new",)), BraceBlock.ANONYMOUS),
    (frozenset(("=",)), BraceBlock.VALUES),
)


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks in the order of their opening braces; places are tokens, `NO_BLOCK` is the file itself.

    - `opens`, `closes`, `headers`: the braces, and where the header begins; `parents`: the block around.
    - `kinds`, `depths`; `methods`: the nearest method around or itself.
    - `in_comment`: for every token whether it is a part of a comment.
    - `changes`, `current`: at which tokens the innermost block changes, and to which.
    """

    opens: Ints
    closes: Ints
    headers: Ints
    parents: Ints
    kinds: Ints
    depths: Ints
    methods: Ints
    in_comment: Bools
    changes: Ints
    current: Ints

    def at(self, tokens: Ints) -> Ints:
        """The innermost block in front of each of the tokens."""
        place = np.searchsorted(self.changes, tokens) - 1
        return np.append(self.current, NO_BLOCK)[np.where(place < 0, len(self.current), place)]


def pick(values: Ints, blocks: Ints, otherwise: int) -> Ints:
    """The value of each block, `otherwise` for NO_BLOCK."""
    return np.append(values, otherwise)[blocks]


def find_blocks(program: Program) -> Blocks:
    """The blocks of a program."""
    in_comment = comments(program)
    pairs, changes = _match_braces(program, in_comment)
    opens, closes, headers, parents = np.array(pairs, np.int64).reshape(-1, 4).T
    kinds, depths, methods = np.array(_classify(program, in_comment, pairs), np.int64).reshape(-1, 3).T
    places, current = np.array(changes, np.int64).reshape(-1, 2).T
    return Blocks(opens, closes, headers, parents, kinds, depths, methods, in_comment, places, current)


def _match_braces(program: Program, in_comment: Bools) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """Each block's opening, closing, header and parent, and where the innermost block changes to which."""
    opening, closing = program.id_of("{"), program.id_of("}")
    marks = program.among(("{", "}", ";"))[program.tokens] & ~in_comment
    marks[: program.start[1]] = False
    pairs: list[list[int]] = []
    changes: list[tuple[int, int]] = []
    inside, header, last = NO_BLOCK, int(program.start[1]), len(program.tokens) - 1
    places = np.flatnonzero(marks)
    for place, word in zip(places.tolist(), program.tokens[places].tolist(), strict=True):
        if word == opening:
            pairs.append([place, last, header, inside])
            inside = len(pairs) - 1
            changes.append((place, inside))
        elif word == closing and inside != NO_BLOCK:
            pairs[inside][1] = place
            inside = pairs[inside][3]
            changes.append((place, inside))
        header = place + 1
    return pairs, changes


def comments(program: Program) -> Bools:
    """Which tokens are parts of comments; the new line has none."""
    start, end, line = (program.id_of(mark) for mark in ("/*", "*/", "//"))
    first = int(program.start[1])
    marks = first + np.flatnonzero(program.among(("/*", "*/", "//"))[program.tokens[first:]])
    line_ends = program.start[program.line_of[marks] + 1]
    spans: list[tuple[int, int]] = []
    opened, covered = NOT_OPEN, first
    for place, word, line_end in zip(marks.tolist(), program.tokens[marks].tolist(), line_ends.tolist(), strict=True):
        if opened != NOT_OPEN:
            if word == end:
                spans.append((opened, place + 1))
                opened = NOT_OPEN
        elif word == start and place >= covered:
            opened = place
        elif word == line and place >= covered:
            covered = line_end
            spans.append((place, covered))
    if opened != NOT_OPEN:
        spans.append((opened, len(program.tokens)))
    begins, ends = np.array(spans, np.int64).reshape(-1, 2).T
    size = len(program.tokens) + 1
    open_at: Ints = np.cumsum(np.bincount(begins, minlength=size) - np.bincount(ends, minlength=size))
    return open_at[:-1] > 0


def _classify(program: Program, in_comment: Bools, pairs: Sequence[Sequence[int]]) -> list[tuple[int, int, int]]:
    """The kind, the depth and the method of each block."""
    blocks: list[tuple[int, int, int]] = []
    for number, (opening, _, header, parent) in enumerate(pairs):
        kind = header_kind(_header_words(program, in_comment, header, opening))
        _, depth, method = blocks[parent] if parent != NO_BLOCK else (BraceBlock.OTHER, 0, NO_BLOCK)
        if kind == BraceBlock.METHOD:
            method = number
        elif kind in (BraceBlock.TYPE, BraceBlock.ANONYMOUS):
            method = NO_BLOCK
        blocks.append((int(kind), depth + 1, method))
    return blocks


def header_words(program: Program, blocks: Blocks, block: int) -> list[str]:
    """The words of a block's header, without comments and annotations."""
    return _header_words(program, blocks.in_comment, int(blocks.headers[block]), int(blocks.opens[block]))


def _header_words(program: Program, in_comment: Bools, header: int, place: int) -> list[str]:
    span = slice(header, place)
    numbers = program.tokens[span][~in_comment[span]].tolist()
    words = [program.words[number] for number in numbers]
    at = 0
    while len(words) - at > 1 and words[at] == "@":
        at = _past_parens(words, at + 2)
    return words[at:]


def _past_parens(words: list[str], begin: int) -> int:
    """The place behind the parentheses that begin at a place; that place itself, where none do."""
    depth = 0
    for at in range(begin, len(words)):
        depth += {"(": 1, ")": -1}.get(words[at], 0)
        if depth == 0:
            return at + 1 if at > begin else begin
    return len(words)


def header_kind(words: list[str]) -> BraceBlock:
    """What a block with this header is."""
    if not words or words[0] in _CONTROLS:
        return BraceBlock.CONTROL if words else BraceBlock.OTHER
    for marks, kind in _KIND_MARKS:
        if not marks.isdisjoint(words):
            return kind
    return BraceBlock.METHOD if "(" in words and ")" in words else BraceBlock.OTHER
