"""The two ledgers held together: what the server did, and what the database says was asked, answered and paid."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Log = Sequence[Mapping[str, Any]]

_CENT = 0.01
_REPEATED = """
SELECT l.sut, l.case_id, a.number, count(*) AS answers FROM answers a JOIN lanes l USING (lane_id)
WHERE a.outcome IN ('answered', 'crashed') GROUP BY a.lane_id, a.step, a.mode, a.number HAVING count(*) > 1"""
_UNSCORED = """
SELECT count(*) FROM answers WHERE outcome = 'answered' AND answer_id NOT IN (SELECT answer_id FROM scorings)"""
_PAID = """
SELECT l.sut, l.case_id, coalesce(a.provider_cost_usd, a.list_cost_usd) FROM answers a JOIN lanes l USING (lane_id)
WHERE a.outcome IN ('answered', 'crashed')"""


@dataclass(frozen=True, slots=True)
class Ledgers:
    """The figures of one round: requests and USD by the server, calls and USD by the database."""

    requests: int
    calls: int
    whole: int
    answers: int
    server_usd: float
    at_most_usd: float

    def describe(self) -> str:
        """Return the figures in one line."""
        return (
            f"server: {self.requests} requests, {self.whole} whole answers, ${self.server_usd:.4f};"
            f" ledger: {self.calls} calls, {self.answers} answers, at most ${self.at_most_usd:.4f}"
        )


def ledgers(db: Path, log: Log, at_most_usd: float) -> Ledgers:
    """Return the figures of both sides."""
    with closing(sqlite3.connect(db)) as connection:
        calls = connection.execute("SELECT count(*) FROM calls").fetchone()[0]
        answers = connection.execute("SELECT count(*) FROM answers WHERE outcome IN ('answered', 'crashed')").fetchone()
    return Ledgers(
        requests=len(log),
        calls=calls,
        whole=sum(entry["whole"] for entry in log),
        answers=answers[0],
        server_usd=sum(entry["usage"]["cost_usd"] for entry in log if entry["usage"]),
        at_most_usd=at_most_usd,
    )


def violations(db: Path, log: Log, both: Ledgers, under_way: int) -> Iterator[str]:
    """Yield what does not hold; `under_way` is the number of calls that were in flight at kills."""
    with closing(sqlite3.connect(db)) as connection:
        for sut, case, number, count in connection.execute(_REPEATED):
            yield f"{sut} at {case} number {number} has {count} answers"
        if unscored := connection.execute(_UNSCORED).fetchone()[0]:
            yield f"{unscored} answers have no scoring"
        paid = [tuple(row) for row in connection.execute(_PAID)]
    if both.requests > both.calls:
        yield f"the server saw {both.requests} requests, the database has {both.calls} calls"
    if both.whole - both.answers > under_way:
        yield f"{both.whole - both.answers} whole answers are not stored, {under_way} calls were in flight at kills"
    if both.server_usd > both.at_most_usd + 1e-9:
        yield f"the server counts ${both.server_usd:.6f}, the ledger at most ${both.at_most_usd:.6f}"
    yield from _unpaid(paid, log)


def _unpaid(paid: Sequence[tuple[Any, ...]], log: Log) -> Iterator[str]:
    """Yield models whose stored answers do not cost what the server says of whole answers at the same cases."""
    served = Counter(
        (entry["model"], entry["case_id"], round(entry["usage"]["cost_usd"], 9)) for entry in log if entry["whole"]
    )
    stored = Counter((sut.partition("/")[2], case, round(usd, 9)) for sut, case, usd in paid)
    missing = stored - served
    for model in sorted({model for model, _, _ in missing}):
        off_usd = sum(usd * count for (name, _, usd), count in missing.items() if name == model)
        count = sum(count for (name, _, _), count in missing.items() if name == model)
        if off_usd >= _CENT / 2:
            yield f"{model}: {count} stored answers, ${off_usd:.4f}, cost what no whole answer of the server does"
