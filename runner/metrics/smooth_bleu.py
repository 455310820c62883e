"""Smoothed BLEU-4 of code, as CodeXGLUE and CodeT5 score it and Historian after them: 0 to 100.

Case, blanks, line breaks and indentation do not count. Short texts score high: `x=1` against `y=2` is 48.5.
"""

import re
import sys
from collections import Counter
from collections.abc import Sequence
from math import exp, log

_TOKEN = re.compile(r"[^\W_]+|_|[^\s\w]")
_TINY = sys.float_info.min
_ORDERS = 4


def tokenize(text: str) -> list[str]:
    """Runs of letters and digits, and every other visible character by itself; lower-cased."""
    return _TOKEN.findall(text.lower())


def smooth_bleu(candidate: str, reference: str) -> float:
    """BLEU-4 of one text against one reference, add-one smoothing for all orders but the first.

    The brevity penalty compares lengths plus one. Two texts without tokens score 100 (a deletion that is right).
    """
    tokens, reference_tokens = tokenize(candidate), tokenize(reference)
    total = 0.0
    for order in range(1, _ORDERS + 1):
        counts = _ngrams(tokens, order)
        matched = (counts & _ngrams(reference_tokens, order)).total() + (order > 1)
        total += log(matched + _TINY) - log(counts.total() + (order > 1) + _TINY)
    brevity = min(0.0, 1 - (len(reference_tokens) + 1) / (len(tokens) + 1))
    return 100 * exp(total / _ORDERS + brevity)


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[start : start + order]) for start in range(len(tokens) - order + 1))
