"""SARI (Xu et al. 2016, TACL 4) over tokens, in the dialects that published numbers are made with.

They differ in what a ratio with nothing to count is worth and in how the counts of one order are averaged:

| | nothing to count | averaged over | case and tokens |
| --- | --- | --- | --- |
| `sari` | left out | counts | any, for code those of ES-Token |
| `XU` | 0 | n-gram types | lower case, split at single spaces |
| `HF` | 1 | n-gram types, but recall of keeping over counts | lower case, mteval 13a |

Several references count together, as in the paper: origin and hypothesis as often as there are references,
the references added up.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import starmap

from runner.metrics.alignment import intern
from runner.metrics.ngrams import Components, Empty, combine, count, tally, together
from runner.metrics.sample import Sample

Tokens = Sequence[str]
_Counts = Counter[str]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How averages over n-gram types are taken.

    - `nothing`: what a ratio is worth when there is nothing to count.
    - `recall_over_types`: whether recall of keeping is averaged over types too.
    - `shared_deletions`: a good deletion is in both deletions; else what is deleted minus what the references
      hold, which differs where an n-gram occurs several times.
    """

    nothing: float = 0.0
    recall_over_types: bool = True
    shared_deletions: bool = False


XU = Dialect()
HF = Dialect(nothing=1.0, recall_over_types=False)
BY_TYPES = Dialect(shared_deletions=True)


def sari(origin: Tokens, references: Sequence[Tokens], hypothesis: Tokens, empty: Empty = "skip") -> Components:
    """SARI over counts, no alignment and no special cases. With `empty="zero"` this is EASSE's sentence score."""
    return combine(tally(*_counted(origin, references, hypothesis)), empty)


def sari_by_types(origin: Tokens, references: Sequence[Tokens], hypothesis: Tokens, dialect: Dialect = XU) -> float:
    """Return the score, 0 to 1, of the script published with the paper (`XU`) or of Hugging Face evaluate (`HF`)."""
    sums = list(starmap(partial(_sum_of_order, dialect), together(*_counted(origin, references, hypothesis))))
    return sum(sums) / (3 * len(sums))


def _sum_of_order(dialect: Dialect, origin: _Counts, reference: _Counts, hypothesis: _Counts) -> float:
    order = origin, reference, hypothesis
    return _keep(*order, dialect) + _add(*order, dialect) + _delete(*order, dialect)


def of_texts(sample: Sample, split: Callable[[str], Tokens], dialect: Dialect) -> float:
    """Return the score of texts, comments and all, split as the dialect's original does."""
    before = sample.preamble
    references = [split(before + reference) for reference in sample.references]
    return sari_by_types(split(before + sample.origin), references, split(before + sample.hypothesis), dialect)


def split_xu(text: str) -> list[str]:
    """Tokens as the script of Xu et al. makes them: an empty text is one empty token."""
    return text.lower().split(" ")


def split_hf(text: str) -> list[str]:
    """Tokens as Hugging Face evaluate makes them: mteval's international "13a" rules of a lower-cased text."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    tokenize = Tokenizer13a()  # type: ignore[no-untyped-call]  # sacrebleu annotates only a part of itself
    return str(tokenize(text.lower())).split(" ")


def _counted(
    origin: Tokens, references: Sequence[Tokens], hypothesis: Tokens
) -> tuple[Iterator[_Counts], Iterator[_Counts], Iterator[_Counts]]:
    first, last, *others = intern(origin, hypothesis, *references)
    summed = map(_sum, zip(*(count([text]) for text in others), strict=True))
    return _times(count([first]), len(others)), summed, _times(count([last]), len(others))


def _sum(counters: tuple[_Counts, ...]) -> _Counts:
    return counters[0] if len(counters) == 1 else sum(counters, start=Counter[str]())


def _times(counters: Iterator[_Counts], factor: int) -> Iterator[_Counts]:
    if factor == 1:
        return counters
    return (Counter({gram: n * factor for gram, n in counter.items()}) for counter in counters)


def _both(first: _Counts, second: _Counts) -> _Counts:
    """Return `first & second`, in the order of the first: sums of fractions depend on it."""
    return Counter({gram: min(n, second[gram]) for gram, n in first.items() if gram in second})


def _rest(first: _Counts, second: _Counts) -> _Counts:
    """Return `first - second`: a copy, lowered where both have an n-gram."""
    rest = first.copy()
    for gram in first.keys() & second.keys():
        if first[gram] > second[gram]:
            rest[gram] -= second[gram]
        else:
            del rest[gram]
    return rest


def _keep(origin: _Counts, reference: _Counts, hypothesis: _Counts, dialect: Dialect) -> float:
    kept, to_keep = _both(origin, hypothesis), _both(origin, reference)
    good = _both(kept, reference)
    recall = _over_types if dialect.recall_over_types else _over_counts
    return _f1(_over_types(good, kept, dialect.nothing), recall(good, to_keep, dialect.nothing))


def _add(origin: _Counts, reference: _Counts, hypothesis: _Counts, dialect: Dialect) -> float:
    added, to_add = hypothesis.keys() - origin.keys(), reference.keys() - origin.keys()
    good = len(added & to_add)
    precision = good / len(added) if added else dialect.nothing
    return _f1(precision, good / len(to_add) if to_add else dialect.nothing)


def _delete(origin: _Counts, reference: _Counts, hypothesis: _Counts, dialect: Dialect) -> float:
    deleted = _rest(origin, hypothesis)
    good = _both(deleted, _rest(origin, reference)) if dialect.shared_deletions else _rest(deleted, reference)
    return _over_types(good, deleted, dialect.nothing)


def _over_types(good: _Counts, done: _Counts, nothing: float) -> float:
    return sum(n / done[gram] for gram, n in good.items()) / len(done) if done else nothing


def _over_counts(good: _Counts, done: _Counts, nothing: float) -> float:
    return good.total() / done.total() if done else nothing


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
