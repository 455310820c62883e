"""The wire of modules: the answer's text in one line, then a line of JSON where the module reports what it took.

The report has some of `input_tokens`, `cache_read_tokens`, `cache_write_tokens`, `output_tokens`, `reasoning_tokens`
and `cost_usd`; what it leaves out is unknown. Where the module reports when its first token came, the first byte stands
alone in the stream, at that time, and where its first edit began, the second byte; else these times are unknown too.
"""

from collections.abc import Iterable

import orjson

from suts.agent_parts import EditBegins
from suts.sut import Decoder, ErrorKind, Event, Received, SutError, TextDelta, Usage, WholeText
from suts.wires.fields import amount, count

COUNTS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")
COST = "cost_usd"


class ReportedText:
    """The wire of systems that may report what an answer took."""

    name = "reported"

    def decoder(self) -> Decoder:
        """Begin a stream."""
        return _ReportedDecoder()


class _ReportedDecoder:
    ended = False

    def __init__(self) -> None:
        self._report: list[bytes] = []
        self._in_text = True
        self._at_ns = 0
        # Whether the first token's time is, and that of the first edit.
        self._known = False
        self._edited = False

    def feed(self, received: Received) -> Iterable[Event]:
        """Return the text of a piece, which is ASCII; the report is kept until the end."""
        self._at_ns = received.at_ns
        if not self._in_text:
            self._report.append(received.data)
            return ()
        text, newline, rest = received.data.partition(b"\n")
        if newline:
            self._in_text = False
            self._report.append(rest)
        if not text:
            return ()
        known, self._known = self._known, True
        kind = TextDelta if known or len(text) == 1 else WholeText
        event: Event = kind(received.at_ns, text.decode("ascii", "replace"))
        if not known or self._edited or len(received.data) > 1:
            return (event,)
        self._edited = True
        return (EditBegins(received.at_ns), event)

    def finish(self) -> Iterable[Event]:
        """Return the report. Raises SutError(MALFORMED) for one in another form."""
        if self._in_text:
            return ()
        try:
            return (usage_of(orjson.loads(b"".join(self._report)), self._at_ns),)
        except (TypeError, ValueError) as error:
            raise SutError(
                ErrorKind.MALFORMED, f"the module's report is malformed: {error}", retryable=False
            ) from error


def usage_of(report: object, at_ns: int) -> Usage:
    """Return the counts and the cost of a report. Raises TypeError or ValueError naming the field and the fix."""
    if not isinstance(report, dict):
        raise TypeError("it is no object")
    counts: dict[str, int | None] = {}
    cost_usd = None
    for name, value in report.items():
        if name not in {*COUNTS, COST}:
            raise ValueError(f"{name!r} is no field of it; give {', '.join((*COUNTS, COST))}")
        try:
            if name == COST:
                cost_usd = amount(value)
            else:
                counts[name] = count(value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} is {error}") from error
    return Usage(at_ns, **counts, cost_usd=cost_usd)
