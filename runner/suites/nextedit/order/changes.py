"""What an edit changes, word by word: the tokens it takes out and puts in."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from runner.suites.nextedit.commits import Commit, Edit

if TYPE_CHECKING:
    from rapidfuzz.distance import Opcode

_TOKEN = re.compile(r"\w+|[^\w\s]")
_NAME = re.compile(r"[^\W\d]\w+")
# Words of the languages themselves, and names that stand in nearly every file.
_COMMON_WORDS = """
abstract and any as assert async await bool boolean break byte case catch chan char class cls const constructor
continue def default defer del delete dict do double elif else enum err except export extends False false final
finally float fmt for from func function get go goto if implements import in instanceof int interface is isinstance
lambda len let list map new nil None not null number object or override package pass print private protected public
raise range readonly require return self set short static str string String struct super switch synchronized this
throw throws True true try tuple type typeof undefined var void while with yield
"""
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class Change:
    """The tokens that an edit removes and adds, in order; `names` are the identifiers among them.

    `renames` are the names in whose place others stand, each with the other.
    """

    removed: tuple[str, ...]
    added: tuple[str, ...]
    names: frozenset[str]
    renames: frozenset[tuple[str, str]]


def change_of(edit: Edit) -> Change:
    """What remains of an edit once the longest common sequence of tokens is taken away from both sides."""
    before, after = _TOKEN.findall("".join(edit.before)), _TOKEN.findall("".join(edit.after))
    runs = [(run[0].src_start, run[-1].src_end, run[0].dest_start, run[-1].dest_end) for run in _unequal(before, after)]
    swaps = [(before[start:end], after[first:last]) for start, end, first, last in runs]
    removed = tuple(token for old, _ in swaps for token in old)
    added = tuple(token for _, new in swaps for token in new)
    pairs = (pair for old, new in swaps if len(old) == len(new) for pair in zip(old, new, strict=True))
    renames = frozenset(pair for pair in pairs if len(names_in(pair)) == 2)
    return Change(removed, added, names_in((*removed, *added)), renames)


def _unequal(before: Sequence[str], after: Sequence[str]) -> "Iterator[list[Opcode]]":
    """The operations that make one sequence the other, those that follow each other together."""
    from rapidfuzz.distance import LCSseq

    for equal, run in groupby(LCSseq.opcodes(before, after), key=lambda opcode: opcode.tag == "equal"):
        if not equal:
            yield list(run)


def kept_names(edit: Edit) -> frozenset[str]:
    """The names that stand in the lines of an edit before and after."""
    before, after = (frozenset(_NAME.findall("".join(lines))) for lines in (edit.before, edit.after))
    return before & after


def names_in(tokens: Iterable[str]) -> frozenset[str]:
    """The tokens that may be names of the program's own."""
    return frozenset(token for token in tokens if _NAME.fullmatch(token) and token not in _COMMON)


def count_words(commit: Commit) -> Counter[str]:
    """How often each word stands in the touched files, both versions together."""
    texts = (text for touched in commit.files for text in (touched.before, touched.after) if text)
    return Counter(word for text in texts for word in _NAME.findall(text))
