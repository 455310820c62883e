"""Cuts an answer into pieces and says when each is due, from a key: the same attempt always has the same pace."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from suts.simulated.draws import Key, units
from suts.simulated.models import Planned
from suts.simulated.spec import PaceSpec

_NS_A_MS = 1_000_000


class Piece(NamedTuple):
    """A piece of an answer, due `offset_ns` after the request came.

    It is a piece of the reasoning, of the text, or of the arguments of the native call number `call`.
    """

    offset_ns: int
    text: str
    reasoning: bool = False
    call: int = -1


@dataclass(frozen=True, slots=True)
class Paced:
    """The pieces of one answer in their order, and when the stream ends; at least one piece, if only an empty one."""

    pieces: tuple[Piece, ...]
    end_ns: int


def paced(pace: PaceSpec, planned: Planned, key: Key) -> Paced:
    """Return the pieces of the answer: reasoning first, then text, then native calls.

    With `pace.pieces` they fall into exactly so many even ones (fewer only where there are fewer characters; one more
    where a call begins within a piece).
    """
    visible = _cut(planned.reasoning, pace, (*key, "reasoning cuts"))
    parts = [(text, True, -1) for text in visible]
    parts += [(text, False, call) for text, call in _written(pace, planned, key)] or [("", False, -1)]
    draws = units((*key, "pace"), len(parts) + 1)
    offset = _drawn(pace.ttft_ms, pace.jitter, draws[0])
    pieces: list[Piece] = []
    for (text, reasoning, call), draw in zip(parts, draws[1:], strict=True):
        pieces.append(Piece(offset, text, reasoning, call))
        offset += _drawn(pace.gap_ms, pace.jitter, draw)
    return Paced(tuple(pieces), offset)


def _written(pace: PaceSpec, planned: Planned, key: Key) -> list[tuple[str, int]]:
    """Return the pieces of the text and of the calls, each with the number of its call, -1 for the text."""
    texts = [planned.text, *(call.arguments for call in planned.calls)]
    if not pace.pieces:
        cuts = (_cut(text, pace, (*key, "cuts", *([call] if call else []))) for call, text in enumerate(texts))
        return [(piece, call - 1) for call, pieces in enumerate(cuts) for piece in pieces]
    starts = [0, *accumulate(map(len, texts))]
    edges = sorted({len("".join(texts)) * at // pace.pieces for at in range(pace.pieces + 1)} | set(starts))
    whole = "".join(texts)
    return [(whole[start:end], bisect_right(starts, start) - 2) for start, end in pairwise(edges)]


def _drawn(mean_ms: float, jitter: float, draw: float) -> int:
    return round(mean_ms * (1 + jitter * (2 * draw - 1)) * _NS_A_MS)


def _cut(text: str, pace: PaceSpec, key: Key) -> list[str]:
    """Pieces of half to one and a half times `pace.piece` characters."""
    if not text:
        return []
    smallest = max(1, pace.piece // 2)
    draws = units(key, len(text) // smallest + 1)
    pieces: list[str] = []
    at = 0
    while at < len(text):
        size = smallest + round(draws[len(pieces)] * pace.piece)
        pieces.append(text[at : at + size])
        at += size
    return pieces
