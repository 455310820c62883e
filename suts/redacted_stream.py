"""Removes keys from a whole recorded stream, also a key whose parts came in several events.

It works on the answer after its end, so that the result cannot depend on where the network cut the stream. The
arrival times stay: what replaces some bytes arrives with the last of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple, cast

import orjson

from suts.redaction import REDACTED, Redactor, SecretSpan
from suts.sut import Received

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
Path = tuple[str | int, ...]
Channel = Callable[[Path], object]

_ANSWER = frozenset({"content", "text", "refusal"})
_REASONING = frozenset({"thinking", "reasoning", "reasoning_content"})


class ByteEdit(NamedTuple):
    """New bytes in place of those from `start` up to `end`."""

    start: int
    end: int
    data: bytes


@dataclass(slots=True)
class _Payload:
    """A line that holds JSON: where, what, and whether it is changed."""

    start: int
    end: int
    value: Json
    changed: bool = False


@dataclass(slots=True)
class _Leaf:
    """A string inside a payload, with the place where a new one is to be put."""

    payload: _Payload
    holder: dict[str, Json] | list[Json]
    name: str | int
    path: Path = field(repr=False)

    @property
    def text(self) -> str:
        return cast("str", self.holder[self.name])  # type: ignore[index]

    def put(self, text: str) -> None:
        self.holder[self.name] = text  # type: ignore[index]
        self.payload.changed = True


def redacted_stream(pieces: Sequence[Received], redactor: Redactor) -> tuple[Received, ...]:
    """Return the stream without secrets; pieces that become empty are left out."""
    raw = b"".join(piece.data for piece in pieces)
    payloads: list[_Payload] = []
    edits: list[ByteEdit] = []
    start = 0
    for line in raw.splitlines(keepends=True):
        parsed = _payload(line, start)
        if parsed is None:
            edits += _line_edits(line, start, redactor)
        else:
            payloads.append(parsed)
        start += len(line)
    for payload in payloads:
        _clean_names(payload, payload.value, redactor)
    for channel in (_by_path, _by_kind):
        _clean_channels([leaf for payload in payloads for leaf in _leaves(payload, payload.value)], channel, redactor)
    edits += [
        ByteEdit(payload.start, payload.end, orjson.dumps(payload.value)) for payload in payloads if payload.changed
    ]
    return tuple(_edited(pieces, raw, sorted(edits)))


def _payload(line: bytes, start: int) -> _Payload | None:
    """Return the JSON object or list that a line holds, as an event's data or as it is; None where it holds none.

    JSON that is nested too deep to be written again counts as text.
    """
    data = line.rstrip(b"\r\n")
    body = data.removeprefix(b"data:").lstrip(b" ")
    if body[:1] not in (b"{", b"["):
        return None
    try:
        value: Json = orjson.loads(body)
        orjson.dumps(value)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return None
    end = start + len(data)
    return _Payload(end - len(body), end, value)


def _line_edits(line: bytes, start: int, redactor: Redactor) -> Iterator[ByteEdit]:
    """Yield what to change in a line that is not JSON: plain text, a comment, half an event."""
    text = line.decode("utf-8", "surrogateescape")
    for span in redactor.spans(text):
        first, last = (start + len(text[:place].encode("utf-8", "surrogateescape")) for place in span)
        yield ByteEdit(first, last, REDACTED.encode())


def _clean_names(payload: _Payload, node: Json, redactor: Redactor) -> None:
    """Remove secrets from the names of objects' members."""
    if isinstance(node, list):
        for value in node:
            _clean_names(payload, value, redactor)
    elif isinstance(node, dict):
        for name in tuple(node):
            clean = redactor.text(name)
            if clean != name:
                node[clean] = node.pop(name)
                payload.changed = True
            _clean_names(payload, node[clean], redactor)


def _leaves(payload: _Payload, node: Json, path: Path = ()) -> Iterator[_Leaf]:
    """Yield every string of a payload in its order. An `index` beside a value is part of the path to it."""
    members: Sequence[tuple[str | int, Json]]
    if isinstance(node, dict):
        index = node.get("index")
        path = (*path, index) if isinstance(index, int) else path
        members = list(node.items())
    elif isinstance(node, list):
        members = list(enumerate(node))
    else:
        return
    for name, value in members:
        if isinstance(value, str):
            yield _Leaf(payload, node, name, (*path, name))
        else:
            yield from _leaves(payload, value, (*path, name))


def _by_path(path: Path) -> object:
    """Texts of one place in the events go on one another."""
    return path


def _by_kind(path: Path) -> object:
    """Return the channel of a text by its kind: the texts of the answer, and of the reasoning, each form one text."""
    name = next((name for name in reversed(path) if isinstance(name, str)), "")
    thought = not _REASONING.isdisjoint(path)
    return "reasoning" if thought else "answer" if name in _ANSWER else None


def _clean_channels(leaves: Sequence[_Leaf], channel: Channel, redactor: Redactor) -> None:
    channels: dict[object, list[_Leaf]] = {}
    for leaf in leaves:
        name = channel(leaf.path)
        if name is not None:
            channels.setdefault(name, []).append(leaf)
    for members in channels.values():
        texts = [leaf.text for leaf in members]
        spans = redactor.spans("".join(texts))
        for leaf, text, clean in zip(members, texts, _cut_out(texts, spans) if spans else texts, strict=True):
            if clean != text:
                leaf.put(clean)


def _cut_out(texts: Sequence[str], spans: Sequence[SecretSpan]) -> Iterator[str]:
    """Yield the texts without the spans of their whole; the mark stands where a span begins."""
    ends = list(accumulate(map(len, texts)))
    for text, end in zip(texts, ends, strict=True):
        start = end - len(text)
        kept, position = "", start
        for span in spans:
            if span.end <= start or span.start >= end:
                continue
            kept += text[position - start : max(span.start, position) - start]
            kept += REDACTED if span.start >= start else ""
            position = min(span.end, end)
        yield kept + text[position - start :]


def _edited(pieces: Sequence[Received], raw: bytes, edits: Sequence[ByteEdit]) -> Iterator[Received]:
    """Yield the pieces with the edits made, each in the piece that holds its last byte."""
    waiting = list(reversed(edits))
    start = position = 0
    for at_ns, data in pieces:
        end = start + len(data)
        kept: list[bytes] = []
        while waiting and waiting[-1].start < end:
            edit = waiting[-1]
            kept.append(raw[position : max(edit.start, position)])
            position = min(edit.end, end)
            if edit.end > end:
                break
            kept.append(waiting.pop().data)
        else:
            kept.append(raw[position:end])
            position = end
        clean = b"".join(kept)
        if clean or not data:
            yield Received(at_ns, clean)
        start = end
