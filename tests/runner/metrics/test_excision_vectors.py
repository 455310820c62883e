"""Every recorded field of the Excision Score and of the SARI dialects, but the length of the exact three-way LCS."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runner.metrics.alignment import conserve, intern, regions
from runner.metrics.excision import LINE, PLAIN_TOKEN, TOKEN, Conventions, Granularity, examine, excision_score
from runner.metrics.ngrams import Empty
from runner.metrics.sample import Sample
from runner.metrics.sari import BY_TYPES, HF, XU, sari, sari_by_types
from runner.metrics.tokens import leaves, lines
from tests.vectors import files

pytestmark = pytest.mark.conformance

Row = dict[str, Any]
Field = Callable[[Row], object]


def _conserved(row: Row) -> list[list[int]]:
    columns = conserve(*intern(row["O"], row["A"], row["B"]))
    return [list(c) for c in zip(columns.origin, columns.reference, columns.hypothesis, strict=True)]


def _regions(row: Row) -> list[list[list[str]]]:
    documents = row["O"], row["A"], row["B"]
    columns = conserve(*intern(*documents))
    lengths = len(row["O"]), len(row["A"]), len(row["B"])
    return [[row["O"][at.origin], row["A"][at.reference], row["B"][at.hypothesis]] for at in regions(columns, lengths)]


def _es(options: Conventions) -> Field:
    return lambda row: examine(row["O"], row["A"], row["B"], options=options).score


def _es_of_code(granularity: Granularity, options: Conventions) -> Field:
    return lambda row: excision_score(Sample(row["O"], (row["A"],), row["B"], row["lang"]), granularity, options)


def _plain(row: Row, document: str) -> list[str]:
    return list(leaves(row[document], row["lang"], "never"))


def _sari_of_code(row: Row, empty: Empty) -> float:
    return sari(_plain(row, "O"), [_plain(row, "A")], _plain(row, "B"), empty).score


OF_TOKENS: dict[str, Field] = {
    "conserved": _conserved,
    "regions": _regions,
    "conserved_anchor_len": lambda row: len(conserve(*intern(row["O"], row["A"], row["B"]), mode="anchor")),
    "es": _es(Conventions()),
    "es_f1": _es(Conventions(deletion="f1")),
    "es_anchor": _es(Conventions(mode="anchor")),
    "es_zero": _es(Conventions(empty="zero")),
    "es_one": _es(Conventions(empty="one")),
    "es_match": _es(Conventions(empty="match")),
    "es_cross": _es(Conventions(across=True)),
    "sari": lambda row: sari(row["O"], [row["A"]], row["B"]).score,
    "sari_zero": lambda row: sari(row["O"], [row["A"]], row["B"], "zero").score,
    "sari_one": lambda row: sari(row["O"], [row["A"]], row["B"], "one").score,
    "sari_xu": lambda row: sari_by_types(row["O"], [row["A"]], row["B"], BY_TYPES),
}
OF_CODE: dict[str, Field] = {
    "n_tokens": lambda row: [len(_plain(row, document)) for document in "OAB"],
    "tokens_A": lambda row: _plain(row, "A"),
    "layout_tokens_A": lambda row: list(leaves(row["A"], row["lang"])),
    "lines_A": lambda row: list(lines(row["A"], row["lang"])),
    "es_line": _es_of_code(LINE, Conventions()),
    "es_line_f1": _es_of_code(LINE, Conventions(deletion="f1")),
    "es_token": _es_of_code(PLAIN_TOKEN, Conventions()),
    "es_token_zero": _es_of_code(PLAIN_TOKEN, Conventions(empty="zero")),
    "es_token_layout": _es_of_code(TOKEN, Conventions()),
    "es_token_layout_f1": _es_of_code(TOKEN, Conventions(deletion="f1")),
    "sari": lambda row: _sari_of_code(row, "skip"),
    "sari_zero": lambda row: _sari_of_code(row, "zero"),
}
OF_DIALECTS: dict[str, Field] = {
    "xu": lambda row: sari_by_types(row["O"], row["refs"], row["B"], XU),
    "hf": lambda row: sari_by_types(row["O"], row["refs"], row["B"], HF),
    "easse": lambda row: sari(row["O"], row["refs"], row["B"], "zero").score,
}
NOT_COMPARED = {"id", "kind", "note", "lang", "O", "A", "B", "refs", "tests_passed", "conserved_exact_len"}


def test_every_recorded_field_is_reproduced(capsys: pytest.CaptureFixture[str]) -> None:
    compared = [(name, agrees) for row in _rows() for name, agrees in _compare(row)]
    wrong = [name for name, agrees in compared if not agrees]

    with capsys.disabled():
        sys.stdout.write(f"\nexcision vectors: {len(compared) - len(wrong)} of {len(compared)} fields agree\n")
    assert not wrong
    assert compared


def test_no_recorded_field_is_left_out() -> None:
    for row in _rows():
        assert set(row) - NOT_COMPARED <= set(_fields_of(row))


def _rows() -> Iterator[Row]:
    for path in files("excision", "vectors*.json"):
        yield from _read(path)


def _read(path: Path) -> list[Row]:
    content = json.loads(path.read_text(encoding="utf-8"))
    rows: list[Row] = content["cases"] if isinstance(content, dict) else content
    return rows


def _fields_of(row: Row) -> dict[str, Field]:
    return {"tokens": OF_TOKENS, "code": OF_CODE}.get(row.get("kind", ""), OF_DIALECTS)


def _compare(row: Row) -> Iterator[tuple[str, bool]]:
    for name, compute in _fields_of(row).items():
        if name in row:
            found, expected = compute(row), row[name]
            if isinstance(expected, float):
                found = pytest.approx(found, abs=1e-9)
            yield f"{row.get('id', 'dialects')}.{name}", expected == found
