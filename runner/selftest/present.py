"""A selftest as a table of checks, each with its expected and its actual value; the failed ones come first."""

from statistics import quantiles

from runner.document import Document, Table
from runner.report.tables import SIMULATED
from runner.selftest import SelftestResult


def document(proof: SelftestResult) -> Document:
    """Return the table of a proof, and a note on the event loop of the client."""
    rows = tuple(
        ("ok" if check.ok else "WRONG", check.name, check.sut or "all", check.expected, check.actual)
        for check in sorted(proof.checks, key=lambda check: check.ok)
    )
    table = Table(
        "expected and actual figures",
        ("", "check", "model", "expected", "actual"),
        rows,
        ("", "check"),
        ("expected", "actual", "model"),
    )
    passed = sum(check.ok for check in proof.checks)
    verdict = f"{passed} of {len(rows)} checks hold"
    return Document("selftest", (table,), (_lateness(proof.late_ms), SIMULATED, verdict))


def _lateness(late_ms: tuple[float, ...]) -> str:
    cuts = quantiles(late_ms, n=100) if len(late_ms) > 1 else [0.0] * 99
    return (
        f"event loop, a tick every 10 ms: late by {cuts[49]:.1f} ms (median), {cuts[94]:.1f} ms (p95),"
        f" {max(late_ms, default=0):.1f} ms (worst of {len(late_ms)})"
    )
