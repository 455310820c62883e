"""An answer with native tool calls as one text: prose as it is, and before the arguments of a call a line about it.

Such a line begins with U+001E and is a JSON object: `{"call":0,"name":"replace_in_file"}` before the first arguments of
a call, `{"call":0}` before further ones, `{}` before prose after a call. U+001E itself is doubled. Ids are left out, as
they are different each time, while equal answers have equal texts.
"""

import json
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

FRAME = "\x1e"
_PROSE = -1


class Part(NamedTuple):
    """A part of a transcript: prose, or arguments of the call number `call`, up to the position `end` of the whole."""

    call: int
    text: str
    end: int
    name: str = ""


@dataclass(slots=True)
class Transcriber:
    """Writes one transcript."""

    _at: int = _PROSE
    # The number of the call that is open, as it was given.
    _last: int | None = None
    _numbers: dict[int, int] = field(default_factory=dict)

    def prose(self, text: str) -> str:
        """Return the next piece of prose as the transcript has it."""
        if self._at == _PROSE and FRAME not in text:
            return text
        self._last = None
        return self._headed(_PROSE, "") + text.replace(FRAME, FRAME * 2)

    def call(self, number: int, name: str, arguments: str) -> str:
        """Return the next piece of a call's arguments; `name` is "" where it is known or not stated yet.

        Any numbers distinguish calls; the transcript counts them from 0.
        """
        if number == self._last and not name and FRAME not in arguments:
            # Nearly every piece.
            return arguments
        self._last = number
        counted = self._numbers.setdefault(number, len(self._numbers))
        if counted == self._at and not name and FRAME not in arguments:
            return arguments
        return self._headed(counted, name) + arguments.replace(FRAME, FRAME * 2)

    def _headed(self, number: int, name: str) -> str:
        if number == self._at and not name:
            return ""
        self._at = number
        about = {} if number == _PROSE else {"call": number, **({"name": name} if name else {})}
        return f"{FRAME}{json.dumps(about, separators=(',', ':'))}\n"


@dataclass(slots=True)
class TranscriptReader:
    """Reads a transcript piece by piece, each at the cost of its length; any text is one.

    What begins like a line about a call and is none is prose or arguments, as what precedes it is.
    """

    _at: int = _PROSE
    _position: int = 0
    _header: list[str] | None = None

    def goes_on(self, call: int, piece: str) -> bool:
        """Take a piece if it consists of further arguments of this call alone; return whether it does."""
        if self._at != call or self._header is not None or FRAME in piece:
            return False
        self._position += len(piece)
        return True

    def feed(self, piece: str) -> Iterable[Part]:
        """Return the parts that a piece completes; a name comes with an empty text."""
        if self._header is None and FRAME not in piece:
            # Nearly every piece.
            self._position += len(piece)
            return (Part(self._at, piece, self._position),)
        return self._parts(piece)

    def _parts(self, piece: str) -> Iterator[Part]:
        at = 0
        while at < len(piece):
            if self._header is not None:
                at = yield from self._in_header(piece, at)
                continue
            frame = piece.find(FRAME, at)
            stop = len(piece) if frame < 0 else frame
            if stop > at:
                yield Part(self._at, piece[at:stop], self._position + stop)
            at = stop
            if frame >= 0:
                self._header = []
                at += 1
        self._position += len(piece)

    def _in_header(self, piece: str, at: int) -> Generator[Part, None, int]:
        assert self._header is not None
        if not self._header and piece[at] == FRAME:
            self._header = None
            yield Part(self._at, FRAME, self._position + at + 1)
            return at + 1
        end = piece.find("\n", at)
        if end < 0:
            self._header.append(piece[at:])
            return len(piece)
        line = "".join((*self._header, piece[at:end]))
        self._header = None
        yield self._headed(line, self._position + end + 1)
        return end + 1

    def _headed(self, line: str, position: int) -> Part:
        about = _object(line)
        if about is None:
            return Part(self._at, f"{FRAME}{line}\n", position)
        number, name = about.get("call", _PROSE), about.get("name", "")
        self._at = number if isinstance(number, int) and number >= 0 else _PROSE
        return Part(self._at, "", position, name if isinstance(name, str) else "")


def _object(line: str) -> dict[str, object] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def arguments_of(transcript: str) -> tuple[tuple[str, str], ...]:
    """Return the name and the arguments of each call of a whole transcript, in the order in which they began."""
    names: dict[int, str] = {}
    texts: dict[int, list[str]] = {}
    for part in TranscriptReader().feed(transcript):
        if part.call >= 0:
            names[part.call] = names.get(part.call) or part.name
            texts.setdefault(part.call, []).append(part.text)
    return tuple((names[call], "".join(parts)) for call, parts in texts.items())
