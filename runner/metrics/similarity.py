"""Measures that compare a revision with its reference as texts, and one that compares what was done to the origin."""

from collections.abc import Sequence

from runner.metrics.alignment import TooLargeError, align, intern, shared_ends
from runner.metrics.sample import Sample
from runner.metrics.tokens import leaves

# Pairs of characters compared in about a second, 64 at once.
LARGEST_TABLE = 2**36


def exact(sample: Sample) -> float:
    """1 where the hypothesis has the tokens of a reference, comments and blank lines left aside; else 0."""
    answer = leaves(sample.hypothesis, sample.language)
    return float(any(answer == leaves(reference, sample.language) for reference in sample.references))


def edit_distance(sample: Sample) -> float:
    """Minus the Levenshtein distance in characters, unit costs, so that higher is better: 0 is the best.

    Raises TooLargeError.
    """
    answer, references = _texts(sample)
    return float(-min(_distance(reference, answer) for reference in references))


def edit_similarity(sample: Sample) -> float:
    """NES: 1 - distance / length of the longer text; two empty texts are 1. Raises TooLargeError."""
    answer, references = _texts(sample)
    return max(1 - _distance(reference, answer) / max(len(reference), len(answer), 1) for reference in references)


def _distance(reference: str, answer: str) -> int:
    from rapidfuzz.distance import Levenshtein

    shared = sum(shared_ends(reference, reference, answer))
    if (len(reference) - shared) * (len(answer) - shared) > LARGEST_TABLE:
        raise TooLargeError(
            f"{len(reference) - shared} and {len(answer) - shared} characters between the common beginning and end: "
            f"more than {LARGEST_TABLE} pairs are not compared"
        )
    return Levenshtein.distance(reference, answer)


def bleu(sample: Sample) -> float:
    """Sentence BLEU of sacrebleu, 0 to 1: mteval 13a tokens, exponential smoothing, effective order."""
    answer, references = _texts(sample)
    return bleu_of(answer, references)


def bleu_of(answer: str, references: Sequence[str]) -> float:
    """BLEU of texts. Two empty texts are 1, which sacrebleu calls 0."""
    from sacrebleu.metrics.bleu import BLEU

    if not answer.strip():
        return float(any(not reference.strip() for reference in references))
    # The exponential of a sum of logarithms may pass 1 by an ulp.
    return min(1.0, float(BLEU(effective_order=True).sentence_score(answer, references).score) / 100)


def chrf(sample: Sample) -> float:
    """chrF2 of sacrebleu, 0 to 1: character n-grams up to 6, no words, recall counting twice."""
    from sacrebleu.metrics.chrf import CHRF

    answer, references = _texts(sample)
    if not answer.strip():
        return float(any(not reference.strip() for reference in references))
    return float(CHRF().sentence_score(answer, references).score) / 100


def diff_bleu(sample: Sample) -> float:
    """BLEU of the changed lines: the unified diff origin to hypothesis against origin to reference.

    No context lines and no headers. Where only one of the two changes nothing the score is 0, where both, 1.
    """
    answer, references = _texts(sample)
    origin = sample.preamble + sample.origin
    done = changed_lines(origin, answer)
    return max(bleu_of(done, [changed_lines(origin, reference)]) for reference in references)


def changed_lines(before: str, after: str) -> str:
    """Return the body of a unified diff without context: `-` and `+` lines, hunk by hunk. Raises TooLargeError."""
    old, new = before.split("\n"), after.split("\n")
    kept_old, kept_new = align(*intern(old, new))
    changes: list[str] = []
    at_old = at_new = 0
    for keep_old, keep_new in zip([*kept_old, len(old)], [*kept_new, len(new)], strict=True):
        changes += [f"-{line}" for line in old[at_old:keep_old]]
        changes += [f"+{line}" for line in new[at_new:keep_new]]
        at_old, at_new = keep_old + 1, keep_new + 1
    return "\n".join(changes)


def _texts(sample: Sample) -> tuple[str, list[str]]:
    return sample.preamble + sample.hypothesis, [sample.preamble + reference for reference in sample.references]
