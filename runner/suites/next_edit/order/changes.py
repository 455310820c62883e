"""What an edit changes, word by word: the tokens it takes out and puts in."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from runner.suites.next_edit.commits import Commit, Edit

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
    """The tokens that an edit removes and adds, in order; `names` are the identifiers among them."""

    removed: tuple[str, ...]
    added: tuple[str, ...]
    names: frozenset[str]


def change_of(edit: Edit) -> Change:
    """What remains of an edit once the longest common sequence of tokens is taken away from both sides."""
    from rapidfuzz.distance import LCSseq

    before, after = _TOKEN.findall("".join(edit.before)), _TOKEN.findall("".join(edit.after))
    operations = [each for each in LCSseq.opcodes(before, after) if each.tag != "equal"]
    removed = tuple(token for each in operations for token in before[each.src_start : each.src_end])
    added = tuple(token for each in operations for token in after[each.dest_start : each.dest_end])
    return Change(removed, added, names_in((*removed, *added)))


def names_in(tokens: Iterable[str]) -> frozenset[str]:
    """The tokens that may be names of the program's own."""
    return frozenset(token for token in tokens if _NAME.fullmatch(token) and token not in _COMMON)


def count_words(commit: Commit) -> Counter[str]:
    """How often each word stands in the touched files, both versions together."""
    texts = (text for touched in commit.files for text in (touched.before, touched.after) if text)
    return Counter(word for text in texts for word in _NAME.findall(text))
