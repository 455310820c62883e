"""Adapts a replacement to its place if the SEARCH matches only after trimming.

A block states a change, from its SEARCH to its REPLACE. Lines that it repeats unchanged keep the file's text, unless
that is a different line. New lines get the line ending of the place and the change of indentation that would make the
SEARCH match: deeper, less deep, or tabs for spaces. If the indentation of the SEARCH does not differ uniformly, or if
the REPLACE repeats lines in the file's own indentation, new lines stay as written.
"""

from collections.abc import Callable, Sequence

from diff_apply.changes import kept
from diff_apply.lines import BLANKS, trim
from diff_apply.nearest import similarity

# A line of the file that is less similar is not the line that the SEARCH means.
_ALIKE = 0.5

Shift = Callable[[str], str]


def reshaped(search: Sequence[str], replacement: Sequence[str], place: Sequence[str], ending: str) -> list[str]:
    r"""Return the replacement lines as the file needs them, without LF; `ending`, "\r" or "", is that of new lines.

    `search` and `place` have equally many lines; each line may end in its own CR.
    """
    expected, new, actual = ([line.removesuffix("\r") for line in lines] for lines in (search, replacement, place))
    repeated = {line: row for line, row in kept(expected, new).items() if _are_alike(expected[row], actual[row])}
    shift = _shift(expected, actual) if _follows_search(expected, new, actual) else _as_it_is
    return [
        place[repeated[at]] if at in repeated else (shift(line) if trim(line) else line) + ending
        for at, line in enumerate(new)
    ]


def _are_alike(first: str, second: str) -> bool:
    first, second = trim(first), trim(second)
    return first == second or (bool(first and second) and similarity([first], [second]) >= _ALIKE)


def _follows_search(search: Sequence[str], replacement: Sequence[str], place: Sequence[str]) -> bool:
    """Return whether repeated lines of the replacement are indented as in the SEARCH rather than as in the file."""
    drifted = [
        (replacement[line], search[row], place[row])
        for line, row in kept([trim(line) for line in search], [trim(line) for line in replacement]).items()
        if search[row] != place[row]
    ]
    return sum(line == actual for line, _, actual in drifted) <= sum(line == expected for line, expected, _ in drifted)


def _shift(search: Sequence[str], place: Sequence[str]) -> Shift:
    """Return the change from the SEARCH's indentation to the place's, if one rule holds for all lines."""
    pairs = {
        (_indentation(line), _indentation(actual))
        for line, actual in zip(search, place, strict=True)
        if trim(line) and trim(line) == trim(actual)
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
    more = {actual.removesuffix(expected) for expected, actual in pairs if actual.endswith(expected)}
    if len(more) != 1 or not all(actual.endswith(expected) for expected, actual in pairs):
        return None
    return more.pop().__add__


def _less_deep(pairs: set[tuple[str, str]]) -> Shift | None:
    less = {expected.removesuffix(actual) for expected, actual in pairs if expected.endswith(actual)}
    if len(less) != 1 or not all(expected.endswith(actual) for expected, actual in pairs):
        return None
    prefix = less.pop()
    # A line indented by less than the prefix starts at the margin.
    return lambda line: line.removeprefix(prefix) if line.startswith(prefix) else line.lstrip(prefix)


def _tabs_for_spaces(pairs: set[tuple[str, str]]) -> Shift | None:
    width = _width({(actual, expected) for expected, actual in pairs})
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
    """Return how many spaces stand for one tab in all (tabs, spaces) pairs, or 0 where the pairs are no such."""
    widths = {len(spaces) / len(tabs) for tabs, spaces in pairs if tabs}
    if len(widths) != 1 or any(
        tabs.strip("\t") or spaces.strip(" ") or (spaces and not tabs) for tabs, spaces in pairs
    ):
        return 0
    width = widths.pop()
    return int(width) if width.is_integer() else 0
