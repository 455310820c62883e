"""Cuts an answer into pieces and says when each is due, from a key: the same attempt always has the same pace."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from suts.simulated.draws import Key, units
from suts.simulated.models import Planned
from suts.simulated.spec import PaceSpec

_NS_A_MS = 1_000_000


class Piece(NamedTuple):
    """A piece of an answer, due `offset_ns` after the request came; `reasoning` is what it is a piece of."""

    offset_ns: int
    text: str
    reasoning: bool = False


@dataclass(frozen=True, slots=True)
class Paced:
    """The pieces of one answer in their order, and when the stream ends; at least one piece, if only an empty one."""

    pieces: tuple[Piece, ...]
    end_ns: int


def paced(pace: PaceSpec, planned: Planned, key: Key) -> Paced:
    """Return the pieces of the answer: reasoning first, then text.

    With `pace.pieces` the text falls into exactly so many even ones (fewer only where it has fewer characters).
    """
    visible = _cut(planned.reasoning, pace, (*key, "reasoning cuts"))
    texts = _cut(planned.text, pace, (*key, "cuts")) if not pace.pieces else _even(planned.text, pace.pieces)
    parts = [(text, True) for text in visible] + [(text, False) for text in texts or [""]]
    draws = units((*key, "pace"), len(parts) + 1)
    offset = _drawn(pace.ttft_ms, pace.jitter, draws[0])
    pieces: list[Piece] = []
    for (text, reasoning), draw in zip(parts, draws[1:], strict=True):
        pieces.append(Piece(offset, text, reasoning))
        offset += _drawn(pace.gap_ms, pace.jitter, draw)
    return Paced(tuple(pieces), offset)


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


def _even(text: str, count: int) -> list[str]:
    edges = [len(text) * at // count for at in range(count + 1)]
    return [text[start:end] for start, end in pairwise(edges) if end > start]
