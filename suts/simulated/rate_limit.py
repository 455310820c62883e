"""The server's rate limit: a token bucket, and the headers in which providers report theirs."""

from datetime import UTC, datetime

from suts.simulated.spec import WireName

_NS_A_SECOND = 1_000_000_000


class TokenBucket:
    """A token bucket: `rps` requests a second, `burst` at once."""

    def __init__(self, rps: float, burst: int, now_ns: int) -> None:
        """Start with a full bucket."""
        self._rps = rps
        self.burst = burst
        self._left = float(burst)
        self._at_ns = now_ns

    def admit(self, now_ns: int) -> bool:
        """Return whether a request is admitted; if it is, take a token."""
        self._left = min(self.burst, self._left + (now_ns - self._at_ns) * self._rps / _NS_A_SECOND)
        self._at_ns = now_ns
        if self._left < 1:
            return False
        self._left -= 1
        return True

    @property
    def remaining(self) -> int:
        """The requests that would be admitted now."""
        return int(self._left)

    @property
    def retry_s(self) -> float:
        """The seconds until a request would be admitted."""
        return max(0.0, (1 - self._left) / self._rps)

    @property
    def reset_s(self) -> float:
        """The seconds until the bucket is full."""
        return (self.burst - self._left) / self._rps


def rate_headers(wire: WireName, limit: int, remaining: int, reset_s: float, unix_s: float) -> dict[str, str]:
    """Return the headers of a wire's provider: OpenAI reports a duration, Anthropic a time (in milliseconds here)."""
    if wire == "anthropic-messages":
        moment = datetime.fromtimestamp(unix_s + reset_s, UTC)
        reset = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        form = "anthropic-ratelimit-requests-{}"
    else:
        reset = f"{reset_s:.3f}s"
        form = "x-ratelimit-{}-requests"
    values = {"limit": str(limit), "remaining": str(remaining), "reset": reset}
    return {form.format(part): value for part, value in values.items()}


def retry_after(wait_s: float) -> dict[str, str]:
    """Seconds, with a fraction where they have one, and OpenAI's milliseconds."""
    return {"retry-after": f"{wait_s:.3f}".rstrip("0").rstrip("."), "retry-after-ms": f"{wait_s * 1000:.0f}"}
