"""A selftest as a table: each check, what was planted, what was found; what does not hold comes first."""

from statistics import quantiles

from runner.document import Document, Table
from runner.report.tables import SIMULATED
from runner.selftest import Proof


def document(proof: Proof) -> Document:
    """The table of a proof, and a note on the event loop of the client."""
    rows = tuple(
        ("ok" if one.ok else "WRONG", one.name, one.sut or "all", one.planted, one.found)
        for one in sorted(proof.checks, key=lambda one: one.ok)
    )
    table = Table("what was planted, and what was found", ("", "check", "model", "planted", "found"), rows)
    holding = sum(one.ok for one in proof.checks)
    verdict = f"{holding} of {len(rows)} checks hold"
    return Document("selftest", (table,), (_lateness(proof.late_ms), SIMULATED, verdict))


def _lateness(late_ms: tuple[float, ...]) -> str:
    cuts = quantiles(late_ms, n=100) if len(late_ms) > 1 else [0.0] * 99
    return (
        f"event loop, a tick every 10 ms: late by {cuts[49]:.1f} ms (median), {cuts[94]:.1f} ms (p95),"
        f" {max(late_ms, default=0):.1f} ms (worst of {len(late_ms)})"
    )
