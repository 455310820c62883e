"""The file that an answer holds in a fenced block, whatever is said around the block.

Fences are read as CommonMark reads them (three or more backticks or tildes, closed by as many of the same kind), with
two allowances for what models write: a block may be indented as deep as it likes, and a fence with a word behind it
inside a block opens a block within it, so that a file of Markdown arrives whole.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

_OPENING = re.compile(r"([ \t]*)(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*?)[ \t]*\r?$")
_WORD = re.compile(r"[\w+#-]*")
# CommonMark's: what is indented deeper than this belongs to the text.
_CLOSING_INDENT = 3


@dataclass(frozen=True, slots=True)
class FencedFile:
    """The text of a block, its last line ended; `word` is what its fence names, lower case; an open one was cut off."""

    text: str
    word: str
    closed: bool


def fenced_files(answer: str, is_named: Callable[[str], bool] = lambda _word: False) -> tuple[FencedFile, ...]:
    """The different blocks of an answer that may be the file; blank ones may not.

    One alone is the file. Of several the one whose fence names its language (`is_named` of the word) is, if it is the
    only such; otherwise all are given, and nobody can tell. Total: no text raises.
    """
    lines = answer.split("\n")
    blocks = list(_blocks(lines, nesting=True))
    if blocks and not blocks[-1].closed:
        # A fence with a word may have been meant to open nothing: then the plain reading is the better one.
        blocks = list(_blocks(lines, nesting=False))
    different = tuple({block.text: block for block in blocks if block.text.strip()}.values())
    named = tuple(block for block in different if is_named(block.word))
    return named if len(different) > 1 and len(named) == 1 else different


@dataclass(slots=True)
class _Open:
    """A block under way; `depth` counts the blocks within it that are open."""

    indent: int
    fence: str
    word: str
    lines: list[str] = field(default_factory=list)
    depth: int = 0

    def ended(self, *, closed: bool) -> FencedFile:
        return FencedFile("".join(f"{line}\n" for line in self.lines), self.word, closed)

    def take(self, line: str, *, nesting: bool) -> bool:
        """Take a line; True when it closes the block."""
        found = _OPENING.match(line)
        if found is not None and self._is_fence(found):
            if found[3]:
                self.depth += nesting
            elif self.depth == 0:
                return True
            else:
                self.depth -= 1
        self.lines.append(_dedented(line, self.indent))
        return False

    def _is_fence(self, found: re.Match[str]) -> bool:
        alike = found[2][0] == self.fence[0] and len(found[2]) >= len(self.fence)
        return alike and len(found[1]) <= self.indent + _CLOSING_INDENT


def _blocks(lines: Sequence[str], *, nesting: bool) -> Iterator[FencedFile]:
    block: _Open | None = None
    for line in lines:
        if block is not None:
            if block.take(line, nesting=nesting):
                yield block.ended(closed=True)
                block = None
        elif found := _OPENING.match(line):
            word = _WORD.match(found[3])
            block = _Open(len(found[1]), found[2], word[0].lower() if word else "")
    if block is not None:
        if block.lines and not block.lines[-1]:
            # What follows the answer's last newline is no line.
            block.lines.pop()
        yield block.ended(closed=False)


def _dedented(line: str, indent: int) -> str:
    """The line without as much white space as stands before the fence."""
    blank = len(line) - len(line.lstrip(" \t"))
    return line[min(indent, blank) :]
