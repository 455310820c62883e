"""Collateral damage of applied edits: lines that an edit changed and that the expected change leaves alone."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from diff_apply.changes import changes, kept
from runner.diagnosis.attempts import FileOfCase
from runner.errors import InputError
from runner.storage.runs import VariantKey, variant_key
from runner.storage.store import Row, Store

# An edit with the expected result has done no damage, and needs no look at its file.
_APPLIED = """
SELECT t.sut, t.prompt, t.parser, t.diff_algorithm, t.case_id, c.class,
    CASE c.class WHEN 'wrong' THEN s.edited_id END AS edited_id, count(*) AS n
FROM attempts t JOIN scorings s USING (scoring_id) JOIN classes c USING (scoring_id)
WHERE t.run_id = ? AND c.class IN ('right', 'wrong')
GROUP BY t.sut, t.prompt, t.parser, t.diff_algorithm, t.case_id, c.class, 7 ORDER BY t.case_id"""


@dataclass(slots=True)
class Collateral:
    """The applied edits of a variant at cases whose result is known, those with damage, and the lines of all damage."""

    edits: int = 0
    damaging: int = 0
    lines: int = 0

    @property
    def share(self) -> float | None:
        """The share of these edits that did damage; None without any edit."""
        return self.damaging / self.edits if self.edits else None

    @property
    def lines_each(self) -> float | None:
        """The mean number of lines of an edit that did damage; None without any."""
        return self.lines / self.damaging if self.damaging else None


def damaged_lines(original: str, expected: str, edited: str) -> int:
    """Return how many lines an edit removed, replaced or inserted where the expected change leaves the file alone.

    Lines end at LF, so that another line end is damage as well. What the edit left undone is none.
    """
    before, right, result = (text.split("\n") for text in (original, expected, edited))
    rows = {-1: -1, **kept(before, right), len(right): len(before)}
    damaged = 0
    for change in changes(right, result):
        damaged += sum(row in rows for row in range(change.start, change.end))
        if change.start == change.end and _is_untouched(rows, change.start):
            damaged += change.stop - change.begin
    return damaged


def _is_untouched(rows: Mapping[int, int], row: int) -> bool:
    """Return whether the expected change leaves the place before a row alone; `rows` are the lines that it keeps."""
    return row - 1 in rows and row in rows and rows[row - 1] + 1 == rows[row]


def collateral_of(store: Store, run: Row) -> dict[VariantKey, Collateral]:
    """Return the damage by variant; a case whose file is not on record counts nowhere."""
    damage: defaultdict[VariantKey, Collateral] = defaultdict(Collateral)
    file: FileOfCase | None = None
    known: dict[int, int | None] = {}
    for row in store.stream(_APPLIED, run["run_id"]):
        if file is None or file.case_id != row["case_id"]:
            file, known = FileOfCase(store, run["replay_of"] or run["run_id"], row["case_id"]), {}
        lines: int | None = 0
        if row["class"] == "wrong":
            if row["edited_id"] not in known:
                known[row["edited_id"]] = _least(file, store.text(row["edited_id"]))
            lines = known[row["edited_id"]]
        if lines is None:
            continue
        counts = damage[variant_key(row)]
        counts.edits += row["n"]
        counts.damaging += row["n"] * (lines > 0)
        counts.lines += row["n"] * lines
    return dict(damage)


def _least(file: FileOfCase, edited: str | None) -> int | None:
    """Return the damage against the acceptable result that is nearest; None where either is not on record."""
    try:
        original, expected = file.original, file.expected
    except InputError:
        return None
    if edited is None:
        return None
    return min((damaged_lines(original, right, edited) for right in expected), default=None)
