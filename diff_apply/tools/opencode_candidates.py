"""The texts of a file that opencode's `edit` may take for `oldString`: its nine replacers, in their order.

After `packages/opencode/src/tool/edit.ts`, npm opencode-linux-x64 1.18.33. White space is JavaScript's, and so are
lengths: UTF-16 units.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, partial
from itertools import accumulate

from diff_apply.lines import BLANKS, Source, trim
from diff_apply.tools.line_search import CodedLines
from diff_apply.tools.work import Work

_SIMILAR = 0.65
# What a word costs when a pattern of words is compiled.
_STEPS_A_WORD = 120
_SPACES = re.compile(f"[{BLANKS}]+")
_ESCAPE = re.compile(r"""\\([ntr'"`\\\n$])""")
_UNESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


class Searched(Source):
    """A file in which a text is looked for, with what several replacers need of it."""

    def __init__(self, text: str) -> None:
        """Keep the text."""
        super().__init__(text)
        self.work = Work()

    def rows(self, first: int, count: int) -> str:
        """Return `count` lines from a row, without the last LF."""
        return self.text[self.starts[first] : self.starts[first + count] - 1]

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of each line."""
        return [_words(piece) for piece in self.pieces]


Replacer = Callable[[Searched, str], Iterator[str]]


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)


def simple(_file: Searched, old: str) -> Iterator[str]:
    """Yield the text itself."""
    yield old


def line_trimmed(file: Searched, old: str) -> Iterator[str]:
    """Yield the lines that equal those of the text when both are trimmed."""
    expected = [trim(line) for line in _without_last_empty(old.split("\n"))]
    for row in CodedLines(file.trimmed).places(expected):
        yield file.rows(row, len(expected))


def block_anchor(file: Searched, old: str) -> Iterator[str]:
    """Yield the block between the text's first and last line whose middle is most similar."""
    expected = old.split("\n")
    if len(expected) < 3:
        return
    expected = [trim(line) for line in _without_last_empty(expected)]
    count = len(expected)
    most = max(1, count // 4)
    blocks = [(row, last - row + 1) for row, last in _between(file, expected) if abs(last - row + 1 - count) <= most]
    if len(blocks) == 1:
        if _similar_enough(file, expected, *blocks[0]):
            yield file.rows(*blocks[0])
    elif blocks:
        similarities = [_similarity(file, expected, *block) for block in blocks]
        best = max(similarities)
        if best >= _SIMILAR:
            yield file.rows(*blocks[similarities.index(best)])


def whitespace_normalized(file: Searched, old: str) -> Iterator[str]:
    """Yield lines, parts of lines and blocks that equal the text but for white space."""
    words = _words(old)
    normal = " ".join(words)
    # A long text takes long to compile, and no line may need it.
    pattern = cache(partial(_pattern, file, words))
    for row, piece in enumerate(file.pieces):
        line = " ".join(file.words[row])
        if line == normal:
            yield piece
        elif normal in line and (match := pattern().search(piece)):
            yield match[0]
    count = old.count("\n") + 1
    if count > 1:
        yield from _blocks_of_words(file, words, count)


def _pattern(file: Searched, words: Sequence[str]) -> re.Pattern[str]:
    file.work.add(_STEPS_A_WORD * len(words))
    return re.compile(f"[{BLANKS}]+".join(map(re.escape, words)))


def _blocks_of_words(file: Searched, words: Sequence[str], count: int) -> Iterator[str]:
    starts = list(accumulate(map(len, file.words), initial=0))
    flat = [word for line in file.words for word in line]
    places = set(CodedLines(flat).places(words)) if words else set(range(len(flat) + 1))
    for row in range(len(file.pieces) - count + 1):
        if starts[row + count] - starts[row] == len(words) and starts[row] in places:
            yield file.rows(row, count)


def indentation_flexible(file: Searched, old: str) -> Iterator[str]:
    """Yield blocks that equal the text when both lose the indentation that all of their lines have."""
    lines = old.split("\n")
    expected = _outdented(lines)
    coded = CodedLines(piece.lstrip(BLANKS) or piece for piece in file.pieces)
    for row in coded.places([line.lstrip(BLANKS) or line for line in lines]):
        file.work.add(len(lines))
        if _outdented(file.pieces[row : row + len(lines)]) == expected:
            yield file.rows(row, len(lines))


def _outdented(lines: Sequence[str]) -> list[str]:
    least = min((len(line) - len(line.lstrip(BLANKS)) for line in lines if trim(line)), default=0)
    return [line[least:] if trim(line) else line for line in lines]


def escape_normalized(file: Searched, old: str) -> Iterator[str]:
    """Yield the unescaped text and blocks that equal it once unescaped."""
    expected = unescaped(old)
    if expected in file.text:
        yield expected
    count = expected.count("\n") + 1
    # A backslash at the end of a line escapes the newline, unless the block ends there.
    inner = [unescaped(piece + "\n") for piece in file.pieces]
    for row in range(len(file.pieces) - count + 1):
        if _continues(file, inner, row, count, expected):
            yield file.rows(row, count)


def _continues(file: Searched, inner: Sequence[str], row: int, count: int, expected: str) -> bool:
    at = 0
    for line in range(row, row + count - 1):
        file.work.add(1)
        if not expected.startswith(inner[line], at):
            return False
        at += len(inner[line])
    return expected[at:] == unescaped(file.pieces[row + count - 1])


def unescaped(text: str) -> str:
    """Return a text with backslash escapes of newline, tab, return, quotes, backslash, dollar and line end resolved."""
    return _ESCAPE.sub(lambda match: _UNESCAPED.get(match[1], match[1]), text)


def trimmed_boundary(file: Searched, old: str) -> Iterator[str]:
    """Yield the trimmed text and blocks that equal it once trimmed; nothing for a text without outer white space."""
    expected = trim(old)
    if expected == old:
        return
    if expected in file.text:
        yield expected
    count = old.count("\n") + 1
    inked = _inked(file)
    for row in range(len(file.pieces) - count + 1):
        file.work.add(1)
        end = file.starts[row + count] - 1
        start = min(inked[row], end)
        if end - start >= len(expected) and file.text.startswith(expected, start):
            rest = file.text[start + len(expected) : end]
            file.work.add(len(rest) // 64)
            if not trim(rest):
                yield file.rows(row, count)


def _inked(file: Searched) -> list[int]:
    """Return, for each row, the offset of the first character from there on that is not white space."""
    after, out = len(file.text) + 1, list[int]()
    for row in range(len(file.pieces) - 1, -1, -1):
        piece = file.pieces[row]
        if file.trimmed[row]:
            after = file.starts[row] + len(piece) - len(piece.lstrip(BLANKS))
        out.append(after)
    return out[::-1]


def context_aware(file: Searched, old: str) -> Iterator[str]:
    """Yield blocks of the text's size between its first and last line, half of the rest of which is equal."""
    expected = old.split("\n")
    if len(expected) < 3:
        return
    expected = [trim(line) for line in _without_last_empty(expected)]
    for row, last in _between(file, expected):
        if last - row + 1 != len(expected):
            continue
        file.work.add(len(expected))
        middle = [
            line == other
            for line, other in zip(file.trimmed[row + 1 : last], expected[1:-1], strict=True)
            if line or other
        ]
        if 2 * sum(middle) >= len(middle):
            yield file.rows(row, len(expected))


REPLACERS: tuple[tuple[str, Replacer], ...] = (
    ("simple", simple),
    ("line_trimmed", line_trimmed),
    ("block_anchor", block_anchor),
    ("whitespace_normalized", whitespace_normalized),
    ("indentation_flexible", indentation_flexible),
    ("escape_normalized", escape_normalized),
    ("trimmed_boundary", trimmed_boundary),
    ("context_aware", context_aware),
    # The text itself once more, at each place where it stands.
    ("multi_occurrence", simple),
)


def _words(text: str) -> list[str]:
    return [word for word in _SPACES.split(text) if word]


def _without_last_empty(lines: list[str]) -> list[str]:
    return lines[:-1] if not lines[-1] else lines


def _between(file: Searched, expected: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield each row that is the first line expected, with the next one from two rows on that is the last."""
    lasts = file.positions.get(expected[-1], [])
    at = 0
    for row in file.positions.get(expected[0], []):
        while at < len(lasts) and lasts[at] < row + 2:
            at += 1
        if at == len(lasts):
            return
        yield row, lasts[at]


def _pairs(file: Searched, expected: Sequence[str], row: int, count: int) -> list[float | None]:
    """Return how similar the middle rows of a block are to those expected, None for two blank ones."""
    rows = min(count, len(expected)) - 2
    return [_ratio(file, file.trimmed[row + at], expected[at]) for at in range(1, rows + 1)]


def _similar_enough(file: Searched, expected: Sequence[str], row: int, count: int) -> bool:
    rows = min(count, len(expected)) - 2
    total = 0.0
    for ratio in _pairs(file, expected, row, count):
        total += (ratio or 0.0) / rows
        if ratio is not None and total >= _SIMILAR:
            return True
    return rows <= 0


def _similarity(file: Searched, expected: Sequence[str], row: int, count: int) -> float:
    pairs = _pairs(file, expected, row, count)
    return sum(ratio or 0.0 for ratio in pairs) / len(pairs) if pairs else 1.0


def _ratio(file: Searched, line: str, other: str) -> float | None:
    from rapidfuzz.distance import Levenshtein

    if not line and not other:
        return None
    first, second = (memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H") for text in (line, other))
    longest = max(len(first), len(second))
    file.work.add(longest + len(first) * len(second) // 64)
    distance = longest if not first or not second else Levenshtein.distance(list(first), list(second))
    return 1 - distance / longest
