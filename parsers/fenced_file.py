"""Reads the file that an answer contains in a fenced block, with any text around the block.

Fences are read as CommonMark reads them (three or more backticks or tildes, closed by as many of the same kind), with
two exceptions for what models write: a block may have any indentation, and a fence followed by a word inside a block
opens a nested block, so that a Markdown file is read whole.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

_OPENING = re.compile(r"([ \t]*)(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)$")
_WORD = re.compile(r"[\w+#-]*")
# As in CommonMark: a fence that is indented deeper belongs to the text.
_CLOSING_INDENT = 3


@dataclass(frozen=True, slots=True)
class FencedFile:
    """The lines of a block; `word` follows its fence, in lower case; a block that is not closed was cut off."""

    text: str
    word: str
    closed: bool


def fenced_files(answer: str, is_named: Callable[[str], bool] = lambda _word: False) -> tuple[FencedFile, ...]:
    """Return the different blocks of an answer that may be the file; blank blocks are left out.

    A single block is the file. Of several, it is the only block whose fence names the language (`is_named` of its
    word); if there is no such block or several, all are returned. No text raises an error.
    """
    lines = answer.split("\n")
    blocks = list(_blocks(lines, nesting=True))
    if blocks and not blocks[-1].closed:
        # A fence with a word may not have been meant to open a block: then reading without nesting is better.
        blocks = list(_blocks(lines, nesting=False))
    different = tuple({block.text: block for block in blocks if block.text.strip()}.values())
    named = tuple(block for block in different if is_named(block.word))
    return named if len(different) > 1 and len(named) == 1 else different


@dataclass(slots=True)
class _Open:
    """A block being read; `depth` counts the nested blocks that are open."""

    indent: int
    fence: str
    word: str
    lines: list[str] = field(default_factory=list)
    depth: int = 0

    def ended(self, *, closed: bool) -> FencedFile:
        return FencedFile("".join(f"{line}\n" for line in self.lines), self.word, closed)

    def take(self, line: str, *, nesting: bool) -> bool:
        """Process a line; return whether it closes the block."""
        match = _OPENING.match(line)
        if match is not None and self._is_fence(match):
            if _info(match):
                self.depth += nesting
            elif self.depth == 0:
                return True
            else:
                self.depth -= 1
        self.lines.append(_dedented(line, self.indent))
        return False

    def _is_fence(self, match: re.Match[str]) -> bool:
        alike = match[2][0] == self.fence[0] and len(match[2]) >= len(self.fence)
        return alike and len(match[1]) <= self.indent + _CLOSING_INDENT


def _blocks(lines: Sequence[str], *, nesting: bool) -> Iterator[FencedFile]:
    block: _Open | None = None
    for line in lines:
        if block is not None:
            if block.take(line, nesting=nesting):
                yield block.ended(closed=True)
                block = None
        elif match := _OPENING.match(line):
            word = _WORD.match(_info(match))
            block = _Open(len(match[1]), match[2], word[0].lower() if word else "")
    if block is not None:
        if block.lines and not block.lines[-1]:
            # The empty text after the answer's last newline is not a line.
            block.lines.pop()
        yield block.ended(closed=False)


def _info(opening: re.Match[str]) -> str:
    """Return what follows a fence, without the white space around it and the end of the line."""
    return opening[3].removesuffix("\r").rstrip(" \t")


def _dedented(line: str, indent: int) -> str:
    """Remove at most as much white space from a line as precedes the fence."""
    blank = len(line) - len(line.lstrip(" \t"))
    return line[min(indent, blank) :]
