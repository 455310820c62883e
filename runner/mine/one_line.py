"""The competition's rules: when two versions of a program make a CodRep task.

Exactly one line was replaced, neither line is blank, and the two differ in more than white space and comments. After
the CodRep 2018 competition (Chen and Monperrus, arXiv 1807.03200), whose own tasks have UTF-8 and no carriage returns.
"""

from collections.abc import Callable
from dataclasses import dataclass

from runner.mine.case import CaseRefusedError, MiningRefusal
from runner.mine.comments import differ_in_comments_only
from runner.mine.pair import FilePair

_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class LineReplacement:
    """Line `number`, counted from 1, of a program: what it was and what it became, with indentation and line end."""

    number: int
    old: str
    new: str

    @property
    def new_line(self) -> str:
        """The new line as a task states it: without surrounding white space and without a byte order mark."""
        return self.new.strip().removeprefix(_MARK).strip()


def find_replacement(pair: FilePair) -> LineReplacement:
    """Return the one replaced line. Raises RefusedError with the rule that is broken."""
    replaced = replaced_line(pair.before, pair.after)
    if replaced is None:
        raise CaseRefusedError(MiningRefusal.LINES)
    for is_broken, reason in _RULES:
        if is_broken(replaced, pair):
            raise CaseRefusedError(reason)
    return replaced


def replaced_line(before: bytes, after: bytes) -> LineReplacement | None:
    r"""Return the line that was replaced where nothing else was, None where none was, or more, or lines came or went.

    A line ends at "\n", and whether the last one does is a part of it.
    """
    old, new = _lines(before), _lines(after)
    if len(old) != len(new):
        return None
    differing = [number for number, (left, right) in enumerate(zip(old, new, strict=True), 1) if left != right]
    if len(differing) != 1 or (before.endswith(b"\n") != after.endswith(b"\n") and differing != [len(old)]):
        return None
    (number,) = differing
    return LineReplacement(number, old[number - 1].decode("utf-8"), new[number - 1].decode("utf-8"))


def _lines(text: bytes) -> list[bytes]:
    lines = text.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def has_odd_line_ends(_replaced: LineReplacement, pair: FilePair) -> bool:
    """Return whether a carriage return stands within a line: programs would count such a file's lines differently."""
    return any(text.count(b"\r") != text.count(b"\r\n") for text in (pair.before, pair.after))


def is_blank(replaced: LineReplacement, _pair: FilePair) -> bool:
    """Return whether the old or the new line is blank: a line was added or removed, not replaced."""
    return not replaced.new_line or not replaced.old.strip().removeprefix(_MARK).strip()


def is_space_only(replaced: LineReplacement, _pair: FilePair) -> bool:
    """Return whether the lines are the same without white space."""
    return "".join(replaced.old.split()).removeprefix(_MARK) == "".join(replaced.new.split()).removeprefix(_MARK)


def is_comment_only(_replaced: LineReplacement, pair: FilePair) -> bool:
    """Return whether the programs are the same without comments; code that is commented out is a change of code."""
    return differ_in_comments_only(pair.before, pair.after, pair.language)


_RULES: tuple[tuple[Callable[[LineReplacement, FilePair], bool], MiningRefusal], ...] = (
    (is_blank, MiningRefusal.BLANK),
    (is_space_only, MiningRefusal.SPACE),
    (has_odd_line_ends, MiningRefusal.LINE_ENDS),
    (is_comment_only, MiningRefusal.COMMENT),
)
