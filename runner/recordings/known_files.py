"""The states of files as far as a recording shows them, kept up to date call by call."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from runner.recordings.vocabulary import UNKNOWN, Certainty, FileState, Replacement

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(slots=True)
class KnownFiles:
    """What is known of each file of a session, by path below the working folder."""

    folder: str = ""
    _states: dict[str, FileState] = field(default_factory=dict)

    def named(self, path: str) -> str:
        """Return a path below the working folder where it lies in it; else as it is."""
        root = self.folder.rstrip("/") + "/"
        short = path.removeprefix(root) if self.folder else path
        return short.removeprefix("./")

    def state(self, path: str) -> FileState:
        """Return what is known of a file."""
        return self._states.get(path, UNKNOWN)

    def was_named(self, path: str) -> bool:
        """Whether anything was noted of a file."""
        return path in self._states

    def put(self, path: str, state: FileState) -> None:
        """Note the state of a file."""
        self._states[path] = state

    def shell_ran(self) -> None:
        """Note that a shell command ran: each file may have changed."""
        for path, state in self._states.items():
            if state.certainty is not Certainty.UNKNOWN:
                self._states[path] = replace(state, certainty=Certainty.LAST_SEEN)


def replaced(state: FileState, replacements: Sequence[Replacement]) -> FileState:
    """Return a state after replacements that are known to have been made; unknown where a text is not found."""
    text = state.text
    for edit in replacements:
        if not edit.old and not text:
            text = edit.new
        elif text is None or not edit.old or edit.old not in text:
            return UNKNOWN
        else:
            text = text.replace(edit.old, edit.new, -1 if edit.everywhere else 1)
    return UNKNOWN if text is None else FileState(text, state.certainty)


def patched(text: str, diff: str) -> str | None:
    """Return a text after a unified diff of one file, whose lines must be the text's; None if they are not."""
    lines, result, position = text.split("\n"), list[str](), 0
    ended = False
    hunks = _hunks(diff)
    for start, rows in hunks:
        if start < position or start > len(lines):
            return None
        result += lines[position:start]
        position = start
        for row in rows:
            sign, line = row[:1], row[1:]
            if sign == "\\":
                ended = True
                continue
            if sign in (" ", "-"):
                if position >= len(lines) or lines[position] != line:
                    return None
                position += 1
            if sign in (" ", "+"):
                result.append(line)
    return "\n".join(_with_end(result, lines[position:], diff, ended=ended))


def _with_end(result: list[str], rest: list[str], diff: str, *, ended: bool) -> list[str]:
    """Add the lines behind the last hunk, and settle whether the text ends with a newline."""
    if not ended:
        return result + rest
    # The mark stands behind the line that it is of: behind an added or kept one, the new text has no final newline.
    marked = [before[:1] for before, row in _pairs(diff) if row.startswith("\\")]
    new_is_open = "+" in marked or " " in marked
    return result if new_is_open else [*result, ""]


def _pairs(diff: str) -> list[tuple[str, str]]:
    rows = diff.split("\n")
    return list(itertools.pairwise(rows))


def _hunks(diff: str) -> list[tuple[int, list[str]]]:
    """Return the first line, 0-based, and the rows of each hunk."""
    hunks: list[tuple[int, list[str]]] = []
    rows = diff.split("\n")
    if rows and not rows[-1]:
        rows.pop()
    for row in rows:
        head = _HUNK.match(row)
        if head:
            first, count = int(head[1]), int(head[2] or 1)
            hunks.append((first - 1 if count else first, []))
        elif hunks:
            hunks[-1][1].append(row)
    return hunks
