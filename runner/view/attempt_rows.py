"""The attempts that a filter chooses, in one order: by case, model and prompt, then as they were asked.

Counts say how many attempts each lane has, so that a page of a long list reads the lanes on it alone.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from runner.storage.store import Row, Store
from runner.view.filters import ViewFilter

_LANES = """
SELECT t.lane_id, l.case_id, l.sut, l.prompt, sum(t.n) AS n FROM scoring_tallies t JOIN lanes l USING (lane_id)
JOIN cases k ON k.run_id = l.run_id AND k.case_id = l.case_id
WHERE t.run_id = ? AND {condition} GROUP BY t.lane_id HAVING sum(t.n) > 0
ORDER BY l.case_id, l.sut, l.prompt"""
_READ_AT_ONCE = 100
# Scorings with the columns that counts have, so that one condition is for both.
_ROWS = """
SELECT t.*, l.sut, l.prompt, l.case_id, k.language FROM (
    SELECT s.scoring_id, s.run_id, s.answer_id, s.parser, s.diff_algorithm, s.outcome, c.class, s.num_edits,
        min(coalesce(s.num_edits, 0), 3) AS edits, s.equals_expected, s.error_text, s.parsed_calls, s.blocks,
        s.edited_id, s.valid, a.lane_id, a.step, a.mode, a.number, a.try, a.first_token_ms, a.first_edit_ms,
        a.first_line_ms, a.closed_ms, a.output_tokens, a.text_id
    FROM answers a JOIN scorings s USING (answer_id) JOIN classes c USING (scoring_id)
    WHERE {which}) t
JOIN lanes l USING (lane_id) JOIN cases k ON k.run_id = l.run_id AND k.case_id = l.case_id"""
_ORDER = "l.case_id, l.sut, l.prompt, t.step, t.mode, t.number, t.try, t.parser, t.diff_algorithm"


# The case, the model and the prompt, by which lanes are in order.
LaneKey = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class ChosenAttempts:
    """The attempts of a run that a filter chooses, its causes aside.

    `lanes` are in the order of the list, with their `keys`; `ends` are their counts, added up.
    """

    store: Store
    run: Row
    filter: ViewFilter
    lanes: tuple[int, ...]
    keys: tuple[LaneKey, ...]
    ends: tuple[int, ...]

    @property
    def total(self) -> int:
        """How many they are."""
        return self.ends[-1] if self.ends else 0

    def between(self, start: int, end: int) -> list[Row]:
        """Return the attempts from one place of the list to before another."""
        start, end = max(0, start), min(end, self.total)
        if start >= end:
            return []
        first, last = bisect_right(self.ends, start), bisect_right(self.ends, end - 1)
        before = self.ends[first - 1] if first else 0
        return self._rows(self.lanes[first : last + 1])[start - before : end - before]

    def from_place(self, start: int, end: int) -> Iterator[tuple[int, Row]]:
        """Yield the places and the attempts between two places, read a few at a time."""
        for first in range(max(0, start), end, _READ_AT_ONCE):
            yield from enumerate(self.between(first, min(end, first + _READ_AT_ONCE)), first)

    def before(self, row: Row) -> int:
        """Return how many attempts of the list stand before an attempt, be it in the list or not."""
        key = _lane_key(row)
        at = bisect_left(self.keys, key)
        count = self.ends[at - 1] if at else 0
        if at < len(self.keys) and self.keys[at] == key:
            count += sum(_within_lane(other) < _within_lane(row) for other in self._rows([self.lanes[at]]))
        return count

    def has(self, row: Row, place: int) -> bool:
        """Return whether an attempt is in the list, where it would stand at a place."""
        return any(other["scoring_id"] == row["scoring_id"] for other in self.between(place, place + 1))

    def _rows(self, lanes: Sequence[int]) -> list[Row]:
        condition, values = self.filter.condition()
        which = f"s.run_id = ? AND a.lane_id IN ({', '.join(map(str, lanes))})"
        sql = f"{_ROWS.format(which=which)} WHERE {condition} ORDER BY {_ORDER}"
        return self.store.rows(sql, self.run["run_id"], *values)


def chosen_attempts(store: Store, run: Row, chosen: ViewFilter) -> ChosenAttempts:
    """Return the attempts of a run that a filter chooses."""
    condition, values = chosen.condition()
    rows = store.rows(_LANES.format(condition=condition), run["run_id"], *values)
    lanes, keys = tuple(row["lane_id"] for row in rows), tuple(map(_lane_key, rows))
    return ChosenAttempts(store, run, chosen, lanes, keys, tuple(accumulate(row["n"] for row in rows)))


def _lane_key(row: Row) -> LaneKey:
    return row["case_id"], row["sut"], row["prompt"]


def _within_lane(row: Row) -> tuple[int | str, ...]:
    return tuple(row[name] for name in ("step", "mode", "number", "try", "parser", "diff_algorithm"))


def scoring_row(store: Store, scoring_id: int) -> Row | None:
    """Return one attempt as lists have it; None where there is none."""
    return next(iter(store.rows(_ROWS.format(which="s.scoring_id = ?"), scoring_id)), None)


def attempts_at(store: Store, run: Row, case_id: str) -> list[Row]:
    """Return the attempts of a run at one case."""
    lanes = "SELECT lane_id FROM lanes WHERE run_id = ? AND case_id = ?"
    which = f"s.run_id = ? AND a.lane_id IN ({lanes})"
    answers_of = run["replay_of"] or run["run_id"]
    return store.rows(f"{_ROWS.format(which=which)} ORDER BY {_ORDER}", run["run_id"], answers_of, case_id)
