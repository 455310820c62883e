"""A model that is asked by the batch API of its vendor: it has no stream, and who runs it collects its answers."""

from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial

from suts.anthropic_batches import AnthropicBatches
from suts.batches import BatchEndpoint, Batches
from suts.openai_batches import OpenAiBatches
from suts.posting import Body, HttpSut
from suts.settings import UnknownSutError
from suts.sut import Endpoint, ErrorKind, Received, Request, Sampling, Sut, SutError, Wire
from suts.wires import WIRES
from suts.wires.whole import BATCHED

# What a body holds for a stream alone.
_OF_STREAMS = frozenset({"stream", "stream_options"})
_PROVIDERS = ("openai", "openai-responses", "anthropic")


def batched(sut: Sut) -> "BatchedSut":
    """Return the model of a system, to be asked in batches. Raises UnknownSutError where its API has none."""
    if isinstance(sut, HttpSut) and sut.endpoint.provider in _PROVIDERS:
        return BatchedSut(sut)
    raise UnknownSutError(
        f"{sut.name}: --batch-api: there is no batch API; ask {', '.join(f'{name}/...' for name in _PROVIDERS)} models,"
        " or remove --batch-api"
    )


class BatchedSut:
    """One model of a vendor that takes batches."""

    takes_prompts = False
    takes_tools = True

    def __init__(self, sut: HttpSut) -> None:
        """Take the system that would ask the model one request at a time; it connects to nothing yet."""
        self.name = sut.name
        self.model = sut.model
        self.secrets = sut.secrets
        self.endpoint: Endpoint = replace(sut.endpoint, batched=True)
        self.wire: Wire = WIRES[sut.wire.name + BATCHED]
        self._sut = sut
        self.batches: Batches = _batches(sut)

    def body(self, request: Request) -> Body:
        """Return a request as a line of a batch holds it. Raises SutError for what cannot be asked."""
        _, body = self._sut.posted(request)
        return {name: value for name, value in body.items() if name not in _OF_STREAMS}

    def check(self, request: Request) -> None:
        """Raise SutError for a request that this endpoint has no way to be asked."""
        self._sut.check(request)

    def sent(self, request: Request) -> Sampling:
        """Return the sampling as it is sent. Raises SutError for what cannot be asked."""
        return self._sut.sent(request)

    async def reach(self) -> None:
        """Raise SutError if the endpoint is known not to answer."""
        await self._sut.reach()

    def stream(self, request: Request) -> AsyncIterator[Received]:  # noqa: ARG002 - the protocol's
        """Raise SutError: answers are collected in batches."""
        raise SutError(ErrorKind.BAD_REQUEST, f"{self.name} is asked in batches", retryable=False)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._sut.aclose()


def _batches(sut: HttpSut) -> Batches:
    endpoint = partial(BatchEndpoint, sut.http, headers=sut.api.headers, secrets=sut.secrets)
    if sut.endpoint.provider == "anthropic":
        return AnthropicBatches(endpoint(sut.api.base))
    return OpenAiBatches(endpoint(sut.api.base), f"/v1{sut.api.url.removeprefix(sut.api.base)}")
