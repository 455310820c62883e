"""Parse chains: how an answer's text becomes what is put into the hole, by named steps, kept with each score.

| chain | steps |
|---|---|
| `raw` | before the stops of its prompt, from its fence: the answer as it is |
| `repaired` | the same, ended where its block ends, without what stands behind the hole: what it lost by not stopping |
| `trimmed` | as raw, without what stands behind the hole |
| `block` | as raw, ended where its block ends |
| `whole` | the text as it came |
| `codev` | before the stops, from the last closed fence or nothing: what Codev-Bench took |

An answer to a prompt that is gone on with has no fence: there the fence steps leave the text as it is.
"""

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from runner.digests import module_digest
from runner.errors import InputError
from runner.run.resolve import Named
from runner.suites.completion.answers import (
    before_stops,
    from_closed_fence,
    from_fence,
    within_block,
    without_overlap,
)


@dataclass(frozen=True, slots=True)
class Around:
    """What is known of the place that an answer is for; `fenced` where code was asked for in a fence."""

    prefix: str
    suffix: str
    stops: tuple[str, ...] = ()
    fenced: bool = True


Step = Callable[[str, Around], str]


def _stops(text: str, around: Around) -> str:
    return before_stops(text, around.stops)


def _fence(text: str, around: Around) -> str:
    return from_fence(text) if around.fenced else text


def _closed(text: str, around: Around) -> str:
    return from_closed_fence(text) if around.fenced else text


def _block(text: str, around: Around) -> str:
    return within_block(text, around.prefix)


def _overlap(text: str, around: Around) -> str:
    return without_overlap(text, around.suffix)


RAW, REPAIRED = "raw", "repaired"
CHAINS: Mapping[str, Sequence[Step]] = {
    RAW: (_stops, _fence),
    REPAIRED: (_stops, _fence, _block, _overlap),
    "trimmed": (_stops, _fence, _overlap),
    "block": (_stops, _fence, _block),
    "whole": (),
    "codev": (_stops, _closed),
}
# What the steps of any chain depend on.
_MODULES = ("runner.suites.completion.answers", "runner.suites.completion.chains")
Chain = Named[Sequence[Step]]


def taken(chain: Chain, text: str, around: Around) -> str:
    """What the chain makes of an answer; total."""
    for step in chain.impl:
        text = step(text, around)
    return text


def choose_chains(names: Iterable[str], option: str) -> tuple[Chain, ...]:
    """The chains of these names, each once. Raises InputError."""
    chosen = tuple(dict.fromkeys(names))
    for name in chosen:
        if name not in CHAINS:
            near = difflib.get_close_matches(name, CHAINS, n=1)
            hint = f"; did you mean {near[0]}?" if near else ";"
            raise InputError(f"{option}: {name!r} is no chain{hint} there are {', '.join(CHAINS)}")
    return tuple(Named(name, CHAINS[name], module_digest(name, *_MODULES)) for name in chosen)
