"""The checks of a selftest's evidence: each has an expected value, an actual value, and whether they agree."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import quantiles
from typing import TypeVar

from runner.records import Clocks
from runner.report.summary import VariantSummary
from runner.report.tables import percent
from runner.selftest.expected import Expected, expected_of
from runner.selftest.parts import TrialModel
from runner.selftest.recorded import RecordedAnswer
from runner.selftest.trial import TrialEvidence
from runner.stats.intervals import Interval
from suts.simulated.faults import KINDS
from suts.simulated.journal import JournalEntry

Key = TypeVar("Key", bytes, int)

# The report sums floats; a thousandth of a cent is far below what it shows.
_USD = 1e-5
_P95_MS = 20.0


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its subject, its model ("" = the whole run), and its result."""

    name: str
    sut: str
    expected: str
    actual: str
    ok: bool


def check(evidence: TrialEvidence) -> Iterator[Check]:
    """Yield every check of one trial."""
    off_ms: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    by_sut = {variant.sut: variant for variant in evidence.summary.variants}
    for subject in evidence.subjects:
        known = expected_of(subject, evidence.plan)
        mine = [recording for recording in evidence.recordings if recording.sut == subject.sut]
        yield from _reported(known, by_sut[subject.sut])
        yield from _recorded(known, mine)
        if subject.in_process:
            yield _exact_clocks(known, mine)
        else:
            entries = _entries(evidence, subject)
            yield _served(known, entries)
            off_ms[subject.wire].extend(_off(known, mine, entries))
    yield from clock_checks(off_ms)
    if evidence.log:
        yield requests_check(evidence)
        yield faults_check(evidence.log)


def clock_checks(off_ms: Mapping[str, Sequence[tuple[float, float]]], among: str = "all") -> Iterator[Check]:
    """Yield the checks of the clocks over each wire, by how many ms first tokens and round trips are off."""
    for wire, off in off_ms.items():
        who = f"{among} over {wire}"
        yield _within("first token against the server's", who, [first for first, _ in off])
        yield _within("round trip against the server's", who, [whole for _, whole in off])


def clocks_off_ms(evidence: TrialEvidence, subject: TrialModel) -> list[tuple[float, float]]:
    """Return by how many ms the first token and the round trip of each answer of a model differ from the server's."""
    mine = [recording for recording in evidence.recordings if recording.sut == subject.sut]
    return [*_off(expected_of(subject, evidence.plan), mine, _entries(evidence, subject))]


def checks_of_model(evidence: TrialEvidence, subject: TrialModel) -> Iterator[Check]:
    """Yield the checks of one model whose clocks mean nothing: its counts, its cost, each of its answers."""
    known = expected_of(subject, evidence.plan)
    summary = next(variant for variant in evidence.summary.variants if variant.sut == subject.sut)
    yield _counts(known, summary)
    yield _cost(known, summary)
    yield from _recorded(known, [recording for recording in evidence.recordings if recording.sut == subject.sut])
    yield _served(known, _entries(evidence, subject))


def _entries(evidence: TrialEvidence, subject: TrialModel) -> list[JournalEntry]:
    return [entry for entry in evidence.log if (entry.model, entry.wire) == (subject.model, subject.wire)]


def _reported(known: Expected, summary: VariantSummary) -> Iterator[Check]:
    """Yield the checks of a model's figures in the report."""
    yield _inside("valid rate", known, known.valid_rate, summary.valid_rate)
    yield _inside("right of valid", known, known.success_rate, summary.right)
    yield _counts(known, summary)
    yield _cost(known, summary)


def _inside(name: str, known: Expected, rate: float, interval: Interval | None) -> Check:
    ok = interval is not None and interval.low <= rate <= interval.high
    return Check(name, known.subject.sut, f"{100 * rate:.1f}%", percent(interval), ok)


def _counts(known: Expected, summary: VariantSummary) -> Check:
    counts = known.counts
    ok = (counts.attempts, counts.valid, counts.applied) == (summary.attempts, summary.valid, summary.solved)
    return Check(
        "attempts, valid, applied",
        known.subject.sut,
        f"{counts.attempts}, {counts.valid}, {counts.applied}",
        f"{summary.attempts}, {summary.valid}, {summary.solved}" + _difference(counts.outcomes, summary.outcomes),
        ok and dict(counts.outcomes) == summary.outcomes,
    )


def _difference(expected: Mapping[str, int], counted: Mapping[str, int]) -> str:
    names = sorted(name for name in {**expected, **counted} if expected.get(name, 0) != counted.get(name, 0))
    differences = ", ".join(f"{name} {counted.get(name, 0)} for {expected.get(name, 0)}" for name in names)
    return f"; {differences}" if differences else ""


def _cost(known: Expected, summary: VariantSummary) -> Check:
    cost = summary.cost_usd
    ok = cost is not None and abs(cost - known.cost_usd) < _USD
    return Check("cost", known.subject.sut, f"${known.cost_usd:.6f}", f"${cost:.6f}" if cost is not None else "-", ok)


def _recorded(known: Expected, recordings: Iterable[RecordedAnswer]) -> Iterator[Check]:
    """Yield the checks of the database: each expected answer once, byte for byte, scored once, within its cost."""
    answered = [recording for recording in recordings if recording.answered]
    expected = Counter((answer.case_id, answer.stream) for answer in known.answers)
    counted = Counter((recording.case_id, recording.stream) for recording in answered)
    unscored = sum(recording.scorings != 1 for recording in answered)
    text = f"{counted.total()}, {_missing(expected, counted)}, {unscored} not scored once"
    expected_many = str(len(known.answers))
    yield Check("answers, byte for byte", known.subject.sut, expected_many, text, expected == counted and not unscored)
    same = sum(recording.same for recording in answered)
    yield Check(
        "streams read again",
        known.subject.sut,
        expected_many,
        f"{same} the same",
        same == len(answered) == expected.total(),
    )
    yield _bounds(known, answered)


def _missing(expected: Counter[tuple[str, Key]], counted: Counter[tuple[str, Key]]) -> str:
    return f"{(expected - counted).total()} lost, {(counted - expected).total()} unknown or twice"


def _bounds(known: Expected, answered: list[RecordedAnswer]) -> Check:
    shares = [
        (recording.completion.cost_usd or 0.0) / recording.reserved_usd
        for recording in answered
        if recording.reserved_usd is not None
    ]
    ok = len(shares) == len(known.answers) and max(shares) <= 1
    text = f"{100 * max(shares, default=0):.1f}%, {len(shares)} calls"
    return Check("most expensive call, of its reserved cost", known.subject.sut, "<= 100%", text, ok)


def _served(known: Expected, entries: Iterable[JournalEntry]) -> Check:
    """Check that the server, too, gave every expected answer completely and exactly once."""
    expected = Counter((answer.case_id, answer.number) for answer in known.answers)
    counted = Counter((entry.case_id, entry.number) for entry in entries if entry.whole)
    text = f"{counted.total()}, {_missing(expected, counted)}"
    return Check("answers in the server's log", known.subject.sut, str(len(known.answers)), text, expected == counted)


def _exact_clocks(known: Expected, recordings: Iterable[RecordedAnswer]) -> Check:
    """Check the clocks in virtual time, where nothing is late: each equals the planned one, to the microsecond."""
    expected = {(answer.case_id, answer.stream): answer.clocks for answer in known.answers}
    exact = sum(
        replace(recording.completion.clocks, first_line_ms=None) == expected.get((recording.case_id, recording.stream))
        for recording in recordings
        if recording.answered
    )
    count = len(known.answers)
    return Check("clocks in virtual time", known.subject.sut, str(count), f"{exact} exact", exact == count)


def _off(
    known: Expected, recordings: Iterable[RecordedAnswer], entries: Iterable[JournalEntry]
) -> Iterator[tuple[float, float]]:
    """Yield per answer by how many ms the client's first token and round trip differ from the server's log."""
    numbers = {(answer.case_id, answer.stream): answer.number for answer in known.answers}
    logged = {(entry.case_id, entry.number): entry for entry in entries if entry.whole}
    for recording in recordings:
        entry = logged.get((recording.case_id, numbers.get((recording.case_id, recording.stream), 0)))
        if entry is not None and entry.first_byte_ns is not None and entry.ended_ns is not None:
            clocks: Clocks = recording.completion.clocks
            yield (
                _apart(clocks.first_token_ms, entry.first_byte_ns - entry.arrived_ns),
                _apart(clocks.round_trip_ms, entry.ended_ns - entry.arrived_ns),
            )


def _apart(clock_ms: float | None, logged_ns: int) -> float:
    return math.inf if clock_ms is None else abs(clock_ms - logged_ns / 1e6)


def _within(name: str, who: str, off_ms: list[float]) -> Check:
    p95 = quantiles(off_ms, n=20)[-1] if len(off_ms) > 1 else math.inf
    text = f"{p95:.1f} ms at p95 of {len(off_ms)}"
    return Check(name, who, f"<= {_P95_MS:.0f} ms off", text, p95 <= _P95_MS)


def requests_check(evidence: TrialEvidence) -> Check:
    """Check that the server saw as many requests as the database has."""
    calls = sum(recording.calls for recording in evidence.recordings)
    return Check("requests, each accounted for", "", str(len(evidence.log)), str(calls), calls == len(evidence.log))


def faults_check(log: Iterable[JournalEntry]) -> Check:
    """Check that every kind of fault occurred."""
    occurred = Counter(entry.fault for entry in log if entry.fault)
    text = ", ".join(f"{kind} {occurred[kind]}" for kind in KINDS)
    return Check("faults on the way", "", "every kind", text, all(occurred[kind] for kind in KINDS))
