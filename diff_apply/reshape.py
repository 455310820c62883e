"""Gives a replacement the form of the place it goes to, where the SEARCH fitted only after trimming.

A block states a change, from its SEARCH to its REPLACE. Lines it repeats unchanged are the file's business and keep the
file's text, unless that is another line altogether. New lines take the line ending of the place, and are indented as
the SEARCH would have to be to fit: deeper, less deep, or with tabs for spaces. Where the indentation of the SEARCH is
off in no uniform way, or where the REPLACE repeats its lines in the file's own indentation, new lines stay as written.
"""

from collections.abc import Callable, Sequence

from diff_apply.changes import kept
from diff_apply.lines import BLANKS, trim
from diff_apply.nearest import similarity

# A line of the file less similar than this is not the one that the SEARCH means.
_ALIKE = 0.5

Shift = Callable[[str], str]


def reshaped(search: Sequence[str], replacement: Sequence[str], found: Sequence[str], ending: str) -> list[str]:
    r"""The replacement lines as they go into the file, without LF; `ending` is "\r" or "", for new lines.

    `search` and `found` are as many lines; all may end in a CR of their own.
    """
    wanted, new, there = ([line.removesuffix("\r") for line in lines] for lines in (search, replacement, found))
    repeated = {line: row for line, row in kept(wanted, new).items() if _are_alike(wanted[row], there[row])}
    shift = _shift(wanted, there) if _follows_search(wanted, new, there) else _as_it_is
    return [
        found[repeated[at]] if at in repeated else (shift(line) if trim(line) else line) + ending
        for at, line in enumerate(new)
    ]


def _are_alike(one: str, other: str) -> bool:
    one, other = trim(one), trim(other)
    return one == other or (bool(one and other) and similarity([one], [other]) >= _ALIKE)


def _follows_search(search: Sequence[str], replacement: Sequence[str], found: Sequence[str]) -> bool:
    """Whether the lines that the replacement repeats are indented as in the SEARCH rather than as in the file."""
    drifted = [
        (replacement[line], search[row], found[row])
        for line, row in kept([trim(line) for line in search], [trim(line) for line in replacement]).items()
        if search[row] != found[row]
    ]
    return sum(line == there for line, _, there in drifted) <= sum(line == wanted for line, wanted, _ in drifted)


def _shift(search: Sequence[str], found: Sequence[str]) -> Shift:
    """What turns the indentation of the SEARCH into that of the place, if one rule does for all lines."""
    pairs = {
        (_indentation(line), _indentation(there))
        for line, there in zip(search, found, strict=True)
        if trim(line) and trim(line) == trim(there)
    }
    for rule in (_deeper, _less_deep, _tabs_for_spaces, _spaces_for_tabs):
        shift = rule(pairs)
        if shift:
            return shift
    return _as_it_is


def _as_it_is(line: str) -> str:
    return line


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip(BLANKS))]


def _deeper(pairs: set[tuple[str, str]]) -> Shift | None:
    more = {there.removesuffix(wanted) for wanted, there in pairs if there.endswith(wanted)}
    if len(more) != 1 or not all(there.endswith(wanted) for wanted, there in pairs):
        return None
    return more.pop().__add__


def _less_deep(pairs: set[tuple[str, str]]) -> Shift | None:
    less = {wanted.removesuffix(there) for wanted, there in pairs if wanted.endswith(there)}
    if len(less) != 1 or not all(wanted.endswith(there) for wanted, there in pairs):
        return None
    prefix = less.pop()
    # A line indented by less than the prefix starts at the margin.
    return lambda line: line.removeprefix(prefix) if line.startswith(prefix) else line.lstrip(prefix)


def _tabs_for_spaces(pairs: set[tuple[str, str]]) -> Shift | None:
    width = _width({(there, wanted) for wanted, there in pairs})
    if not width:
        return None

    def shift(line: str) -> str:
        tabs, spaces = divmod(len(line) - len(line.lstrip(" ")), width)
        return "\t" * tabs + " " * spaces + line.lstrip(" ")

    return shift


def _spaces_for_tabs(pairs: set[tuple[str, str]]) -> Shift | None:
    width = _width(pairs)
    return (lambda line: _indentation(line).replace("\t", " " * width) + line.lstrip(BLANKS)) if width else None


def _width(pairs: set[tuple[str, str]]) -> int:
    """How many spaces stand for one tab in all (tabs, spaces) pairs, or 0 where the pairs are no such."""
    widths = {len(spaces) / len(tabs) for tabs, spaces in pairs if tabs}
    if len(widths) != 1 or any(
        tabs.strip("\t") or spaces.strip(" ") or (spaces and not tabs) for tabs, spaces in pairs
    ):
        return 0
    width = widths.pop()
    return int(width) if width.is_integer() else 0
