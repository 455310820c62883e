"""What the infrastructure did to a run: questions without an answer, by model and kind."""

from dataclasses import dataclass

from runner.storage.store import Row, Store

_TROUBLE = """
SELECT sut, outcome, error_kind, sum(n) AS n FROM answer_tallies
WHERE run_id = ? AND outcome NOT IN ('answered', 'in_flight') GROUP BY sut, outcome, error_kind HAVING sum(n) > 0
ORDER BY n DESC LIMIT 40"""
_EXAMPLE = """
SELECT a.error_text FROM lanes l JOIN answers a USING (lane_id)
WHERE l.run_id = ? AND l.sut = ? AND a.outcome = ? AND coalesce(a.error_kind, '') = ? LIMIT 1"""


@dataclass(frozen=True, slots=True)
class TroubleRow:
    """What the infrastructure did to one model: how often, and one example."""

    model: str
    outcome: str
    kind: str
    count: int
    example: str


def trouble_of(store: Store, run: Row) -> tuple[TroubleRow, ...]:
    """Return what happened to the questions of a run, the most frequent first, with one example each."""
    run_id = run["replay_of"] or run["run_id"]
    rows = []
    for row in store.rows(_TROUBLE, run_id):
        example = store.rows(_EXAMPLE, run_id, row["sut"], row["outcome"], row["error_kind"])
        text = (example[0]["error_text"] if example else None) or ""
        rows.append(TroubleRow(row["sut"], row["outcome"], row["error_kind"], row["n"], text.strip()[-300:]))
    return tuple(rows)
