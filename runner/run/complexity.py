"""The bounds on the work of scoring: what lies beyond them is `too_complex`, on every machine alike.

The bounds are numbers of characters, never times, so that an answer has one outcome, live and in a replay. They are
the same for every parser and algorithm. docs/performance.md states how far they are above real answers, and what
scoring costs at them.
"""

import re

from diff_apply.engine_v2 import EngineV2
from diff_apply.markers import Grammar
from diff_apply.result import DiffAlgorithm

# Characters of an answer, and of the diff in it: a million characters are more than 250,000 tokens.
LONGEST_ANSWER = 2**22
LONGEST_DIFF = 2**20
# Characters that all markers of a diff together may search or copy: 300 blocks in a file of a million characters.
MOST_SEARCHED = 2**30
# Characters that an edit may add to a file: every character is parsed, aligned and counted.
MOST_ADDED = 2**18
# Characters that a parser may copy out of an answer into its calls.
MOST_COPIED = 2**28
# Markers of a wrong length that version 2 may repair: each takes two frames of the stack.
MOST_REPAIRS = 200

# What any grammar reads as a marker.
_MARKER = re.compile(r"^(?:(?:-{3,}|<{3,}) SEARCH>?|(={3,})|(?:\+{3,}|>{3,}) REPLACE>?)\r?$", re.MULTILINE)
# A separator that follows a separator: version 1 copies the file up to its match again.
_COPYING = 16
# A call that is closed a second time, within function calls, repeats the text since it was opened.
_REPEATING = "</write_to_file>"


class TooComplexError(Exception):
    """Scoring an answer would take too much work; the message says of what."""


def check_answer(text: str) -> None:
    """Raise TooComplexError for an answer that parsers are not to read."""
    if len(text) > LONGEST_ANSWER:
        raise TooComplexError(f"the answer has {len(text):,} characters; the maximum is {LONGEST_ANSWER:,}")
    copied = text.count(_REPEATING) * len(text)
    if copied > MOST_COPIED:
        raise TooComplexError(f"its calls may repeat {copied:,} characters; the maximum is {MOST_COPIED:,}")


def check_calls(calls: int, original: str) -> None:
    """Raise TooComplexError for more calls than are to be applied to a file: each copies and compares it."""
    compared = calls * _COPYING * len(original)
    if compared > MOST_SEARCHED:
        raise TooComplexError(f"its calls compare {compared:,} characters; the maximum is {MOST_SEARCHED:,}")


def check_diff(original: str, diff: str) -> None:
    """Raise TooComplexError for a diff that algorithms are not to apply to a file."""
    if len(diff) > LONGEST_DIFF:
        raise TooComplexError(f"the diff has {len(diff):,} characters; the maximum is {LONGEST_DIFF:,}")
    searched = _searches(diff) * len(original)
    if searched > MOST_SEARCHED:
        raise TooComplexError(f"its markers search {searched:,} characters; the maximum is {MOST_SEARCHED:,}")


def check_repairs(algorithm: DiffAlgorithm, diff: str) -> None:
    """Raise TooComplexError for a diff with more markers to repair than the stack surely holds."""
    if not isinstance(algorithm, EngineV2):
        return
    repairs = _markers(algorithm.repairable, diff) - _markers(algorithm.grammar, diff)
    if repairs > MOST_REPAIRS:
        raise TooComplexError(f"{repairs:,} of its markers need a repair; the maximum is {MOST_REPAIRS:,}")


def check_result(original: str, edited: str) -> None:
    """Raise TooComplexError for an edited file that is not to be measured."""
    added = len(edited) - len(original)
    if added > MOST_ADDED:
        raise TooComplexError(f"the edit adds {added:,} characters; the maximum is {MOST_ADDED:,}")


def _markers(grammar: Grammar, diff: str) -> int:
    return sum(1 for _ in grammar.line.finditer(diff))


def _searches(diff: str) -> int:
    """Return how often an algorithm may search the file, or copy it, at most."""
    searches, after_separator = 0, False
    for marker in _MARKER.finditer(diff):
        separates = marker[1] is not None
        searches += _COPYING if separates and after_separator else 1
        after_separator = separates
    return searches
