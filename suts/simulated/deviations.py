"""Deviations of a right answer: imprecise diffs as careless models write them, which some algorithms accept.

| deviation | v1 (06-06) | v2 (06-06, class) | v3 (core) | v4 |
|---|---|---|---|---|
| drift: other indentation, or blanks after SEARCH lines | as written | as written | as written | repaired |
| middle: a letter too many in a line amid a SEARCH | applies | applies | applies | applies, by similarity |
| legacy: `<<<<<<< SEARCH`, `>>>>>>> REPLACE` | loses the file | refuses | applies | applies |
| reorder: the blocks in reverse order | refuses | refuses | applies | applies |

As written: it applies, and the REPLACE comes into the file with the wrong indentation. In a reordered diff v3 finds
only exact text, so it refuses one that also drifted. Now and then an old version finds a reordered SEARCH, or one of
another version's markers, at a wrong place and applies it there.

Under v4 an answer with any of these deviations gives the expected file. To ensure that, a SEARCH drifts or is altered
only where the file before the edit is known and its place stays the only one that fits. A SEARCH to be altered takes
some lines around it where its own are too few; a deviation that still cannot be given is left out.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from suts.simulated.draws import Key, pick, unit
from suts.simulated.spec import Style

Blocks = tuple[tuple[str, str], ...]
# Before and behind each line.
_DRIFTS: Final = (("  ", ""), ("    ", ""), ("\t", ""), ("", "  "))
_SHORTEST_ALTERED = 12
_MOST_CONTEXT = 3
# v4 asks for 0.75 or 0.9 and for a margin of 0.1 to the second best place.
_SAYING: Final = re.compile(r"^(?:\\ |([-<=+>])\1{2,}(?: SEARCH| REPLACE)?>?\r?$)", re.MULTILINE)
_RARE = 8
_LIKE_ENOUGH, _LIKE_ANOTHER = 0.92, 0.75


def deviating(key: Key, blocks: Blocks, before: str, style: Style) -> tuple[Blocks, tuple[str, ...]]:
    """Return the blocks with the deviations drawn for this answer, and the deviations' names; drift excludes middle.

    `legacy` is only named: it is a matter of the markers.
    """
    deviations: list[str] = []
    alterations: tuple[tuple[str, float, Callable[[Key, Blocks, str], Blocks]], ...] = (
        ("drift", style.drift, _drift),
        ("middle", style.middle, _middle),
    )
    for name, share, alter in alterations:
        if not deviations and unit((*key, name)) < share:
            altered = alter((*key, name, "how"), blocks, before)
            if altered != blocks:
                blocks = altered
                deviations.append(name)
    if len(blocks) > 1 and unit((*key, "reorder")) < style.reorder:
        blocks = blocks[::-1]
        deviations.append("reorder")
    if unit((*key, "legacy")) < style.legacy:
        deviations.append("legacy")
    return blocks, tuple(deviations)


def _drift(key: Key, blocks: Blocks, before: str) -> Blocks:
    """Return the blocks, drifted where they permit it: other indentation, or blanks after the lines of SEARCH."""
    rows = _trimmed(before)
    ahead, behind = pick(key, _DRIFTS)
    return tuple(
        (_moved(search, ahead, behind), _moved(replace, ahead, ""))
        if _fits_once(rows, search) and _is_plain(search + replace)
        else (search, replace)
        for search, replace in blocks
    )


def _moved(text: str, ahead: str, behind: str) -> str:
    out: list[str] = []
    for line in text.split("\n")[:-1]:
        content, ending = (line[:-1], "\r\n") if line.endswith("\r") else (line, "\n")
        out.append(f"{ahead}{content}{behind}{ending}" if content.strip() else content + ending)
    return "".join(out)


def _is_plain(block: str) -> bool:
    r"""Its lines end alike, and none looks like a marker or like `\ No newline at end of file`.

    Altered, such lines would say something else; and a repaired block takes the line ends of its place.
    """
    return block.count("\r\n") in {0, block.count("\n")} and not _SAYING.search(block)


def _fits_once(rows: Sequence[str], search: str) -> bool:
    """Return the SEARCH, trimmed line by line, is found at one place of the file."""
    expected = _trimmed(search)[:-1]
    if not any(expected):
        return False
    return sum(window == expected for window in _windows(rows, len(expected))) == 1


def _middle(key: Key, blocks: Blocks, before: str) -> Blocks:
    """One SEARCH of three lines or more, after widening if need be, with a letter doubled in a middle line."""
    rows = _trimmed(before)
    for lines in range(_MOST_CONTEXT + 1):
        wide = _widened(blocks, before.split("\n")[:-1], lines)
        texts = [(at, search, replace) for at, (search, replace) in wide.items() if _is_plain(search + replace)]
        altered = [(at, _doubled(key, search), replace) for at, search, replace in texts]
        fit = [pair for pair in altered if pair[1] and _is_like_one_place(rows, pair[1])]
        if fit:
            at, search, replace = pick((*key, "block"), fit)
            return (*blocks[:at], (search, replace), *blocks[at + 1 :])
    return blocks


def _widened(blocks: Blocks, rows: Sequence[str], lines: int) -> dict[int, tuple[str, str]]:
    """Return the blocks by index, with that many lines of the file around them, where that meets no other block."""
    starts = [_row_of(rows, search) for search, _ in blocks]
    if -1 in starts:
        return {}
    taken = {row for start, (search, _) in zip(starts, blocks, strict=True) for row in _span(start, search)}
    wide: dict[int, tuple[str, str]] = {}
    for at, (start, (search, replace)) in enumerate(zip(starts, blocks, strict=True)):
        end = start + search.count("\n")
        ahead, behind = range(start - lines, start), range(end, end + lines)
        if start >= lines and end + lines <= len(rows) and taken.isdisjoint((*ahead, *behind)):
            above, below = ("".join(f"{rows[row]}\n" for row in part) for part in (ahead, behind))
            wide[at] = (above + search + below, above + replace + below)
    return wide


def _row_of(rows: Sequence[str], search: str) -> int:
    """Return where the SEARCH stands in the file, to the character; -1 where it does not."""
    expected = search.split("\n")[:-1]
    return next((at for at, window in enumerate(_windows(rows, len(expected))) if window == expected), -1)


def _span(start: int, search: str) -> range:
    return range(start, start + search.count("\n"))


def _doubled(key: Key, search: str) -> str:
    """Return the SEARCH with one letter more in the longest word of a middle line; "" where there is none to alter."""
    lines = search.split("\n")
    fit = [row for row in range(1, len(lines) - 2) if len(lines[row].strip()) >= _SHORTEST_ALTERED]
    if not fit:
        return ""
    row = pick((*key, "row"), fit)
    word = max(lines[row].split(), key=len)
    lines[row] = lines[row].replace(word, word[:3] + word[2:], 1)
    return "\n".join(lines)


def _is_like_one_place(rows: Sequence[str], search: str) -> bool:
    """Return the altered SEARCH is much like one place, clearly less like any other, and no other has its two ends.

    One of these ends is rare enough to lead there.
    """
    expected = _trimmed(search)[:-1]
    if not (expected[0] and expected[-1]) or min(rows.count(expected[0]), rows.count(expected[-1])) > _RARE:
        return False
    similarities = sorted(_similarity(window, expected) for window in _windows(rows, len(expected)))
    if (
        not similarities
        or similarities[-1] < _LIKE_ENOUGH
        or (len(similarities) > 1 and similarities[-2] > _LIKE_ANOTHER)
    ):
        return False
    ends = (expected[0], expected[-1])
    return sum((window[0], window[-1]) == ends for window in _windows(rows, len(expected))) == 1


def _similarity(rows: Sequence[str], expected: Sequence[str]) -> float:
    """1 - edits / characters over lines paired in order."""
    from rapidfuzz.distance import Levenshtein

    pairs = list(zip(rows, expected, strict=True))
    length = sum(max(len(row), len(line)) for row, line in pairs)
    return 1 - sum(Levenshtein.distance(row, line) for row, line in pairs) / length if length else 1.0


def _trimmed(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n")]


def _windows(rows: Sequence[str], count: int) -> Iterator[Sequence[str]]:
    return (rows[at : at + count] for at in range(len(rows) - count + 1))
