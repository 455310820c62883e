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
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runner.metrics.alignment import intern
from runner.metrics.ngrams import Components, Empty, combine, count, tally
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
    orders = list(zip(*_counted(origin, references, hypothesis), strict=True))
    total = sum(_keep(*order, dialect) + _add(*order, dialect) + _delete(*order, dialect) for order in orders)
    return total / (3 * len(orders))


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
) -> tuple[tuple[_Counts, ...], tuple[_Counts, ...], tuple[_Counts, ...]]:
    first, last, *others = intern(origin, hypothesis, *references)
    summed = tuple(sum(order, start=Counter[str]()) for order in zip(*(count([text]) for text in others), strict=True))
    return _times(count([first]), len(others)), summed, _times(count([last]), len(others))


def _times(counters: tuple[_Counts, ...], factor: int) -> tuple[_Counts, ...]:
    if factor == 1:
        return counters
    return tuple(Counter({gram: n * factor for gram, n in counter.items()}) for counter in counters)


def _keep(origin: _Counts, reference: _Counts, hypothesis: _Counts, dialect: Dialect) -> float:
    kept, to_keep = origin & hypothesis, origin & reference
    good = kept & reference
    recall = _over_types if dialect.recall_over_types else _over_counts
    return _f1(_over_types(good, kept, dialect.nothing), recall(good, to_keep, dialect.nothing))


def _add(origin: _Counts, reference: _Counts, hypothesis: _Counts, dialect: Dialect) -> float:
    added, to_add = hypothesis.keys() - origin.keys(), reference.keys() - origin.keys()
    good = len(added & to_add)
    precision = good / len(added) if added else dialect.nothing
    return _f1(precision, good / len(to_add) if to_add else dialect.nothing)


def _delete(origin: _Counts, reference: _Counts, hypothesis: _Counts, dialect: Dialect) -> float:
    deleted = origin - hypothesis
    good = deleted & (origin - reference) if dialect.shared_deletions else deleted - reference
    return _over_types(good, deleted, dialect.nothing)


def _over_types(good: _Counts, done: _Counts, nothing: float) -> float:
    return sum(n / done[gram] for gram, n in good.items()) / len(done) if done else nothing


def _over_counts(good: _Counts, done: _Counts, nothing: float) -> float:
    return good.total() / done.total() if done else nothing


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
