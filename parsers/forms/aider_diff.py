"""Reads the SEARCH/REPLACE blocks of Aider's edit format "diff" (`editblock_coder`, aider-chat 0.86.2)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from parsers.forms.aider_names import FENCE, TICKS, named_file

_HEAD = re.compile(r"<{5,9} SEARCH>?\s*$")
_DIVIDER = re.compile(r"={5,9}\s*$")
_END = re.compile(r">{5,9} REPLACE\s*$")
_SHELLS = tuple(
    TICKS + shell
    for shell in ("bash", "sh", "shell", "cmd", "batch", "powershell", "ps1", "zsh", "fish", "ksh", "csh", "tcsh")
)

Fault = Literal["", "missing_filename", "missing_divider", "missing_end"]


class Replacement(NamedTuple):
    """One block; the texts are lines with their own ends."""

    path: str
    search: str
    replace: str


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of an answer and its shell commands; after a fault an answer changes nothing.

    `line` is the 1-based line of the head of the block at fault, 0 without a fault; `path` is its file, "" if unnamed.
    """

    edits: tuple[Replacement, ...] = ()
    shell: tuple[str, ...] = ()
    fault: Fault = ""
    line: int = 0
    path: str = ""


def read_blocks(answer: str, chat: Sequence[str], fence: tuple[str, str] = FENCE) -> Blocks:
    """Return the blocks of an answer about the files of a chat, in order."""
    return _Reading(answer.splitlines(keepends=True), chat, fence[0]).blocks()


class _FaultError(Exception):
    def __init__(self, fault: Fault, line: int) -> None:
        super().__init__(fault)
        self.fault = fault
        self.line = line


class _Reading:
    """One answer being read; `at` is the line to be read next."""

    def __init__(self, lines: list[str], chat: Sequence[str], opener: str) -> None:
        self.lines, self.chat, self.opener = lines, chat, opener
        self.marks = [line.strip() for line in lines]
        self.at = 0
        self.path = ""

    def blocks(self) -> Blocks:
        edits, shell = list[Replacement](), list[str]()
        try:
            for part in self._parts():
                edits.append(part) if isinstance(part, Replacement) else shell.append(part)
        except _FaultError as error:
            return Blocks(tuple(edits), tuple(shell), error.fault, error.line, self.path)
        return Blocks(tuple(edits), tuple(shell))

    def _parts(self) -> Iterator[Replacement | str]:
        while self.at < len(self.lines):
            if self.marks[self.at].startswith(_SHELLS) and not self._heads_follow():
                yield self._shell()
                continue
            if _HEAD.match(self.marks[self.at]):
                yield self._block()
            self.at += 1

    def _heads_follow(self) -> bool:
        return any(_HEAD.match(mark) for mark in self.marks[self.at + 1 : self.at + 3])

    def _shell(self) -> str:
        start = self.at = self.at + 1
        while self.at < len(self.lines) and not self.marks[self.at].startswith(TICKS):
            self.at += 1
        command = "".join(self.lines[start : self.at])
        self.at += 1
        return command

    def _block(self) -> Replacement:
        head = self.at
        is_new = head + 1 < len(self.lines) and _DIVIDER.match(self.marks[head + 1])
        name = named_file(self.lines[max(0, head - 3) : head], self.opener, () if is_new else self.chat)
        self.path = name or self.path
        if not self.path:
            raise _FaultError("missing_filename", head + 1)
        search = self._until(head, (_DIVIDER,), "missing_divider")
        replace = self._until(head, (_END, _DIVIDER), "missing_end")
        return Replacement(self.path, search, replace)

    def _until(self, head: int, ends: Sequence[re.Pattern[str]], fault: Fault) -> str:
        start = self.at = self.at + 1
        while self.at < len(self.lines):
            if any(end.match(self.marks[self.at]) for end in ends):
                return "".join(self.lines[start : self.at])
            self.at += 1
        raise _FaultError(fault, head + 1)
