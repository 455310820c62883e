"""The servers of a model that has several: how many calls fail, attempts are valid and right, and whether these differ.

Each server is tested against the others together, by Fisher's exact test. The p-values of a run are adjusted by Holm's
procedure over all of its tests.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from runner.document import Table
from runner.report.classes import RIGHT, UNDECIDED
from runner.stats.fisher import Share, fisher_p
from runner.stats.multiplicity import holm
from runner.storage.runs import variant_rows
from runner.storage.store import Row, Store
from suts.replicated import REPLICAS

_LEVEL = 0.05
# Calls whose end is not known are no failures of a server.
_CALLS = """
SELECT l.sut, c.replica, count(*) AS calls, sum(c.outcome = 'failed') AS failed
FROM calls c JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id)
WHERE l.run_id = ? AND c.replica IS NOT NULL AND c.outcome IN ('answered', 'failed')
GROUP BY l.sut, c.replica"""
# An answer counts once, as the first parser and algorithm of its prompt read it.
_ATTEMPTS = """
SELECT l.sut, c.replica, s.valid, k.class, count(*) AS n
FROM scorings s JOIN classes k USING (scoring_id) JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id)
JOIN calls c ON c.answer_id = a.answer_id AND c.outcome = 'answered'
JOIN (SELECT sut, prompt, parser, diff_algorithm, min(position) FROM variants WHERE run_id = ?1 GROUP BY sut, prompt) v
    ON v.sut = l.sut AND v.prompt = l.prompt AND v.parser = s.parser AND v.diff_algorithm = s.diff_algorithm
WHERE s.run_id = ?1 AND c.replica IS NOT NULL AND k.class != 'infrastructure'
GROUP BY l.sut, c.replica, s.valid, k.class"""


@dataclass(frozen=True, slots=True)
class ReplicaRate:
    """How many of how many at server server; `p` is that of a difference from the other servers, adjusted."""

    count: int
    total: int
    p: float | None = None

    @property
    def share(self) -> Share:
        """The counts."""
        return Share(self.count, self.total)


@dataclass(frozen=True, slots=True)
class ReplicaFigures:
    """One server of a model, by host and port.

    `failed` is of the calls that it was sent, `valid` of the attempts that it answered, `right` of those that are valid
    and that something decides.
    """

    sut: str
    replica: str
    failed: ReplicaRate
    valid: ReplicaRate
    right: ReplicaRate


_RATES = ("failed", "valid", "right")


def replicas_of_run(store: Store, run: Row) -> tuple[ReplicaFigures, ...]:
    """Return the figures of each server of the models of a run that are at several; nothing for any other run."""
    if all(variant["endpoint"] != REPLICAS for variant in variant_rows(store, run["run_id"])):
        return ()
    counts = _attempts(store, run["run_id"])
    figures = [
        ReplicaFigures(
            row["sut"],
            row["replica"],
            ReplicaRate(row["failed"], row["calls"]),
            *counts.get((row["sut"], row["replica"]), (ReplicaRate(0, 0), ReplicaRate(0, 0))),
        )
        for row in store.rows(_CALLS, run["replay_of"] or run["run_id"])
    ]
    return _tested([server for server in figures if _others(server, figures)])


def _attempts(store: Store, run_id: str) -> dict[tuple[str, str], tuple[ReplicaRate, ReplicaRate]]:
    """Return by model and server how many attempts are valid, and how many of these are right."""
    counts: dict[tuple[str, str], tuple[ReplicaRate, ReplicaRate]] = {}
    for row in store.rows(_ATTEMPTS, run_id):
        valid, right = counts.get((row["sut"], row["replica"]), (ReplicaRate(0, 0), ReplicaRate(0, 0)))
        n, is_valid, decided = row["n"], bool(row["valid"]), row["class"] not in UNDECIDED
        valid = ReplicaRate(valid.count + n * is_valid, valid.total + n)
        if is_valid and decided:
            right = ReplicaRate(right.count + n * (row["class"] in RIGHT), right.total + n)
        counts[row["sut"], row["replica"]] = valid, right
    return counts


def _others(server: ReplicaFigures, figures: Sequence[ReplicaFigures]) -> list[ReplicaFigures]:
    return [other for other in figures if other.sut == server.sut and other.replica != server.replica]


# A model, a rate, and the servers on server side of a test.
_Test = tuple[str, str, frozenset[str]]


def _tested(figures: Sequence[ReplicaFigures]) -> tuple[ReplicaFigures, ...]:
    """Return the figures with p-values; the two tests of two servers are the same."""
    tests: dict[_Test, float] = {}
    for server in figures:
        for name in _RATES:
            rest = _together([getattr(other, name) for other in _others(server, figures)])
            rate: ReplicaRate = getattr(server, name)
            if rate.total and rest.total:
                tests.setdefault(_test(server, name, figures), fisher_p(rate.share, rest))
    adjusted = dict(zip(tests, holm(list(tests.values())), strict=True))
    return tuple(
        replace(
            server,
            **{name: replace(getattr(server, name), p=adjusted.get(_test(server, name, figures))) for name in _RATES},
        )
        for server in figures
    )


def _test(server: ReplicaFigures, name: str, figures: Sequence[ReplicaFigures]) -> _Test:
    others = _others(server, figures)
    return server.sut, name, frozenset({server.replica, *(other.replica for other in others if len(others) == 1)})


def _together(rates: Sequence[ReplicaRate]) -> Share:
    return Share(sum(rate.count for rate in rates), sum(rate.total for rate in rates))


def replica_table(figures: Sequence[ReplicaFigures]) -> Table:
    """Return the figures as words."""
    columns = ("model", "server", *(word for name in _RATES for word in (name, "p")))
    rows = tuple(
        (server.sut, server.replica, *(word for name in _RATES for word in _words(getattr(server, name))))
        for server in figures
    )
    return Table("servers: each against the others, by Fisher's exact test", columns, rows, ("server", "failed"))


def _words(rate: ReplicaRate) -> tuple[str, str]:
    return _share_words(rate.share), "-" if rate.p is None else _p_words(rate.p)


def _share_words(share: Share) -> str:
    return f"{100 * share.count / share.total:.1f} % of {share.total:,}" if share.total else "-"


def _p_words(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


_SAYS = {"failed": "fail calls", "valid": "give valid attempts", "right": "give right edits"}


def replica_notes(figures: Sequence[ReplicaFigures]) -> Iterator[str]:
    """Yield a line for each rate in which the servers of a model differ, with the server that is farthest off."""
    for sut in dict.fromkeys(server.sut for server in figures):
        for name in _RATES:
            tested = [server for server in figures if server.sut == sut and getattr(server, name).p is not None]
            if tested:
                farthest = min(tested, key=lambda server: float(getattr(server, name).p))
                yield from _note(farthest, name, figures)


def _note(server: ReplicaFigures, name: str, figures: Sequence[ReplicaFigures]) -> Iterator[str]:
    rate: ReplicaRate = getattr(server, name)
    if rate.p is not None and rate.p <= _LEVEL:
        rest = _together([getattr(other, name) for other in _others(server, figures)])
        yield (
            f"the servers of {server.sut} do not {_SAYS[name]} equally often (p {_p_words(rate.p)}):"
            f" {server.replica} {_share_words(rate.share)}, other servers {_share_words(rest)}"
        )
