"""The published versions give what the original programs gave, final and on every recorded prefix."""

import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from diff_apply import DIFF_ALGORITHMS
from diff_apply.engine_v1 import EngineV1, Replacement
from diff_apply.result import DiffError, Method, Reason
from tests.vectors import files, rows

pytestmark = pytest.mark.conformance

ALGORITHMS = {
    f"{family}/{engine}": DIFF_ALGORITHMS[name if engine == "v1" else f"{name}/v2"]
    for family in ("06-06-25", "06-23-25", "06-25-25", "06-26-25", "core")
    for engine in ("v1", "v2")
    for name in ("v3" if family == "core" else f"diff-{family}",)
}

REASONS = {
    "no_match": Reason.NO_MATCH,
    "empty_search_nonempty_file": Reason.EMPTY_SEARCH,
    "end_marker_without_match": Reason.EXTRA_MARKER,
    "v2_incomplete_at_end": Reason.UNCLOSED,
    "v2_separator_without_search_marker": Reason.MISSING_MARKER,
    "v2_separator_without_pending_lines": Reason.MISSING_MARKER,
    "v2_end_without_separator": Reason.MISSING_MARKER,
    "v2_nothing_pending": Reason.EXTRA_MARKER,
    "v2_stray_lines_before_search": Reason.MALFORMED,
    "v2_invalid_transition": Reason.MALFORMED,
    "v2_match_before_cursor": Reason.OVERLAP,
}

METHODS = {
    "empty_new_file": Method.EMPTY_FILE,
    "exact_match": Method.EXACT,
    "line_trimmed_fallback": Method.TRIMMED,
    "block_anchor_fallback": Method.ANCHOR,
    "full_file_search": Method.EXACT_ELSEWHERE,
}


def apply(algo: str, case: dict[str, Any], diff: str, *, final: bool) -> str | Reason:
    try:
        return ALGORITHMS[algo](case["original"], diff, final=final).text
    except DiffError as error:
        return error.reason


def pairs(form: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each expected row of every file of a form, with its case; `same_as` is followed."""
    for path in files("cline", form):
        name = path.name.replace("_stream_expected", "_cases").replace("_expected", "_cases")
        cases = {case["id"]: case for case in rows(path.with_name(name))}
        outputs = dict[tuple[str, str], str]()
        for row in rows(path):
            for same, value in (("same_as", "output"), ("partial_same_as", "partial_output")):
                if same in row:
                    row[value] = outputs.get((row["id"], row[same]))
                if value in row:
                    outputs[row["id"], row["algo"]] = row[value]
            yield cases[row["id"]], row


def report(capsys: pytest.CaptureFixture[str], form: str, matched: Counter[str], missed: list[str]) -> list[str]:
    """What did not match, after how many of how many did was told; nothing read is a miss."""
    total = matched.total() + len(missed)
    with capsys.disabled():
        sys.stdout.write(f"\n{form}: {matched.total()} of {total} matched, {dict(matched)}\n")
    return missed if total else [f"{form}: no rows"]


def digest(text: str | Reason) -> str:
    return sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("form", ["apply_expected_*", "unit_expected*", "mini_expected*"])
def test_every_version_gives_the_recorded_text_or_the_recorded_refusal(
    capsys: pytest.CaptureFixture[str], form: str
) -> None:
    matched, missed = Counter[str](), list[str]()

    for case, row in pairs(form):
        given = apply(row["algo"], case, case["diff"], final=case.get("is_final", True))
        expected = row["output"] if row["ok"] else REASONS[row["error_kind"]]
        if given == expected:
            matched[row["algo"]] += 1
        else:
            missed.append(f"{row['id']} {row['algo']}")

    assert not report(capsys, form, matched, missed)


def test_what_the_original_tests_assert_holds(capsys: pytest.CaptureFixture[str]) -> None:
    matched, missed = Counter[str](), list[str]()

    for case in (case for path in files("cline", "unit_cases*") for case in rows(path)):
        for algo, asserted in case["asserted"].items():
            given = apply(algo, case, case["diff"], final=case["is_final"])
            if isinstance(given, Reason) if "throws" in asserted else given == asserted["equals"]:
                matched[algo] += 1
            else:
                missed.append(f"{case['id']} {algo}")

    assert not report(capsys, "asserted in unit_cases", matched, missed)


@pytest.mark.parametrize(
    "one_of", [pytest.param(20, id="one of twenty"), pytest.param(1, id="each", marks=pytest.mark.wide)]
)
def test_every_recorded_prefix_of_a_diff_gives_the_recorded_text(
    one_of: int, capsys: pytest.CaptureFixture[str]
) -> None:
    matched, missed = Counter[str](), list[str]()

    for case, row in pairs("apply_stream_expected_*"):
        steps = [(case["diff"][:length], False, ok, digest_) for length, ok, digest_ in row["steps"][::one_of]]
        steps.append((case["diff"], True, row["final_ok"], row["final_hash"]))
        if row["partial_ok"]:
            steps.append((case["diff"], False, True, digest(row["partial_output"])))
        else:
            steps.append((case["diff"], False, False, ""))
        if all(agrees(row["algo"], case, step) for step in steps):
            matched[row["algo"]] += 1
        else:
            missed.append(f"{row['id']} {row['algo']}")

    assert not report(capsys, "apply_stream_expected", matched, missed)


def agrees(algo: str, case: dict[str, Any], step: tuple[str, bool, bool, str]) -> bool:
    diff, final, is_ok, expected = step
    given = apply(algo, case, diff, final=final)
    return not is_ok if isinstance(given, Reason) else bool(is_ok) and digest(given) == expected


def test_the_latest_dated_version_lists_the_recorded_replacements(capsys: pytest.CaptureFixture[str]) -> None:
    matched, missed = Counter[str](), list[str]()

    for case, row in pairs("apply_expected_*"):
        if "replacements" in row:
            given = replacements(row["algo"], case["original"], case["diff"])
            expected = [(r["start"], r["end"], METHODS[r["method"]], r["similarity"]) for r in row["replacements"]]
            if given == expected:
                matched[row["algo"]] += 1
            else:
                missed.append(f"{row['id']} {row['algo']}")

    assert not report(capsys, "replacements", matched, missed)


def replacements(algo: str, original: str, diff: str) -> list[tuple[int, int, Method, float]]:
    """The places in UTF-16 units, not clamped, as the original lists them."""
    engine = ALGORITHMS[algo]
    assert isinstance(engine, EngineV1)
    _, placed = engine.replay(original, diff, final=True)
    return [in_units(original, one) for one in placed]


def in_units(original: str, replacement: Replacement) -> tuple[int, int, Method, float]:
    place = replacement.place
    assert place
    start, end = (
        len(original[:offset].encode("utf-16-le")) // 2 + max(0, offset - len(original))
        for offset in (place.start, place.end)
    )
    return start, end, place.method, -1 if place.similarity is None else place.similarity
