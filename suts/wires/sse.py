"""Splits a stream of Server-Sent Events into payloads as the HTML standard defines, wherever pieces are cut.

The format: https://html.spec.whatwg.org/multipage/server-sent-events.html section 9.2.6. Event names are not
kept, since both wires repeat them inside the payload.
"""

from collections.abc import Sequence

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class SseSplitter:
    """One stream being split; `feed` costs O(piece), however long an event is.

    `_clean` is true between two events, before any piece of the next.
    """

    __slots__ = ("_after_cr", "_clean", "_parts")

    def __init__(self) -> None:
        """Begin a stream."""
        self._parts: list[bytes] = []
        self._after_cr = False
        self._clean = True

    def feed(self, data: bytes) -> Sequence[bytes]:
        """Return the payloads of the events that this piece completes; b"" for an event without data (a comment)."""
        # Nearly every piece is one whole event on one line.
        single = self._clean and data[:6] == b"data: " and data.find(b"\n") == len(data) - 2
        if single and data[-1:] == b"\n" and b"\r" not in data:
            return (data[6:-2],)
        payloads = self._split(self._normalised(data))
        self._clean = not self._parts and not self._after_cr
        return payloads

    def rest(self) -> bytes:
        """Return the payload of an event that no blank line has ended yet; b"" if there is none."""
        return _payload(b"".join(self._parts))

    def _split(self, data: bytes) -> Sequence[bytes]:
        parts = self._parts
        closes = data[:1] == b"\n" and parts and parts[-1][-1:] == b"\n"
        if not closes and b"\n\n" not in data:
            if data:
                parts.append(data)
            return ()
        parts.append(data)
        *blocks, tail = b"".join(parts).split(b"\n\n")
        self._parts = [tail] if tail else []
        return [_payload(block) for block in blocks if block.strip(b"\n")]

    def _normalised(self, data: bytes) -> bytes:
        """Convert every line end to LF; a CRLF may be cut in two."""
        if self._after_cr and data:
            self._after_cr = False
            data = data.removeprefix(b"\n")
        if b"\r" in data:
            self._after_cr = data[-1:] == b"\r"
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return data


def _payload(block: bytes) -> bytes:
    """Return the data lines of one event, joined by newlines."""
    head, separator, data = (b"", True, block[6:]) if block[:6] == b"data: " else block.partition(b"\ndata: ")
    if separator and b"\n" not in data and b"\n" not in head and head[:5] in (b"", b"event"):
        return data
    lines = (line.removeprefix(_BYTE_ORDER_MARK) for line in block.split(b"\n"))
    return b"\n".join(line[5:].removeprefix(b" ") for line in lines if line.startswith(b"data:"))
