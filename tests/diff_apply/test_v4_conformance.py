"""`v4` on the recorded cases: it applies what is plain, refuses what is broken, differs from `v3` for known reasons."""

import json
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import DiffError
from tests.diff_apply.disagreements import AGREED, FORMS, MEANINGS, classes
from tests.vectors import files, rows

pytestmark = pytest.mark.conformance

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/v4_against_v3.json").read_text())

MARKS = {
    "start": re.compile(r"(-{3,}|<{3,}) SEARCH>?"),
    "separator": re.compile(r"={3,}"),
    "end": re.compile(r"(\+{3,}|>{3,}) REPLACE>?"),
}


def all_cases() -> list[dict[str, Any]]:
    return [case for form in FORMS for path in files("cline", form) for case in rows(path)]


def parse(diff: str) -> list[tuple[list[str], list[str]]] | str:
    """The blocks of a diff, or "unclosed", or "irregular": an own small reading, line by line."""
    blocks, inside, irregular = list[tuple[list[str], list[str]]](), "", False
    search, replacement = list[str](), list[str]()
    for line in diff.split("\n"):
        mark = next((name for name, pattern in MARKS.items() if pattern.fullmatch(line)), "")
        if mark == "start":
            if inside:
                return "unclosed"
            inside, search, replacement = "search", [], []
        elif mark:
            irregular |= inside != {"separator": "search", "end": "replacement"}[mark]
            if mark == "end" and inside == "replacement":
                blocks.append((search, replacement))
            inside = "replacement" if mark == "separator" and inside else ""
        elif inside:
            (search if inside == "search" else replacement).append(line)
    if inside:
        return "unclosed"
    return "irregular" if irregular or not blocks else blocks


def verdict(original: str, diff: str) -> tuple[str, str]:
    """("applied", text) if each SEARCH stands exactly once as whole lines, ("refused", why), or ("open", "")."""
    blocks = parse(diff)
    if isinstance(blocks, str):
        return ("refused", blocks) if blocks == "unclosed" else ("open", "")
    lines = original.removesuffix("\n").split("\n")
    spans = list[tuple[int, int, list[str]]]()
    for search, replacement in blocks:
        starts = [at for at in range(len(lines)) if search and lines[at : at + len(search)] == search]
        if not original or len(starts) != 1:
            return "open", ""
        spans.append((starts[0], starts[0] + len(search), replacement))
    spans.sort(key=lambda span: span[0])
    if any(following[0] < span[1] for span, following in pairwise(spans)):
        return "refused", "overlap"
    for start, end, replacement in reversed(spans):
        lines[start:end] = replacement
    return "applied", "\n".join(lines) + ("\n" if lines and original.endswith("\n") else "")


def test_what_fits_exactly_once_is_applied_and_what_is_unclosed_or_overlaps_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    expected, wrong = Counter[str](), list[str]()

    for case in all_cases():
        fate, what = verdict(case["original"], case["diff"])
        expected[what if fate == "refused" else fate] += 1
        try:
            given = ("applied", DIFF_ALGORITHMS["v4"](case["original"], case["diff"]).text)
        except DiffError:
            given = ("refused", what)
        if fate != "open" and given != (fate, what):
            wrong.append(case["id"])

    with capsys.disabled():
        sys.stdout.write(f"\nv4: {expected.total() - len(wrong)} of {expected.total()} as expected, {dict(expected)}\n")
    assert expected["applied"]
    assert expected["unclosed"]
    assert expected["overlap"]
    assert not wrong


def test_each_disagreement_with_v3_is_of_a_known_class(capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counter(classes().values())

    with capsys.disabled():
        sys.stdout.write(f"\nv4 and v3 agree on {counts[AGREED]} of {counts.total()}; else {dict(counts)}\n")
    assert set(counts) - {AGREED} <= set(MEANINGS)


def test_the_recorded_disagreements_are_those_of_the_golden_file() -> None:
    found = classes()
    known = {name: kind for name, kind in GOLDEN["cases"].items() if name in found}

    assert {name: found[name] for name in known} == known
    if len(found) == GOLDEN["read"] and len(known) == len(GOLDEN["cases"]):
        assert {name for name, kind in found.items() if kind != AGREED} == set(known)


def test_the_golden_file_counts_and_explains_its_classes() -> None:
    assert {kind: group["cases"] for kind, group in GOLDEN["classes"].items()} == Counter(GOLDEN["cases"].values())
    assert {kind: group["meaning"] for kind, group in GOLDEN["classes"].items()}.items() <= MEANINGS.items()
