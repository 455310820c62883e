"""Reads a provider's rate limits from the headers of a response.

Three families: `x-ratelimit-*` (OpenAI and most others, OpenRouter), `ratelimit-*` (the IETF draft) and
`anthropic-ratelimit-*`. Times come as seconds ("1.5"), durations ("1m30s", "20ms"), HTTP dates, RFC 3339 times
and Unix times in seconds or milliseconds; all are converted to seconds from now.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Protocol, runtime_checkable

# Larger numbers are points in time, not durations: 10^9 s is the year 2001, 10^11 ms is 1973.
_UNIX_SECONDS = 1e9
_UNIX_MILLISECONDS = 1e11
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?")
_PIECE = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)(ms|s|m|h|d)")
_DURATION = re.compile(rf"(?:{_PIECE.pattern})+")
_TOO_MANY = 429


@dataclass(frozen=True, slots=True)
class Allowance:
    """One limit as a response reports it; None = not reported. `reset_s` is counted from the response."""

    limit: int | None = None
    remaining: int | None = None
    reset_s: float | None = None


@dataclass(frozen=True, slots=True)
class RateHeaders:
    """The limits that one response reports; `at_ns` is its arrival on the monotonic clock."""

    at_ns: int
    status: int
    requests: Allowance = Allowance()
    tokens: Allowance = Allowance()
    retry_after_s: float | None = None

    @property
    def has_limits(self) -> bool:
        """Return whether the response reports any limit."""
        return self.retry_after_s is not None or self.requests != Allowance() or self.tokens != Allowance()


OnHeaders = Callable[[RateHeaders], None]


@runtime_checkable
class HeaderSource(Protocol):
    """A system under test that sees headers: it calls `on_headers` for each response, failed ones included."""

    on_headers: OnHeaders | None


def read_rate_headers(headers: Mapping[str, str], *, status: int, at_ns: int, unix_s: float) -> RateHeaders:
    """Return the limits in `headers`; names are case-insensitive.

    `unix_s` is now; points in time are measured against the response's own `Date` if it has one, so that a
    wrong clock on either side does no harm. Unreadable values count as not reported.
    """
    lowered = ((name.lower(), text) for name, text in headers.items())
    limits = {name: text for name, text in lowered if "ratelimit" in name or name.startswith("retry-after")}
    if not limits:
        return RateHeaders(at_ns, status)
    now = _moment(headers.get("date") or headers.get("Date") or "") or unix_s
    requests = _allowance(limits, _REQUESTS, now)
    tokens = _allowance(limits, _TOKENS, now)
    return RateHeaders(at_ns, status, requests, tokens, _retry_after(limits, (requests, tokens), now, status))


def seconds_until(text: str, now: float) -> float | None:
    """Return the wait in `text` in seconds, never negative; None if unreadable. `now` is in Unix seconds."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        number = float(text)
        if number >= _UNIX_SECONDS:
            return max(0.0, (number / 1000 if number >= _UNIX_MILLISECONDS else number) - now)
        return number
    if _DURATION.fullmatch(text):
        return sum(float(amount) * _UNITS[unit] for amount, unit in _PIECE.findall(text))
    moment = _moment(text)
    return None if moment is None else max(0.0, moment - now)


_REQUESTS = ("x-ratelimit-{}-requests", "anthropic-ratelimit-requests-{}", "x-ratelimit-{}", "ratelimit-{}")
_TOKENS = ("x-ratelimit-{}-tokens", "anthropic-ratelimit-tokens-{}", "anthropic-ratelimit-input-tokens-{}")


def _allowance(headers: Mapping[str, str], family: tuple[str, ...], now: float) -> Allowance:
    def value(part: str) -> str:
        return next((text for form in family if (text := headers.get(form.format(part)))), "")

    return Allowance(_count(value("limit")), _count(value("remaining")), seconds_until(value("reset"), now))


def _count(text: str) -> int | None:
    return int(float(text)) if _NUMBER.fullmatch(text.strip()) else None


def _retry_after(
    headers: Mapping[str, str], allowances: tuple[Allowance, Allowance], now: float, status: int
) -> float | None:
    """Return `Retry-After` if it is sent; else, after a 429, the latest reset of an exhausted limit."""
    milliseconds = headers.get("retry-after-ms", "").strip()
    if _NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    wait_s = seconds_until(headers.get("retry-after", ""), now)
    if wait_s is not None or status != _TOO_MANY:
        return wait_s
    resets = [limit.reset_s for limit in allowances if limit.reset_s is not None and not limit.remaining]
    return max(resets, default=None)


def _moment(text: str) -> float | None:
    """Return an HTTP date or an RFC 3339 time in Unix seconds; None for other text."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(text)
            return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
        except (ValueError, OverflowError, TypeError, IndexError):
            # Not this form, or no moment that a clock can show: what servers send is not to be trusted.
            continue
    return None
