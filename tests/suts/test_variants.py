from collections.abc import AsyncIterator

import pytest

from suts.rate_headers import OnHeaders, RateHeaders
from suts.settings import UnknownSutError
from suts.sut import Endpoint, Received, Request, Sampling, Wire
from suts.variants import SampledSut
from suts.wires import WIRES


class Scripted:
    """A system that remembers what it was asked."""

    def __init__(self) -> None:
        self.name = "scripted/x"
        self.endpoint = Endpoint("scripted", "here", "")
        self.wire: Wire = WIRES["openai-chat"]
        self.asked: list[Sampling] = []
        self.closed = False

    async def stream(self, request: Request) -> AsyncIterator[Received]:
        self.asked.append(request.sampling)
        yield Received(1, b"data: [DONE]\n\n")

    async def aclose(self) -> None:
        self.closed = True


class Telling(Scripted):
    on_headers: OnHeaders | None = None


async def asked(suffix: str) -> Sampling:
    sut = Scripted()
    pieces = [piece async for piece in SampledSut(sut, suffix).stream(Request("", ()))]
    assert pieces == [Received(1, b"data: [DONE]\n\n")]
    return sut.asked[0]


@pytest.mark.parametrize(
    "suffix,sampling",
    [
        ("effort=high", Sampling(effort="high")),
        ("temperature=0.2", Sampling(temperature=0.2)),
        ("temperature=none", Sampling(temperature=None)),
        ("thinking=4096", Sampling(thinking_budget=4096)),
        ("max_tokens=9,seed=none", Sampling(max_tokens=9, seed=None)),
        ("cache=off", Sampling(cache=False)),
        ("cache=on", Sampling()),
        ("seed=1,effort=low,seed=2", Sampling(seed=2, effort="low")),
    ],
)
async def test_a_suffix_changes_the_sampling(suffix: str, sampling: Sampling) -> None:
    assert await asked(suffix) == sampling


async def test_a_variant_is_a_system_of_its_own_on_the_same_endpoint() -> None:
    sut = Scripted()
    variant = SampledSut(sut, "effort=high")

    await variant.aclose()

    assert variant.name == "scripted/x@effort=high"
    assert (variant.endpoint, variant.wire) == (sut.endpoint, sut.wire)
    assert sut.closed


@pytest.mark.parametrize(
    "suffix,words",
    [
        ("speed=high", "'speed' is none of effort, temperature, thinking, max_tokens, seed"),
        ("effort=high,", "'' is none of"),
        ("thinking=none", "thinking=none is no number"),
        ("temperature=hot", "temperature=hot is no number"),
        ("cache=no", "cache=no is neither on nor off"),
    ],
)
def test_a_bad_suffix_is_refused_before_anything_is_asked(suffix: str, words: str) -> None:
    with pytest.raises(UnknownSutError, match=words):
        SampledSut(Scripted(), suffix)


def test_headers_are_told_where_the_system_sees_any() -> None:
    told: list[RateHeaders] = []
    telling = Telling()
    variant, deaf = SampledSut(telling, "seed=1"), SampledSut(Scripted(), "seed=1")

    for each in (variant, deaf):
        each.on_headers = told.append

    assert telling.on_headers == told.append
    assert [each.on_headers for each in (variant, deaf)] == [told.append, None]
