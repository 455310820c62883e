"""Faults to order: which request fails how, drawn from a key or each kind in turn.

| kind | what the client sees |
|---|---|
| `429` | 429 with Retry-After and rate-limit headers |
| `500`, `529` | the status with an error object |
| `reset` | a TCP reset in the middle of the stream |
| `malformed` | a chunk whose JSON stops in the middle |
| `cut` | the stream ends in order, but without its own end |
| `stall` | the stream goes silent, for ever or for the configured time |
| `error` | an error object in the middle of the stream, which then ends |
| `odd` | a number of tokens that no integer column can hold, in the middle of the stream |
| `open` | a whole answer, but its connection stays open and sends comments until the client closes it |
| `forbidden` | 403, as for an input that is not allowed |

A request that wants no stream is reset where a stream would be cut, broken or ended by an error. The last three kinds
come only where they are named.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from math import isfinite
from typing import Final

from suts.simulated.draws import Key, unit

STATUSES: Final[Mapping[str, int]] = {"429": 429, "500": 500, "529": 529}
KINDS: Final = (*STATUSES, "reset", "malformed", "cut", "stall", "error")
FORBIDDEN: Final = "forbidden"
REFUSALS: Final[Mapping[str, int]] = {**STATUSES, FORBIDDEN: 403}
# With these, or without a fault, the answer arrives whole.
WHOLE: Final = frozenset({"", "open"})
# Not among the kinds that come when none is named: one of them is no failure, and one is not asked again.
NAMED_ONLY: Final = ("odd", "open", FORBIDDEN)


@dataclass(frozen=True, slots=True)
class Faults:
    """Rates by kind, 0..1, their sum at most 1.

    With `first` the rates only name the kinds (none = all of KINDS): the first requests for each case fail, one of each
    kind in their order, and later ones do not.
    """

    rates: Mapping[str, float] = field(default_factory=dict)
    first: bool = False

    def draw(self, key: Key, arrival: int) -> str:
        """Return the fault of the request that came as number `arrival` (from 0) under this key; "" for none."""
        if self.first:
            kinds = tuple(self.rates) or KINDS
            return kinds[arrival] if arrival < len(kinds) else ""
        if not self.rates:
            return ""
        drawn = unit((*key, "fault", arrival))
        sums = accumulate(self.rates.values())
        return next((kind for kind, upto in zip(self.rates, sums, strict=True) if drawn < upto), "")


def parse_faults(text: str, *, first: bool = False) -> Faults:
    """`429=0.1,reset=0.03,...`, or with `first` also kinds alone. Raises ValueError with one line."""
    rates: dict[str, float] = {}
    for entry in filter(None, text.split(",")):
        kind, _, rate = entry.partition("=")
        if kind not in KINDS and kind not in NAMED_ONLY:
            raise ValueError(f"no fault {kind!r}: choose from {', '.join((*KINDS, *NAMED_ONLY))}")
        rates[kind] = _rate(kind, rate or ("1" if first else ""))
    if not first and sum(rates.values()) > 1 + 1e-9:
        raise ValueError(f"the rates of the faults add up to {sum(rates.values()):g}, more than 1")
    return Faults(rates, first)


def _rate(kind: str, text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = -1.0
    if not isfinite(rate) or not 0 <= rate <= 1:
        raise ValueError(f"fault {kind}={text}: give a rate within 0..1")
    return rate
