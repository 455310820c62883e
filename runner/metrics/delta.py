"""delta-chrF: chrF of what two edits did to a text's character n-grams, as Zed scores its edit predictions."""

from collections import Counter
from itertools import starmap

from runner.metrics.alignment import shared_ends
from runner.metrics.ngrams import count, overlap, together
from runner.metrics.sample import Sample

ORDERS = 6
# The square of beta = 2: recall counts twice as much as precision.
RECALL_WEIGHT = 4.0


def delta_chrf(sample: Sample) -> float:
    """F of the n-gram count changes of the two edits, 0 to 1; blanks are ignored.

    For an order n and an n-gram g, let r(g) = count in the reference - count in the origin, and h(g) the same for
    the hypothesis. With r+ = max(r, 0) and r- = max(-r, 0):

        TP_n = sum over g of min(r+, h+) + min(r-, h-)
        P_n  = TP_n / sum |h|,  R_n = TP_n / sum |r|;  0/0 = 1 where both sums are 0, else 0
        P, R = means over n = 1..6;  score = (1 + b^2) P R / (b^2 P + R), b = 2

    It needs no alignment; what all three texts begin or end with does not matter but for the few n-grams that
    straddle its border.
    """
    origin, hypothesis = _visible(sample, sample.origin), _visible(sample, sample.hypothesis)
    references = (_visible(sample, reference) for reference in sample.references)
    return max(_score(origin, reference, hypothesis) for reference in references)


def _visible(sample: Sample, text: str) -> str:
    return "".join((sample.preamble + text).split())


def _score(origin: str, reference: str, hypothesis: str) -> float:
    head, tail = shared_ends(origin, reference, hypothesis)
    # N-grams within the shared ends are in all three as often: only those that reach into the middle change.
    start, stop = max(0, head - ORDERS + 1), max(0, tail - ORDERS + 1)
    counts = (count([text[start : len(text) - stop]], ORDERS) for text in (origin, reference, hypothesis))
    ratios = list(starmap(_ratios, together(*counts)))
    precision = sum(ratio[0] for ratio in ratios) / ORDERS
    recall = sum(ratio[1] for ratio in ratios) / ORDERS
    if not precision + recall:
        return 0.0
    return (1 + RECALL_WEIGHT) * precision * recall / (RECALL_WEIGHT * precision + recall)


def _ratios(origin: Counter[str], reference: Counter[str], hypothesis: Counter[str]) -> tuple[float, float]:
    """Return precision and recall of one order.

    As min(x, y) + max(x, y) = x + y, all sums follow from totals o, r, h and overlaps o.r, o.h, r.h, o.r.h:
    sum |r - o| = r + o - 2 o.r, sum min(r+, h+) = r.h - o.r.h, sum min(r-, h-) = o - o.r - o.h + o.r.h.
    """
    unchanged, unmoved = overlap(origin, reference), overlap(origin, hypothesis)
    total = origin.total()
    good = overlap(reference, hypothesis) + total - unchanged - unmoved
    requested, done = reference.total() + total - 2 * unchanged, hypothesis.total() + total - 2 * unmoved
    nothing = float(requested == done == 0)
    return good / done if done else nothing, good / requested if requested else nothing
