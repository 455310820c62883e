"""The figures of an audit, gathered session by session: only counts are kept, no text of a session."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import PurePosixPath

from runner.audit.answers import ALGORITHMS, Reapplied, diagnosed, known_edits, reapplied
from runner.audit.tries import EditTries, is_edit, timed_usages, tries_of, usages_of_retries
from runner.prices import Prices
from runner.recordings.vocabulary import AgentCall, AgentSession, AgentUsage, CallStatus
from runner.records import Tokens
from runner.syntax import language_of

_NO_MODEL = "(unknown model)"
# Prices are listed by provider; recordings name models without one.
_PROVIDERS = ("", "anthropic/", "openai/", "google/", "openrouter/")


@dataclass(frozen=True, slots=True, order=True)
class EditKey:
    """Who called which tool: the groups of the first table."""

    agent: str
    version: str
    model: str
    tool: str


@dataclass(slots=True)
class EditCounts:
    """The editing calls of a group, and the tries of its edits by the tool of their first call.

    - `first`: edits that succeeded at the first call; `later`: after retries, by how many calls failed before.
    - `never`: edits of which no call succeeded.
    - `retry_*`: what retries took, from the first failed call on; `unpriced` answers have no known price.
    """

    ok: int = 0
    failed: int = 0
    no_result: int = 0
    first: int = 0
    later: Counter[int] = field(default_factory=Counter)
    never: int = 0
    retry_seconds: float = 0.0
    retry_tokens: int = 0
    retry_usd: float = 0.0
    unpriced: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    diagnosed: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class UsageCounts:
    """The tokens of a model, and their cost: as the agent recorded it, else by list price."""

    answers: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    usd: float = 0.0
    unpriced: int = 0


def _counters() -> defaultdict[str, Counter[str]]:
    return defaultdict(Counter)


@dataclass(slots=True)
class AuditFigures:
    """All figures of an audit. `since` leaves out calls and answers before a time, in seconds since 1970."""

    prices: Prices
    since: float | None = None
    sessions: Counter[str] = field(default_factory=Counter)
    damaged: int = 0
    edits: dict[EditKey, EditCounts] = field(default_factory=dict)
    usages: dict[tuple[str, str], UsageCounts] = field(default_factory=dict)
    endings: dict[str, Counter[str]] = field(default_factory=_counters)
    languages: dict[str, Counter[str]] = field(default_factory=_counters)
    files: dict[str, Counter[str]] = field(default_factory=_counters)
    weeks: dict[str, Counter[str]] = field(default_factory=_counters)
    algorithms: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in ALGORITHMS})
    refused_calls: Counter[str] = field(default_factory=Counter)
    _listed: dict[str, str] = field(default_factory=dict)

    def add(self, recording: AgentSession) -> None:
        """Count a session."""
        recording = self._recent(recording)
        if not recording.calls and not recording.usages:
            return
        self.sessions[recording.agent] += 1
        self.damaged += recording.damaged
        for usage in recording.usages:
            self._add_usage(recording.agent, usage)
        for call in recording.calls:
            if is_edit(call):
                self._add_edit(recording, call)
            elif call.status is CallStatus.FAILED:
                self.refused_calls[call.cause or ""] += 1
        usages = timed_usages(recording)
        for tries in tries_of(recording):
            self._add_tries(recording, tries, usages)

    def merge(self, other: "AuditFigures") -> None:
        """Add the figures of further sessions."""
        self.sessions.update(other.sessions)
        self.damaged += other.damaged
        self.refused_calls.update(other.refused_calls)
        for edit, edits in other.edits.items():
            _add_fields(self.edits.setdefault(edit, EditCounts()), edits)
        for model, usages in other.usages.items():
            _add_fields(self.usages.setdefault(model, UsageCounts()), usages)
        for mine, theirs in (
            (self.endings, other.endings),
            (self.languages, other.languages),
            (self.files, other.files),
            (self.weeks, other.weeks),
            (self.algorithms, other.algorithms),
        ):
            for name, counts in theirs.items():
                mine[name].update(counts)

    def _recent(self, recording: AgentSession) -> AgentSession:
        if self.since is None:
            return recording

        def recent(at: float | None) -> bool:
            return at is not None and self.since is not None and at >= self.since

        return replace(
            recording,
            calls=tuple(call for call in recording.calls if recent(call.began)),
            usages=tuple(usage for usage in recording.usages if recent(usage.at)),
        )

    def _counts(self, recording: AgentSession, call: AgentCall) -> EditCounts:
        key = EditKey(recording.agent, call.version or recording.version, call.model or _NO_MODEL, call.tool)
        return self.edits.get(key) or self.edits.setdefault(key, EditCounts())

    def _add_edit(self, recording: AgentSession, call: AgentCall) -> None:
        counts = self._counts(recording, call)
        if call.status is CallStatus.NO_RESULT:
            counts.no_result += 1
            return
        ok = call.status is CallStatus.OK
        counts.ok += ok
        counts.failed += not ok
        if call.cause:
            counts.causes[call.cause] += 1
        result = "ok" if ok else "failed"
        self._add_result(call, result)
        for edit in known_edits(call):
            for name, outcome in reapplied(edit).items():
                self.algorithms[name][f"{result}: {outcome if ok or outcome is Reapplied.REFUSED else 'applied'}"] += 1
            if not ok:
                counts.diagnosed[diagnosed(edit)] += 1

    def _add_result(self, call: AgentCall, result: str) -> None:
        """Count the result of a call for its week, and for its first file."""
        path = call.paths[0] if call.paths else ""
        ending, language = _kind_of_file(path)
        self.endings[ending][result] += 1
        if path:
            self.languages[language][result] += 1
            self.files[path][result] += 1
        self.weeks[_week(call.began)][result] += 1

    def _add_tries(self, recording: AgentSession, tries: EditTries, usages: Sequence[tuple[float, AgentUsage]]) -> None:
        counts = self._counts(recording, tries.calls[0])
        if not tries.succeeded:
            counts.never += 1
        elif tries.failed:
            counts.later[len(tries.failed)] += 1
        else:
            counts.first += 1
        counts.retry_seconds += tries.retry_seconds or 0.0
        for usage in usages_of_retries(usages, tries):
            counts.retry_tokens += _total(usage)
            usd = self._usd(usage)
            counts.retry_usd += usd or 0.0
            counts.unpriced += usd is None

    def _add_usage(self, agent: str, usage: AgentUsage) -> None:
        counts = self.usages.setdefault((agent, usage.model or _NO_MODEL), UsageCounts())
        counts.answers += 1
        counts.input += usage.input_tokens
        counts.output += usage.output_tokens
        counts.cache_read += usage.cache_read_tokens
        counts.cache_write += usage.cache_write_tokens
        usd = self._usd(usage)
        counts.usd += usd or 0.0
        counts.unpriced += usd is None

    def _usd(self, usage: AgentUsage) -> float | None:
        if usage.cost_usd is not None:
            return usage.cost_usd
        tokens = Tokens(
            input=usage.input_tokens,
            output=usage.output_tokens,
            cache_read=usage.cache_read_tokens,
            cache_write=usage.cache_write_tokens,
        )
        name = self._listed.get(usage.model)
        if name is None:
            names = (provider + usage.model for provider in _PROVIDERS)
            name = next((name for name in names if self.prices.of(name) is not None), usage.model)
            self._listed[usage.model] = name
        return self.prices.cost(name, tokens)


def _add_fields(mine: EditCounts | UsageCounts, theirs: EditCounts | UsageCounts) -> None:
    """Add counts to counts of the same kind, field by field."""
    for field_of in fields(mine):
        count, more = getattr(mine, field_of.name), getattr(theirs, field_of.name)
        if isinstance(count, Counter):
            count.update(more)
        else:
            setattr(mine, field_of.name, count + more)


def _total(usage: AgentUsage) -> int:
    return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens


@lru_cache(maxsize=1 << 12)
def _kind_of_file(path: str) -> tuple[str, str]:
    """Return the ending of a file's name, such as `.py`, and its language."""
    return PurePosixPath(path).suffix or "(none)", language_of(path) or "(unknown)"


def _week(at: float | None) -> str:
    """Return the week of a time as ISO 8601 writes it, in UTC."""
    if at is None:
        return "(no time)"
    year, week, _ = datetime.fromtimestamp(at, UTC).isocalendar()
    return f"{year}-W{week:02}"
