"""Reads the hunks of Aider's edit format "udiff" (`unified_diff_coder`, aider-chat 0.86.2)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

_OPENING, _TICKS = "```diff", "```"
_OLD, _NEW = "--- ", "+++ "
# What ends the last hunk of a block.
_LAST = "@@ @@"


class Hunk(NamedTuple):
    """Lines with their first characters and ends; `path` is None if neither the hunk nor one before it names a file."""

    path: str | None
    lines: tuple[str, ...]


def read_hunks(answer: str) -> tuple[Hunk, ...]:
    """Return the hunks of all fenced diffs of an answer; nothing but a name is checked."""
    lines = (answer if answer.endswith("\n") else answer + "\n").splitlines(keepends=True)
    hunks, path = list[Hunk](), None
    for block in _fenced(lines):
        for hunk in _hunks_of(block):
            path = hunk.path or path
            hunks.append(Hunk(path, hunk.lines))
    return tuple(hunks)


def _fenced(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines of each fenced diff; without a closing fence the last line is lost."""
    at = 0
    while at < len(lines):
        if lines[at].startswith(_OPENING):
            start = at + 1
            end = next((row for row in range(start, len(lines)) if lines[row].startswith(_TICKS)), len(lines) - 1)
            yield [*lines[start:end], _LAST]
            at = end
        at += 1


def _hunks_of(block: list[str]) -> Iterator[Hunk]:
    path, at = None, 0
    if len(block) > 1 and block[0].startswith(_OLD) and block[1].startswith(_NEW):
        path, at = _path_of(block[0], block[1]), 2
    hunk, changes = list[str](), False
    for line in block[at:]:
        hunk.append(line)
        if len(line) < 2:
            continue
        if line.startswith(_NEW) and len(hunk) > 1 and hunk[-2].startswith(_OLD):
            yield Hunk(path, tuple(hunk[: -3 if len(hunk) > 2 and hunk[-3] == "\n" else -2]))
            path, hunk, changes = _path_of(hunk[-2], line), [], False
        elif line[0] in "-+":
            changes = True
        elif line[0] == "@":
            if changes:
                yield Hunk(path, tuple(hunk[:-1]))
            hunk, changes = [], False


def _path_of(old: str, new: str) -> str:
    before, after = old[len(_OLD) :].strip(), new[len(_NEW) :].strip()
    is_git = (before.startswith("a/") or before == "/dev/null") and after.startswith("b/")
    return after[2:] if is_git else after
