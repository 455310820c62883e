"""Which texts have most to do with some words: Okapi's BM25, with the weights of Lucene, by the package bm25s."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from runner.suites.nextedit.commits import Span, split_lines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PASSAGE_LINES = 40
_WORD = re.compile(r"\w+")
# Where words of several are joined in a name: `maxRows`, `max_rows`.
_JOINT = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive lines of a text."""

    path: str
    span: Span


class Bm25:
    """Texts, each as its words, that can be scored by words; k1 is 1.5 and b is 0.75."""

    def __init__(self, documents: Iterable[Sequence[str]]) -> None:
        """Count the words of the texts, which are taken one by one."""
        from bm25s import BM25

        vocabulary: dict[str, int] = {}
        ids = [[vocabulary.setdefault(word, len(vocabulary)) for word in words] for words in documents]
        self._size = len(ids)
        self._vocabulary = dict(vocabulary)
        # Sums in double precision, so that equal texts have equal scores and others hardly ever have.
        self._index = BM25(method="atire", idf_method="lucene", dtype="float64")
        if vocabulary:
            self._index.index((ids, vocabulary), show_progress=False)

    def scores(self, words: Iterable[str]) -> "NDArray[np.float64]":
        """Return the score of each text, 0 or more; a word counts as often as it is given."""
        import numpy as np

        known = [self._vocabulary[word] for word in words if word in self._vocabulary]
        if not known:
            return np.zeros(self._size)
        scores: NDArray[np.float64] = self._index.get_scores_from_ids(known)
        return scores


def passages_of(path: str, text: str) -> Iterator[Passage]:
    """Yield the passages into which a text is cut, from its first line to its last; none of an empty text."""
    lines = len(split_lines(text))
    for start in range(0, lines, PASSAGE_LINES):
        yield Passage(path, Span(start, min(lines, start + PASSAGE_LINES)))


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters: names whole, and the words that names are made of."""
    return [word for name in _WORD.findall(text) for word in _words_in(name)]


# The same names stand in a project again and again.
@lru_cache(maxsize=100_000)
def _words_in(name: str) -> tuple[str, ...]:
    parts = [part for part in _JOINT.split(name.strip("_")) if part]
    return (name.lower(), *(part.lower() for part in parts)) if len(parts) > 1 else (name.lower(),)


def passage_words(passage: Passage, lines: Sequence[str]) -> list[str]:
    """Return the words of a passage, with those of its path."""
    return [*words_of(passage.path), *words_of("".join(lines[passage.span.start : passage.span.end]))]


def ranked(passages: Sequence[Passage], scores: "NDArray[np.float64]") -> list[Passage]:
    """Return the passages by score, the highest first; equal ones in the order given."""
    import numpy as np

    return [passages[at] for at in np.argsort(-scores, kind="stable").tolist()]
