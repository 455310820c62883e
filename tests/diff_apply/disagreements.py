"""Says by general rules why `v4` and `v3` disagree about a case; as a program it writes the golden file.

python -m tests.diff_apply.disagreements > tests/golden/v4_against_v3.json
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from diff_apply import DIFF_ALGORITHMS
from diff_apply.fences import MARKER, NEWLINE, STANDARD
from diff_apply.lines import trim
from diff_apply.result import Applied, DiffError, Method, Placed, Reason
from tests.vectors import files, rows

AGREED = "agreed"
UNCLASSIFIED = "unclassified"

START, SEPARATOR, END = (
    rf"^{mark}\r?$" for mark in ("(?:-{3,}|<{3,}) SEARCH>?", "={3,}", r"(?:\+{3,}|>{3,}) REPLACE>?")
)


# Each class and what it means: `v4` refuses, applies what `v3` refuses, or gives another text.
MEANINGS = {
    "refused_ambiguous": "the SEARCH fits several places; v3 takes the first from its cursor",
    "refused_dissimilar_middle": "v3 compares only the first and the last line",
    "refused_part_of_a_line": "v3 matches a part of a line, or joins two lines",
    "refused_unclosed": "a block has no end marker; v3 closes or drops it",
    "refused_missing_marker": "no start marker or no separator; v3 changes nothing or edits another place",
    "refused_extra_marker": "a second separator or end marker; v3 passes over it",
    "refused_leftover_marker": "a line that was meant as a marker; v3 writes it into the file or passes over it",
    "refused_overlap": "two blocks edit the same lines; v3 doubles or loses text",
    "refused_underline": "a line of another length than the separator is text; v3 cuts the SEARCH there",
    "refused_crlf_markers": "markers that end in CR make a block that fits nowhere; v3 sees no block",
    "refused_empty_search": "markers that end in CR make a block without SEARCH; v3 sees no block",
    "refused_malformed": "a REPLACE amid the file says that no newline ends it; v3 takes that for text",
    "fenced": "shorter runs between markers of more than seven characters are text; v3 takes them for markers",
    "stated_newline": "a last line states whether a newline ends the file; v3 takes it for text of the file",
    "applied_by_similarity": "similar lines are a clear match; v3 wants equal first and last lines, in order",
    "applied_crlf_markers": "markers may end in CR; v3 sees none",
    "applied_underline": "a line of another length than the separator is text; v3 ends the SEARCH there and refuses it",
    "applied_out_of_order": "trimmed lines match before the cursor too; v3 looks there for exact text only",
    "applied_to_empty_file": "a blank SEARCH fills an empty file however many blank lines it has",
    "kept_underline": "a line of another length than the separator is text; v3 swallows it",
    "whole_lines": "whole lines are matched first; v3 takes a part of a line that comes earlier",
    "kept_final_newline": "a file without final newline stays so; v3 adds one",
    "kept_line_ends": "new lines take the line ending of their place; v3 mixes them",
    "kept_indentation": "new lines are indented as their place; v3 writes them as given",
    "more_similar_place": "the most similar of several places; v3 takes the first with equal first and last lines",
    "other_place": "an exact match further down comes before a trimmed one further up",
    "reshaped": "lines that the block repeats keep the file's text; v3 writes them as given",
}


class Verdict(NamedTuple):
    original: str
    diff: str
    ours: Applied
    theirs: Applied


def classify(original: str, diff: str) -> str:
    """`agreed` where both refuse or give the same text, else the class of the disagreement."""
    ours, theirs = _outcome("v4", original, diff), _outcome("v3", original, diff)
    if isinstance(ours, DiffError):
        return AGREED if isinstance(theirs, DiffError) else _refused(original, diff, ours, theirs)
    if isinstance(theirs, DiffError):
        return _applied(diff, ours)
    return AGREED if ours.text == theirs.text else _differing(Verdict(original, diff, ours, theirs))


def _outcome(name: str, original: str, diff: str) -> Applied | DiffError:
    try:
        return DIFF_ALGORITHMS[name](original, diff)
    except DiffError as error:
        return error


def _refused(original: str, diff: str, ours: DiffError, theirs: Applied) -> str:
    """Why `v4` refuses what `v3` applies: its reason, and for a missing match what `v3` took for one."""
    if ours.reason is not Reason.NO_MATCH:
        return f"refused_{ours.reason}"
    if _has_underlines(diff):
        return "refused_underline"
    if any(_is_part_of_a_line(original, block) for block in theirs.blocks):
        return "refused_part_of_a_line"
    if _has_crlf_markers(diff):
        return "refused_crlf_markers"
    if _states_newline(diff):
        return "stated_newline"
    if any(block.method is Method.ANCHOR for block in theirs.blocks):
        return "refused_dissimilar_middle"
    return "fenced" if _is_fenced(diff) else UNCLASSIFIED


def _applied(diff: str, ours: Applied) -> str:
    """By what `v4` applies what `v3` refuses."""
    methods = {block.method for block in ours.blocks}
    if methods & {Method.ANCHOR, Method.SIMILAR}:
        return "applied_by_similarity"
    if _has_crlf_markers(diff):
        return "applied_crlf_markers"
    if _has_underlines(diff):
        return "applied_underline"
    if Method.EMPTY_FILE in methods:
        return "applied_to_empty_file"
    if _states_newline(diff):
        return "stated_newline"
    if methods & {Method.TRIMMED, Method.LINE_ENDS}:
        return "applied_out_of_order"
    return "fenced" if _is_fenced(diff) else UNCLASSIFIED


def _differing(verdict: Verdict) -> str:
    return next((name for name, holds in DIFFERENCES.items() if holds(verdict)), UNCLASSIFIED)


def _is_part_of_a_line(original: str, block: Placed) -> bool:
    """Whether a place begins or ends within a line; one that begins with the LF before a line joins two."""
    begins = block.start == 0 or original[block.start - 1] == "\n"
    return not begins or (block.end < len(original) and original[block.end - 1 : block.end] != "\n")


def _has_underlines(diff: str) -> bool:
    """Whether more lines look like separators than like start markers."""
    starts, separators = (len(re.findall(pattern, diff, re.MULTILINE)) for pattern in (START, SEPARATOR))
    return separators > starts


def _states_newline(diff: str) -> bool:
    r"""Whether a line is `\ No newline at end of file` or its contrary."""
    return any(line.removesuffix("\r") in NEWLINE for line in diff.split("\n"))


def _is_fenced(diff: str) -> bool:
    """Whether the first marker is the longest, of more than seven characters, and a shorter one follows."""
    runs = [len(match[match.lastindex or 0]) for match in MARKER.finditer(diff)]
    return bool(runs) and runs[0] == max(runs) > max(STANDARD, min(runs))


def _has_crlf_markers(diff: str) -> bool:
    """Whether a marker line ends in a CR, which is no marker for `v3`."""
    return any(re.search(f"{pattern}(?<=\r)", diff, re.MULTILINE) for pattern in (START, SEPARATOR, END))


def _keeps_a_marker(verdict: Verdict) -> bool:
    """Whether `v3` wrote a marker line that ends in a CR into the file, where none was."""
    return _has_crlf_markers(verdict.theirs.text) and not _has_crlf_markers(verdict.original)


def _edits_part_of_a_line(verdict: Verdict) -> bool:
    return any(_is_part_of_a_line(verdict.original, block) for block in verdict.theirs.blocks)


def _places(verdict: Verdict, *methods: Method) -> bool:
    return any(block.method in methods for block in verdict.ours.blocks)


def _is_elsewhere(verdict: Verdict) -> bool:
    sides = (verdict.ours, verdict.theirs)
    ours, theirs = ({(block.block, block.start, block.end) for block in side.blocks} for side in sides)
    return ours != theirs


def _equal_when(fold: Callable[[str], str]) -> Callable[[Verdict], bool]:
    return lambda verdict: fold(verdict.ours.text) == fold(verdict.theirs.text)


def _without_indentation(text: str) -> str:
    return "\n".join(trim(line) for line in text.split("\n"))


# In this order: the first that holds names the class.
DIFFERENCES: dict[str, Callable[[Verdict], bool]] = {
    "applied_crlf_markers": lambda verdict: (
        _has_crlf_markers(verdict.diff) and (_is_elsewhere(verdict) or _keeps_a_marker(verdict))
    ),
    "kept_underline": lambda verdict: _has_underlines(verdict.diff),
    "whole_lines": _edits_part_of_a_line,
    "kept_final_newline": _equal_when(lambda text: text.rstrip("\n")),
    "kept_line_ends": _equal_when(lambda text: text.replace("\r", "").rstrip("\n")),
    "kept_indentation": _equal_when(lambda text: _without_indentation(text).rstrip("\n")),
    "more_similar_place": lambda verdict: _is_elsewhere(verdict) and _places(verdict, Method.ANCHOR, Method.SIMILAR),
    "other_place": _is_elsewhere,
    "stated_newline": lambda verdict: _states_newline(verdict.diff),
    "fenced": lambda verdict: _is_fenced(verdict.diff),
    "reshaped": lambda verdict: not all(block.method is Method.EXACT for block in verdict.ours.blocks),
}


FORMS = ("apply_cases*", "unit_cases*", "mini_cases*")


def classes() -> dict[str, str]:
    """The class, or `agreed`, of each recorded case."""
    cases: list[dict[str, Any]] = [case for form in FORMS for path in files("cline", form) for case in rows(path)]
    return {case["id"]: classify(case["original"], case["diff"]) for case in cases}


def golden() -> dict[str, object]:
    """What the golden file holds: how many cases were read, each class with its meaning and number, their cases."""
    found = classes()
    by_case = {name: kind for name, kind in sorted(found.items()) if kind != AGREED}
    counts = Counter(by_case.values())
    kinds = {kind: {"meaning": MEANINGS.get(kind, "?"), "cases": count} for kind, count in sorted(counts.items())}
    return {"read": len(found), "classes": dict(kinds), "cases": by_case}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(golden(), indent=1) + "\n")
