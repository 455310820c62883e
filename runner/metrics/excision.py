"""The Excision Score: SARI of what is left when the tokens that all three documents share are cut out.

Definition: arXiv 2510.21537. What the paper leaves open is settled here: what a ratio without counts is worth
(`Options.empty`), that doing nothing scores 0 and doing what was asked 1 whatever the formula gives (a pure move
leaves every bag of n-grams as it was), and that the best of several references counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from runner.metrics import tokens
from runner.metrics.alignment import Mode, conserve, intern, regions
from runner.metrics.ngrams import Cells, Components, Deletion, Empty, combine, count, tally
from runner.metrics.sample import Sample

Tokens = Sequence[str]


@dataclass(frozen=True, slots=True)
class Granularity:
    """`split` a text into what is aligned; the n-grams of a region are made of `grams` of its units."""

    split: Callable[[str, str | None], Tokens]
    grams: Callable[[Tokens], Tokens]


@dataclass(frozen=True, slots=True)
class Conventions:
    """Conventions; the defaults are those of the metrics `es-token`, `es-line` and `es-text`.

    `across` also counts n-grams that reach from one region into the next, as if the regions were one text: what
    is left of a document after its longest common subsequence is taken out.
    """

    mode: Mode = "nested"
    empty: Empty = "skip"
    deletion: Deletion = "precision"
    across: bool = False


@dataclass(frozen=True, slots=True)
class TokenRegion:
    """The tokens of one divergent region; a document without any there has an empty row."""

    origin: tuple[str, ...]
    reference: tuple[str, ...]
    hypothesis: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Excision:
    """A score and what it is made of.

    `score` differs from the mean of the `components` where the hypothesis equals the reference (1) or where it
    or the reference equals the origin (0).
    """

    score: float
    components: Components
    cells: Cells
    regions: tuple[TokenRegion, ...]


def _words_of(lines: Tokens) -> Tokens:
    return [word for line in lines for word in tokens.words(line)]


def _words(text: str, _language: str | None) -> Tokens:
    return tuple(tokens.words(text))


TOKEN = Granularity(tokens.leaves, tuple)
PLAIN_TOKEN = Granularity(partial(tokens.leaves, layout="never"), tuple)
LINE = Granularity(tokens.lines, _words_of)
TEXT = Granularity(_words, tuple)
DEFAULT = Conventions()


def excision_score(sample: Sample, granularity: Granularity = TOKEN, options: Conventions = DEFAULT) -> float:
    """Return the Excision Score, 0 to 1. Raises TooLargeError where the documents differ in too many tokens."""
    origin, references, hypothesis = _split(sample, granularity)
    if hypothesis in references:
        return 1.0
    if hypothesis == origin:
        return 0.0
    return max(
        0.0 if reference == origin else examine(origin, reference, hypothesis, granularity, options).score
        for reference in references
    )


def excise(sample: Sample, granularity: Granularity = TOKEN, options: Conventions = DEFAULT) -> Excision:
    """Return the highest score over the references, with its regions. Raises TooLargeError as `excision` does."""
    origin, references, hypothesis = _split(sample, granularity)
    results = (examine(origin, reference, hypothesis, granularity, options) for reference in references)
    return max(results, key=lambda result: result.score)


def examine(
    origin: Tokens,
    reference: Tokens,
    hypothesis: Tokens,
    granularity: Granularity = TOKEN,
    options: Conventions = DEFAULT,
) -> Excision:
    """Return the score of one reference, the documents being split already. Raises TooLargeError as `excision` does."""
    coded_origin, coded_reference, coded_hypothesis = intern(origin, reference, hypothesis)
    conserved = conserve(coded_origin, coded_reference, coded_hypothesis, mode=options.mode)
    triples = tuple(
        TokenRegion(
            tuple(granularity.grams(origin[place.origin])),
            tuple(granularity.grams(reference[place.reference])),
            tuple(granularity.grams(hypothesis[place.hypothesis])),
        )
        for place in regions(conserved, (len(origin), len(reference), len(hypothesis)))
    )
    cells = _cells(triples, across=options.across)
    components = combine(cells, options.empty, options.deletion)
    score = components.score
    if coded_hypothesis == coded_reference:
        score = 1.0
    elif coded_origin in (coded_reference, coded_hypothesis):
        score = 0.0
    return Excision(score, components, cells, triples)


def _split(sample: Sample, granularity: Granularity) -> tuple[Tokens, list[Tokens], Tokens]:
    before = granularity.split(sample.preamble, None) if sample.preamble else ()

    def split(text: str) -> Tokens:
        units = granularity.split(text, sample.language)
        return (*before, *units) if before else units

    return split(sample.origin), [split(text) for text in sample.references], split(sample.hypothesis)


def _cells(triples: Sequence[TokenRegion], *, across: bool) -> Cells:
    size = len(triples)
    rows = [region.origin for region in triples]
    rows += [region.reference for region in triples]
    rows += [region.hypothesis for region in triples]
    pieces = intern(*rows)
    origin, reference, hypothesis = pieces[:size], pieces[size : 2 * size], pieces[2 * size :]
    if across:
        origin, reference, hypothesis = ("".join(origin),), ("".join(reference),), ("".join(hypothesis),)
    return tally(count(origin), count(reference), count(hypothesis))
