"""Which lines of an edit's two sides belong together: those that share a token of a longest common sequence.

Tokens are the leaves of a syntax tree, as in TRACE: words, operators, and the quotes of a string apart from what is
between them. A comment is one token, and matches one that is nearly the same.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runner.syntax import has_grammar, parse

if TYPE_CHECKING:
    from tree_sitter import Node

_TOKEN = re.compile(r"\w+|[^\w\s]")
# These separate, and distinguish no line but one that consists of nothing else.
_TRIVIAL = frozenset(",:.;()[]{}")
_SAME_COMMENT = 80.0


@dataclass(frozen=True, slots=True)
class Token:
    """A token, the name that the grammar has for it, and the line where it begins."""

    text: str
    kind: str
    line: int

    def matches(self, other: "Token") -> bool:
        """Whether two tokens are the same; of comments nearly is enough."""
        from rapidfuzz.fuzz import ratio

        if self.kind != other.kind:
            return False
        return self.text == other.text or ("comment" in self.kind and ratio(self.text, other.text) > _SAME_COMMENT)


def shared_lines(before: Sequence[str], after: Sequence[str], language: str | None) -> Iterator[tuple[int, int]]:
    """Pairs of lines, by number, that have a token of a longest common sequence in common; the last pair comes first.

    A token that stands several times in the new lines is the last of them that serves.
    """
    old, new = _tokens(before, language), _tokens(after, language)
    rises = _rises(old, new)
    row, column = len(old), len(new)
    while row and column:
        if old[row - 1].matches(new[column - 1]):
            row, column = row - 1, column - 1
            yield old[row].line, new[column].line
        elif rises[row - 1] >> (column - 1) & 1:
            # The new token adds to the sequence's length here without ending it: an earlier old one does.
            row -= 1
        else:
            column -= 1


def _tokens(lines: Sequence[str], language: str | None) -> list[Token]:
    """Return the tokens that distinguish lines; where a language has no grammar these are words and punctuation."""
    if language is None or not has_grammar(language):
        tokens = [Token(text, "", at) for at, line in enumerate(lines) for text in _TOKEN.findall(line)]
    else:
        tokens = list(_leaves(parse("".join(lines), language).root_node))
    # A grammar counts lines by line ends, and an edit may be cut otherwise.
    placed = (token for token in tokens if token.line < len(lines))
    return [token for token in placed if token.text not in _TRIVIAL or lines[token.line].strip() == token.text]


def _leaves(root: "Node") -> Iterator[Token]:
    """The leaves of a tree that hold text, in order; trees may be deep, so without recursion."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.child_count:
            waiting += reversed(node.children)
        elif node.text is not None and node.text.strip():
            yield Token(node.text.decode("utf-8", "replace"), node.type, node.start_point.row)


def _rises(old: Sequence[Token], new: Sequence[Token]) -> list[int]:
    """For each old token, as bits, the new ones at which the longest common sequence up to both grows by one.

    After H. Hyyrö, Bit-parallel LCS-length computation revisited (2004): a row of the table is one number.
    """
    places: dict[tuple[str, str], int] = {}
    for at, token in enumerate(new):
        places[token.text, token.kind] = places.get((token.text, token.kind), 0) | 1 << at
    full = (1 << len(new)) - 1
    rises, steady = [], full
    for token in old:
        fitting = places.get((token.text, token.kind), 0)
        if "comment" in token.kind:
            fitting = sum(1 << at for at, other in enumerate(new) if token.matches(other))
        taken = steady & fitting
        steady = (steady + taken | steady - taken) & full
        rises.append(~steady & full)
    return rises
