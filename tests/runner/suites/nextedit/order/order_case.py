"""Small commits over two files, written for the tests of the order: what each edit has to do with which other.

A commit is a name and its files with both versions marked line by line: "- " was removed, "+ " was added, two blanks
stay. `pairs` are the related edits, lower number first, each with the reasons that must be given.
"""

from dataclasses import dataclass

from runner.suites.nextedit.order import Reason

DEFINES = frozenset({Reason.DEFINES, Reason.USES})
IMPORTS = frozenset({Reason.IMPORTS, Reason.USES})
CLONE = frozenset({Reason.CLONE})
MOVE = frozenset({Reason.MOVE})
NEIGHBOUR = frozenset({Reason.NEIGHBOUR})
RENAME = frozenset({Reason.RENAME})
RARE_NAME = frozenset({Reason.RARE_NAME})


@dataclass(frozen=True, slots=True)
class OrderCase:
    """A commit and the relations between its edits."""

    name: str
    files: dict[str, str]
    pairs: dict[tuple[int, int], frozenset[Reason]]

    def versions(self) -> dict[str, tuple[str | None, str | None]]:
        """The files as {path: (before, after)}."""
        return {path: (_side(marked, "-"), _side(marked, "+")) for path, marked in self.files.items()}


def plain(name: str, files: dict[str, str], *pairs: tuple[int, int]) -> OrderCase:
    """A commit whose related edits are known, for whatever reason they are."""
    return OrderCase(name, files, dict.fromkeys(pairs, frozenset()))


def _side(marked: str, mark: str) -> str:
    lines = marked.removeprefix("\n").splitlines(keepends=True)
    return "".join(line[2:] or "\n" for line in lines if line[0] in {" ", "\n", mark})
