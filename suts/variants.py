"""A model with changed sampling: `model@effort=high,temperature=0.2,thinking=4096` as a separate system."""

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from suts.rate_headers import HeaderSource, OnHeaders
from suts.redaction import secrets_of
from suts.settings import UnknownSutError
from suts.sut import Endpoint, Received, Request, Sampling, Sut, ValidatesRequest, Wire, takes_prompts

Change = Callable[[Sampling, str], Sampling]


def _number(text: str) -> float | None:
    return None if text == "none" else float(text)


def _integer(text: str) -> int | None:
    return None if text == "none" else int(text)


CHANGES: dict[str, Change] = {
    "effort": lambda sampling, text: replace(sampling, effort=text),
    "temperature": lambda sampling, text: replace(sampling, temperature=_number(text)),
    "thinking": lambda sampling, text: replace(sampling, thinking_budget=int(text)),
    "max_tokens": lambda sampling, text: replace(sampling, max_tokens=int(text)),
    "seed": lambda sampling, text: replace(sampling, seed=_integer(text)),
}

_SUFFIX = re.compile(rf"@(?:(?:{'|'.join(CHANGES)})=[^@,]*)(?:,(?:{'|'.join(CHANGES)})=[^@,]*)*$")


def without_changes(name: str) -> str:
    """Return the name of a system without its changes: any other text after an `@` belongs to the model's id."""
    return _SUFFIX.sub("", name)


class SampledSut:
    """A system under test whose sampling is changed for each request; its name includes the changes."""

    def __init__(self, sut: Sut, suffix: str) -> None:
        """`suffix` is the text after the `@`. Raises UnknownSutError for an unknown key or a bad value."""
        self.name = f"{sut.name}@{suffix}"
        self.endpoint: Endpoint = sut.endpoint
        self.wire: Wire = sut.wire
        self.takes_prompts = takes_prompts(sut)
        self._sut = sut
        self._changes = [part.partition("=")[::2] for part in suffix.split(",")]
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
        return replace(request, sampling=self._changed(request.sampling))

    def check(self, request: Request) -> None:
        """Raise SutError if the system would refuse to send the changed request."""
        if isinstance(self._sut, ValidatesRequest):
            self._sut.check(self.changed(request))

    def stream(self, request: Request) -> AsyncIterator[Received]:
        """Stream the answer to the changed request."""
        return self._sut.stream(self.changed(request))

    async def aclose(self) -> None:
        """Close the system itself."""
        await self._sut.aclose()

    def _changed(self, sampling: Sampling) -> Sampling:
        for key, text in self._changes:
            change = CHANGES.get(key)
            if change is None:
                raise UnknownSutError(f"{self.name}: {key!r} is none of {', '.join(CHANGES)}")
            try:
                sampling = change(sampling, text)
            except ValueError:
                raise UnknownSutError(f"{self.name}: {key}={text} is no number") from None
        return sampling
