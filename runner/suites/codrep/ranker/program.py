"""A program beside its new line, lexed once into arrays that every feature reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from runner.suites.codrep.ranker.lexer import NEWLINE, TOKEN, WordKind, kind_of

Ints = npt.NDArray[np.integer]
Floats = npt.NDArray[np.floating]
Bools = npt.NDArray[np.bool_]
Columns = dict[str, npt.NDArray[np.generic]]

# Words are also written as characters, so that string metrics can compare lines word by word at C speed:
# the first of these characters, and the last (the surrogates begin behind it).
FIRST_CHARACTER = 0x100
LAST_CHARACTER = 0xD7FF

NOWHERE = -2

# Of a longer line only the beginning is compared: the time that a comparison takes grows with the square.
LONGEST = 4000


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The lines of a task by number, 1 to n as in the answers; line 0 is the new line.

    - `raw`, `stripped`: the lines as they stand, and without the space around them and past `LONGEST` characters.
    - `texts`, `text_of`: the distinct stripped lines (0 is the new line's), and for each line which of them it is.
    - `words`, `kinds`: the distinct tokens, and the `WordKind` of each; `ids` has a word's number.
    - `tokens`, `line_of`: for each token in order its word and its line.
    - `start`, `sizes`: line i has the `sizes[i]` tokens from `tokens[start[i]]` on; `start` has one entry more.
    """

    raw: tuple[str, ...]
    stripped: tuple[str, ...]
    texts: tuple[str, ...]
    text_of: Ints
    words: tuple[str, ...]
    kinds: Ints
    ids: dict[str, int]
    tokens: Ints
    line_of: Ints
    start: Ints
    sizes: Ints

    def id_of(self, word: str) -> int:
        """The number of a word, one that no token has where the word does not occur."""
        return self.ids.get(word, NOWHERE)

    def among(self, words: Iterable[str]) -> Bools:
        """For every word of the program whether it is one of these."""
        mask = np.zeros(len(self.words), np.bool_)
        mask[[self.ids[word] for word in words if word in self.ids]] = True
        return mask

    def words_of(self, line: int) -> list[str]:
        """The tokens of a line."""
        return [self.words[word] for word in self.tokens[self.start[line] : self.start[line + 1]].tolist()]


def lex(new_line: str, lines: Sequence[str]) -> Program:
    """The program of a task, ready to be measured."""
    raw = (new_line, *lines)
    stripped = tuple([line.strip()[:LONGEST] for line in raw])
    text_ids: dict[str, int] = {}
    text_of = np.array([text_ids.setdefault(line, len(text_ids)) for line in stripped], np.int32)
    words = TOKEN.findall("\n".join(stripped))
    ids = {word: number for number, word in enumerate(dict.fromkeys((NEWLINE, *words)))}
    stream = np.fromiter(map(ids.__getitem__, words), np.int32, len(words))
    is_end = stream == 0
    tokens = stream[~is_end]
    line_of = np.cumsum(is_end, dtype=np.int32)[~is_end]
    start = np.searchsorted(line_of, np.arange(len(raw) + 1))
    return Program(
        raw=raw,
        stripped=stripped,
        texts=tuple(text_ids),
        text_of=text_of,
        words=tuple(ids),
        kinds=np.fromiter(map(kind_of, ids), np.int32, len(ids)),
        ids=ids,
        tokens=tokens,
        line_of=line_of,
        start=start,
        sizes=np.diff(start),
    )


def spell(program: Program, codes: Ints) -> list[str]:
    """Each line as a string with one character a token: the character of `codes[word]`, a number from 0."""
    characters = np.minimum(codes[program.tokens] + FIRST_CHARACTER, LAST_CHARACTER).astype("<u2")
    text = characters.tobytes().decode("utf-16-le")
    return [text[begin:end] for begin, end in pairwise(program.start.tolist())]


def tokens_of(program: Program, lines: Ints) -> tuple[Ints, Ints]:
    """The places of all tokens of some lines, one line after the other, and for each the index into `lines`."""
    sizes = program.sizes[lines]
    rows = np.repeat(np.arange(len(lines)), sizes)
    shift = program.start[lines] - (np.cumsum(sizes) - sizes)
    return rows, np.arange(len(rows)) + shift[rows]


def count_pairs(rows: Ints, columns: Ints, height: int, width: int) -> Ints:
    """A table of how often each (row, column) occurs."""
    flat = rows.astype(np.int64) * width + columns
    return np.bincount(flat, minlength=height * width).reshape(height, width)


def is_name(kinds: Ints) -> Bools:
    """Return which kinds of word are names that a programmer chose."""
    return (kinds >= WordKind.NAME) & (kinds <= WordKind.CONSTANT)


def has_letters(kinds: Ints) -> Bools:
    """Which kinds of word are more than punctuation."""
    return kinds < WordKind.PUNCTUATION
