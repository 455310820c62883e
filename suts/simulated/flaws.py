"""Flaws of a right answer: what careless models do to a diff, and what some algorithms forgive.

| flaw | v1 (06-06) | v2 (06-06, class) | v3 (core) | v4 |
|---|---|---|---|---|
| drift: SEARCH lines with other indentation or trailing blanks | applies | applies | applies | applies |
| middle: a line amid a SEARCH is altered | applies | applies | applies | applies, by similarity |
| legacy: `<<<<<<< SEARCH`, `>>>>>>> REPLACE` | changes nothing | changes nothing | applies | applies |
| reorder: the blocks in reverse order | refuses | refuses | applies | applies |

Drift in a reordered diff is refused by v3, which finds only exact text out of order. A drifted or altered SEARCH
is given only where the file before the edit is known and the place stays the only one that fits; a flaw that
cannot be given (a SEARCH of two lines has no middle) is left out.
"""

from suts.simulated.draws import Key, pick, unit
from suts.simulated.spec import Style

Blocks = tuple[tuple[str, str], ...]
_WORD_TO_ALTER = 6


def flawed(key: Key, blocks: Blocks, before: str, style: Style) -> tuple[Blocks, tuple[str, ...]]:
    """The blocks with the flaws drawn for this answer, and the flaws' names; drift excludes middle."""
    flaws: list[str] = []
    for name, share, alter in (("drift", style.drift, _drift), ("middle", style.middle, _middle)):
        if not flaws and unit((*key, name)) < share:
            altered = alter((*key, name, "how"), blocks, before)
            if altered is not None:
                blocks = altered
                flaws.append(name)
    if len(blocks) > 1 and unit((*key, "reorder")) < style.reorder:
        blocks = blocks[::-1]
        flaws.append("reorder")
    if unit((*key, "legacy")) < style.legacy:
        flaws.append("legacy")
    return blocks, tuple(flaws)


def _drift(key: Key, blocks: Blocks, before: str) -> Blocks | None:
    """Every SEARCH that stays unique with its lines trimmed, with blanks added; None when there is none."""
    rows = _trimmed(before)
    drifted = tuple(
        (_blanks(key, search), replace) if _only(rows, search) else (search, replace) for search, replace in blocks
    )
    return None if drifted == blocks else drifted


def _blanks(key: Key, search: str) -> str:
    indent, trailing = pick(key, (("  ", ""), ("", "  "), ("\t", ""), (" ", " ")))
    out: list[str] = []
    for line in search.split("\n")[:-1]:
        said, ending = (line[:-1], "\r\n") if line.endswith("\r") else (line, "\n")
        out.append(f"{indent}{said}{trailing}{ending}" if said.strip() else said + ending)
    return "".join(out)


def _middle(key: Key, blocks: Blocks, before: str) -> Blocks | None:
    """One SEARCH of three lines or more with a letter doubled in a middle line; None where no block permits it."""
    rows = _trimmed(before)
    fit = [at for at, (search, _) in enumerate(blocks) if _alterable(search) and _alone(rows, search)]
    if not fit:
        return None
    at = pick(key, fit)
    search, replace = blocks[at]
    lines = search.split("\n")
    row = pick((*key, "row"), _rows_to_alter(search))
    word = max(lines[row].split(), key=len)
    lines[row] = lines[row].replace(word, word[:3] + word[2:], 1)
    return (*blocks[:at], ("\n".join(lines), replace), *blocks[at + 1 :])


def _alterable(search: str) -> bool:
    return bool(_rows_to_alter(search))


def _rows_to_alter(search: str) -> list[int]:
    """Middle lines with a word long enough that one letter more leaves it nearly the same."""
    lines = search.split("\n")[:-1]
    return [at for at in range(1, len(lines) - 1) if len(lines[at].strip()) >= 2 * _WORD_TO_ALTER]


def _trimmed(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n")]


def _windows(rows: list[str], wanted: list[str]) -> range:
    return range(len(rows) - len(wanted) + 1)


def _only(rows: list[str], search: str) -> bool:
    """The SEARCH, trimmed line by line, is found at one place of the file."""
    wanted = _trimmed(search)[:-1]
    if not any(wanted):
        return False
    return sum(rows[at : at + len(wanted)] == wanted for at in _windows(rows, wanted)) == 1


def _alone(rows: list[str], search: str) -> bool:
    """No other place of the file shares its first and last line, or half of all its lines, with the SEARCH."""
    wanted = _trimmed(search)[:-1]
    near = 0
    for at in _windows(rows, wanted):
        window = rows[at : at + len(wanted)]
        same = sum(left == right for left, right in zip(window, wanted, strict=True))
        near += (window[0] == wanted[0] and window[-1] == wanted[-1]) or 2 * same >= len(wanted)
    return near == 1
