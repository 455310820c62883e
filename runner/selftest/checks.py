"""What a selftest demands of its evidence: each check says what was planted, what was found, whether that will do."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from statistics import quantiles
from typing import TypeVar

from runner.records import Clocks
from runner.report.summary import VariantSummary
from runner.report.tables import percent
from runner.selftest.planted import Planted, planted
from runner.selftest.recorded import RecordedAnswer
from runner.selftest.trial import Evidence
from runner.stats.intervals import Interval
from suts.simulated.faults import KINDS
from suts.simulated.journal import Entry

Key = TypeVar("Key", bytes, int)

# The report sums floats; a thousandth of a cent is far below what it shows.
_USD = 1e-5
_P95_MS = 20.0


@dataclass(frozen=True, slots=True)
class Check:
    """One demand: what it is about, on which model ("" = the whole run), and how it came out."""

    name: str
    sut: str
    planted: str
    found: str
    ok: bool


def check(evidence: Evidence) -> Iterator[Check]:
    """Every check of one trial."""
    off_ms: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    by_sut = {variant.sut: variant for variant in evidence.summary.variants}
    for subject in evidence.subjects:
        known = planted(subject, evidence.plan)
        mine = [one for one in evidence.recordings if one.sut == subject.sut]
        yield from _reported(known, by_sut[subject.sut])
        yield from _recorded(known, mine)
        if subject.in_process:
            yield _exact_clocks(known, mine)
        else:
            entries = [entry for entry in evidence.log if (entry.model, entry.wire) == (subject.model, subject.wire)]
            yield _served(known, entries)
            off_ms[subject.wire].extend(_off(known, mine, entries))
    for wire, off in off_ms.items():
        yield _within("first token against the server's", wire, [first for first, _ in off])
        yield _within("round trip against the server's", wire, [whole for _, whole in off])
    if evidence.log:
        yield _requests(evidence)
        yield _faults(evidence.log)


def _reported(known: Planted, found: VariantSummary) -> Iterator[Check]:
    """What the report says of a model."""
    yield _inside("valid rate", known, known.valid_rate, found.valid_rate)
    yield _inside("success on valid", known, known.success_rate, found.success)
    yield _counts(known, found)
    yield _cost(known, found)


def _inside(name: str, known: Planted, rate: float, interval: Interval | None) -> Check:
    ok = interval is not None and interval.low <= rate <= interval.high
    return Check(name, known.subject.sut, f"{100 * rate:.1f}%", percent(interval), ok)


def _counts(known: Planted, found: VariantSummary) -> Check:
    counts = known.counts
    ok = (counts.attempts, counts.valid, counts.applied) == (found.attempts, found.valid, found.solved)
    return Check(
        "attempts, valid, applied",
        known.subject.sut,
        f"{counts.attempts}, {counts.valid}, {counts.applied}",
        f"{found.attempts}, {found.valid}, {found.solved}" + _difference(counts.outcomes, found.outcomes),
        ok and dict(counts.outcomes) == found.outcomes,
    )


def _difference(wanted: Mapping[str, int], found: Mapping[str, int]) -> str:
    names = sorted(name for name in {**wanted, **found} if wanted.get(name, 0) != found.get(name, 0))
    told = ", ".join(f"{name} {found.get(name, 0)} for {wanted.get(name, 0)}" for name in names)
    return f"; {told}" if told else ""


def _cost(known: Planted, found: VariantSummary) -> Check:
    cost = found.cost_usd
    ok = cost is not None and abs(cost - known.cost_usd) < _USD
    return Check("cost", known.subject.sut, f"${known.cost_usd:.6f}", f"${cost:.6f}" if cost is not None else "-", ok)


def _recorded(known: Planted, recordings: Iterable[RecordedAnswer]) -> Iterator[Check]:
    """What the database holds: every planted answer once, to the byte, scored once, paid for within its bound."""
    answered = [one for one in recordings if one.answered]
    wanted = Counter((one.case_id, one.stream) for one in known.answers)
    found = Counter((one.case_id, one.stream) for one in answered)
    unscored = sum(one.scorings != 1 for one in answered)
    told = f"{found.total()}, {_missing(wanted, found)}, {unscored} not scored once"
    planted_many = str(len(known.answers))
    yield Check("answers, byte for byte", known.subject.sut, planted_many, told, wanted == found and not unscored)
    same = sum(one.same for one in answered)
    yield Check(
        "streams read again",
        known.subject.sut,
        planted_many,
        f"{same} the same",
        same == len(answered) == wanted.total(),
    )
    yield _bounds(known, answered)


def _missing(wanted: Counter[tuple[str, Key]], found: Counter[tuple[str, Key]]) -> str:
    return f"{(wanted - found).total()} lost, {(found - wanted).total()} unknown or twice"


def _bounds(known: Planted, answered: list[RecordedAnswer]) -> Check:
    shares = [(one.completion.cost_usd or 0.0) / one.reserved_usd for one in answered if one.reserved_usd is not None]
    ok = len(shares) == len(known.answers) and max(shares) <= 1
    found = f"{100 * max(shares, default=0):.1f}%, {len(shares)} calls"
    return Check("dearest call, of what was set aside", known.subject.sut, "<= 100%", found, ok)


def _served(known: Planted, entries: Iterable[Entry]) -> Check:
    """The server, too, gave every planted answer whole exactly once."""
    wanted = Counter((one.case_id, one.number) for one in known.answers)
    found = Counter((entry.case_id, entry.number) for entry in entries if entry.whole)
    told = f"{found.total()}, {_missing(wanted, found)}"
    return Check("answers in the server's log", known.subject.sut, str(len(known.answers)), told, wanted == found)


def _exact_clocks(known: Planted, recordings: Iterable[RecordedAnswer]) -> Check:
    """In virtual time nothing is late: every clock is the planned one, to the microsecond."""
    wanted = {(one.case_id, one.stream): one.clocks for one in known.answers}
    exact = sum(
        replace(one.completion.clocks, first_line_ms=None) == wanted.get((one.case_id, one.stream))
        for one in recordings
        if one.answered
    )
    count = len(known.answers)
    return Check("clocks in virtual time", known.subject.sut, str(count), f"{exact} exact", exact == count)


def _off(
    known: Planted, recordings: Iterable[RecordedAnswer], entries: Iterable[Entry]
) -> Iterator[tuple[float, float]]:
    """Per answer, by how many ms the client's first token and round trip differ from the server's log."""
    numbers = {(one.case_id, one.stream): one.number for one in known.answers}
    logged = {(entry.case_id, entry.number): entry for entry in entries if entry.whole}
    for one in recordings:
        entry = logged.get((one.case_id, numbers.get((one.case_id, one.stream), 0)))
        if entry is not None and entry.first_byte_ns is not None and entry.ended_ns is not None:
            clocks: Clocks = one.completion.clocks
            yield (
                _apart(clocks.first_token_ms, entry.first_byte_ns - entry.arrived_ns),
                _apart(clocks.round_trip_ms, entry.ended_ns - entry.arrived_ns),
            )


def _apart(clock_ms: float | None, logged_ns: int) -> float:
    return math.inf if clock_ms is None else abs(clock_ms - logged_ns / 1e6)


def _within(name: str, wire: str, off_ms: list[float]) -> Check:
    p95 = quantiles(off_ms, n=20)[-1] if len(off_ms) > 1 else math.inf
    told = f"{p95:.1f} ms at p95 of {len(off_ms)}"
    return Check(name, f"all over {wire}", f"<= {_P95_MS:.0f} ms off", told, p95 <= _P95_MS)


def _requests(evidence: Evidence) -> Check:
    """The server saw as many requests as the database tells of."""
    calls = sum(one.calls for one in evidence.recordings)
    return Check("requests, each accounted for", "", str(len(evidence.log)), str(calls), calls == len(evidence.log))


def _faults(log: Iterable[Entry]) -> Check:
    struck = Counter(entry.fault for entry in log if entry.fault)
    told = ", ".join(f"{kind} {struck[kind]}" for kind in KINDS)
    return Check("faults on the way", "", "every kind", told, all(struck[kind] for kind in KINDS))
