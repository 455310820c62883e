"""A model asked in another way: `model@effort=high,temperature=0.2` or `model@upstream=NAME` as a separate system."""

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from suts.rate_headers import HeaderSource, OnHeaders
from suts.redaction import secrets_of
from suts.routing import QUANTIZATIONS, Routing
from suts.settings import UnknownSutError
from suts.sut import (
    Endpoint,
    Reachable,
    Received,
    Request,
    Sampling,
    StatesSampling,
    Sut,
    ValidatesRequest,
    Wire,
    takes_prompts,
    takes_tools,
)

Change = Callable[[Sampling, str], Sampling]


def _number(text: str) -> float | None:
    return None if text == "none" else float(text)


def _switch(text: str) -> bool:
    if text not in {"on", "off"}:
        raise ValueError(text)
    return text == "on"


def _integer(text: str) -> int | None:
    return None if text == "none" else int(text)


CHANGES: dict[str, Change] = {
    "effort": lambda sampling, text: replace(sampling, effort=text),
    "temperature": lambda sampling, text: replace(sampling, temperature=_number(text)),
    "thinking": lambda sampling, text: replace(sampling, thinking_budget=int(text)),
    "max_tokens": lambda sampling, text: replace(sampling, max_tokens=int(text)),
    "seed": lambda sampling, text: replace(sampling, seed=_integer(text)),
    "cache": lambda sampling, text: replace(sampling, cache=_switch(text)),
}

# What is asked of a router beside the sampling: the fields of Routing.
_PINS = ("upstream", "quantization")
_KEYS = (*CHANGES, *_PINS)
_SUFFIX = re.compile(rf"@(?:(?:{'|'.join(_KEYS)})=[^@,]*)(?:,(?:{'|'.join(_KEYS)})=[^@,]*)*$")


def without_changes(name: str) -> str:
    """Return the name of a system without its changes: any other text after an `@` belongs to the model's id."""
    return _SUFFIX.sub("", name)


def routing_of(name: str) -> Routing:
    """Return the routing that the name of a system asks for."""
    match = _SUFFIX.search(name)
    return _routing(_parts(match[0][1:])) if match else Routing()


def takes_routing(sut: object) -> bool:
    """Return whether a system asks a router whose upstreams can be pinned; false if it does not say so."""
    return getattr(sut, "takes_routing", False) is True


def _parts(suffix: str) -> list[tuple[str, str]]:
    return [(key, text) for key, _, text in (part.partition("=") for part in suffix.split(","))]


def _routing(changes: list[tuple[str, str]]) -> Routing:
    return Routing(**{key: text for key, text in changes if key in _PINS})


def with_changes(sut: Sut, request: Request) -> Request:
    """Return a request to a system with the changes that the system makes, if it makes any; idempotent."""
    return sut.changed(request) if isinstance(sut, SampledSut) else request


def plain_sut(sut: Sut) -> Sut:
    """Return a system without the changes that it makes to its requests: it sends a request as it stands."""
    return sut.plain if isinstance(sut, SampledSut) else sut


class SampledSut:
    """A system under test whose requests are changed, in sampling or routing; its name includes the changes."""

    def __init__(self, sut: Sut, suffix: str) -> None:
        """`suffix` is the text after the `@`. Raises UnknownSutError for an unknown key, a bad value, or no router."""
        self.name = f"{sut.name}@{suffix}"
        self.endpoint: Endpoint = sut.endpoint
        self.wire: Wire = sut.wire
        self.takes_prompts = takes_prompts(sut)
        self.takes_tools = takes_tools(sut)
        self._sut = sut
        changes = _parts(suffix)
        self._changes = [(key, text) for key, text in changes if key not in _PINS]
        self._routing = self._checked(_routing(changes), [key for key, _ in changes if key in _PINS])
        self._changed(Sampling())

    @property
    def on_headers(self) -> OnHeaders | None:
        """The callback for rate limits; None if the system sees no headers."""
        return self._sut.on_headers if isinstance(self._sut, HeaderSource) else None

    @on_headers.setter
    def on_headers(self, callback: OnHeaders | None) -> None:
        """Set the callback; None removes it."""
        if isinstance(self._sut, HeaderSource):
            self._sut.on_headers = callback

    @property
    def secrets(self) -> tuple[str, ...]:
        """The secrets that the system sends."""
        return secrets_of(self._sut)

    @property
    def plain(self) -> Sut:
        """The system without the changes."""
        return self._sut

    def changed(self, request: Request) -> Request:
        """Return the request as it is sent; idempotent."""
        return replace(request, sampling=self._changed(request.sampling), routing=self._routing or request.routing)

    def check(self, request: Request) -> None:
        """Raise SutError if the system would refuse to send the changed request."""
        if isinstance(self._sut, ValidatesRequest):
            self._sut.check(self.changed(request))

    def sent(self, request: Request) -> Sampling:
        """Return the sampling that a changed request is sent with."""
        return self._sut.sent(request) if isinstance(self._sut, StatesSampling) else request.sampling

    async def reach(self) -> None:
        """Raise SutError if the endpoint is known not to answer."""
        if isinstance(self._sut, Reachable):
            await self._sut.reach()

    def stream(self, request: Request) -> AsyncIterator[Received]:
        """Stream the answer to the changed request."""
        return self._sut.stream(self.changed(request))

    async def aclose(self) -> None:
        """Close the system itself."""
        await self._sut.aclose()

    def _checked(self, routing: Routing, pins: list[str]) -> Routing | None:
        """Return the routing, None where nothing is pinned."""
        if not pins:
            return None
        if not takes_routing(self._sut):
            raise UnknownSutError(
                f"{self.name}: {pins[0]} can be chosen at a router only; ask openrouter/..., or remove {pins[0]}"
            )
        if empty := [key for key in pins if not getattr(routing, key)]:
            raise UnknownSutError(f"{self.name}: {empty[0]} is empty; name one, or remove it")
        if routing.quantization and routing.quantization not in QUANTIZATIONS:
            raise UnknownSutError(
                f"{self.name}: quantization={routing.quantization} is none of {', '.join(QUANTIZATIONS)}"
            )
        return routing

    def _changed(self, sampling: Sampling) -> Sampling:
        for key, text in self._changes:
            change = CHANGES.get(key)
            if change is None:
                raise UnknownSutError(f"{self.name}: {key!r} is none of {', '.join(_KEYS)}")
            try:
                sampling = change(sampling, text)
            except ValueError:
                kind = "neither on nor off" if key == "cache" else "no number"
                raise UnknownSutError(f"{self.name}: {key}={text} is {kind}") from None
        return sampling
