"""Where a hole is: a whole block, a part of one, or a place where nothing is missing; and what would be wrong in it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from keyword import iskeyword
from random import Random

from runner.suites.completion.blocks import Block, Function
from runner.suites.completion.dataset import ByteSpan

WHOLE, INNER, EMPTY = "whole", "inner", "empty"
# All bytes of a letter beyond ASCII belong to one token, so that no place within one is taken.
_TOKEN = re.compile(rb"[\w\x80-\xff]+|[^\w\s\x80-\xff]")
_OPENING, _CLOSING = b"([{", b")]}"

# Where people ask for a completion, by the user study of Codev-Bench: a part of a line, a whole one, several; those
# that asked where nothing was missing are the empty holes here.
_PART, _LINE = 0.363, 0.916
_SEVERAL = 3
_AT_A_NAME = 0.2
_AT_A_BRACKET = 0.3
_AT_AN_END = 2 / 3
_LONG_NAME = 4


@dataclass(frozen=True, slots=True)
class Hole:
    """A hole of a file, and the block it is of; `kind` is whole, inner or empty."""

    file: str
    kind: str
    block: Block
    span: ByteSpan

    @property
    def type(self) -> str:
        """The type of its block."""
        return self.block.type

    @property
    def function(self) -> Function | None:
        """The function around it."""
        return self.block.function


@dataclass(frozen=True, slots=True)
class Filling:
    """Something cheap and wrong: its name, and its text."""

    name: str
    text: str


def holes_of(file: str, data: bytes, block: Block, seed: int) -> Iterator[Hole]:
    """The holes of a block: the whole of it; for code, one part of it and one empty place, drawn by the seed."""
    yield Hole(file, WHOLE, block, block.span)
    if not block.statements:
        return
    random = Random(f"{seed}|{file}|{block.type}|{block.span.start}|{block.span.end}")
    inner = _inner(data, block, random)
    if inner is not None and inner != block.span:
        yield Hole(file, INNER, block, inner)
    yield Hole(file, EMPTY, block, _empty(data, block, random))


def distinct(holes: Iterable[Hole]) -> list[Hole]:
    """Return the first of those that are the same place: one `if` within another may draw what the other has drawn."""
    places: dict[tuple[str, str, str, ByteSpan], Hole] = {}
    for hole in holes:
        places.setdefault((hole.file, hole.type, hole.kind, hole.span), hole)
    return list(places.values())


def _inner(data: bytes, block: Block, random: Random) -> ByteSpan | None:
    chosen = random.randrange(len(block.statements))
    statement = block.statements[chosen]
    draw = random.random()
    if draw < _PART or block.type == "STATEMENT":
        return _part(data, statement, random)
    if draw < _LINE:
        return statement
    last = statement
    for other in block.statements[chosen + 1 : chosen + _SEVERAL]:
        if column(data, other.start) != column(data, statement.start) or _leaves(data, last.end, other.start):
            break
        last = other
    return ByteSpan(statement.start, last.end, statement.start_line, last.end_line)


def _leaves(data: bytes, end: int, start: int) -> bool:
    """Whether what stands between two statements of one column is of a block around theirs, such as an `else`."""
    margin = column(data, start)
    lines = data[end:start].split(b"\n")[1:-1]
    return any(line.strip() and len(line) - len(line.lstrip()) < margin for line in lines)


def _part(data: bytes, statement: ByteSpan, random: Random) -> ByteSpan | None:
    """From a token of the statement, or from within a name, to its end or to that of a bracket."""
    tokens = list(_TOKEN.finditer(data, statement.start, statement.end))
    if len(tokens) < 2:
        return None
    token = random.choice(tokens[1:])
    start = token.start()
    if _can_be_cut(token[0]) and random.random() < _AT_A_NAME:
        start += random.randrange(1, len(token[0]))
    end = statement.end
    if random.random() < _AT_A_BRACKET:
        end = _bracket_end(data, start, end)
    return lined(data, start, end) if end > start else None


def _can_be_cut(token: bytes) -> bool:
    return len(token) >= _LONG_NAME and token.isascii() and not iskeyword(token.decode())


def _bracket_end(data: bytes, start: int, end: int) -> int:
    """Where the bracket around `start` closes; `end` if there is none. Brackets in strings are taken for brackets."""
    depth = 0
    for place in range(start, end):
        if data[place] in _OPENING:
            depth += 1
        elif data[place] in _CLOSING:
            if depth == 0:
                return place
            depth -= 1
    return end


def _empty(data: bytes, block: Block, random: Random) -> ByteSpan:
    statement = random.choice(block.statements)
    names = [token for token in _TOKEN.finditer(data, statement.start, statement.end) if _can_be_cut(token[0])]
    if not names or random.random() < _AT_AN_END:
        return lined(data, statement.end, statement.end)
    name = random.choice(names)
    place = name.start() + random.randrange(1, len(name[0]))
    return lined(data, place, place)


def lined(data: bytes, start: int, end: int) -> ByteSpan:
    """A span with its lines counted."""
    first = data.count(b"\n", 0, start) + 1
    return ByteSpan(start, end, first, first + data.count(b"\n", start, end))


def column(data: bytes, place: int) -> int:
    """How many bytes of the line come before a place."""
    return place - (data.rfind(b"\n", 0, place) + 1)


def indent(data: bytes, place: int) -> str:
    """The white space that the line of a place begins with."""
    line = data[data.rfind(b"\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(b" \t"))].decode()


def fillings(hole: Hole, data: bytes) -> tuple[Filling, ...]:
    """Wrong fillings, in the order they are to be tried."""
    raising = "raise NotImplementedError"
    margin = indent(data, hole.span.start)
    if hole.kind == EMPTY:
        start = data.rfind(b"\n", 0, hole.span.start) + 1
        line = data[start : hole.span.start].decode().strip()
        again = (Filling("again", f"\n{margin}{line}"), Filling("return", f"\n{margin}return None"))
        return (*again, Filling("rename", "_x"))
    if hole.kind == INNER:
        return (Filling("nothing", ""), Filling("none", "None"), Filling("pass", "pass"), Filling("raise", raising))
    if hole.type == "ARGUMENTS":
        return (Filling("nothing", ""), Filling("none", "None"))
    if hole.type == "CATCH":
        head = f"{hole.block.header}\n{margin}    "
        return (Filling("pass", f"{head}pass"), Filling("raise", f"{head}{raising}"))
    return (Filling("pass", "pass"), Filling("raise", raising), Filling("nothing", ""))
