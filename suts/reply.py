"""The reply to a small request that is no question, and what it says of its server."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from suts.no_stream import is_no_stream, is_redirect

_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True, slots=True)
class Reply:
    """A status, headers whose names ignore the case, and the beginning of the body: all of it if `whole`.

    `retry_after_s` is the wait that the server asks for, in seconds; None = none, or not read.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    whole: bool
    retry_after_s: float | None = None

    @property
    def content_type(self) -> str:
        """The declared type of the body."""
        return self.headers.get("content-type", "")

    @property
    def json(self) -> object:
        """The body as JSON; None for a body that is none."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return None

    @property
    def begins_as_json(self) -> bool:
        """Whether the body begins as an object or an array does."""
        return self.body.lstrip()[:1] in (b"{", b"[")

    @property
    def page(self) -> bool:
        """Whether it is text under a good status, neither JSON nor events."""
        return self.status < 300 and not self.begins_as_json and is_no_stream(self.body, self.content_type)

    @property
    def redirects(self) -> bool:
        """Whether it names another place."""
        return is_redirect(self.status, self.headers)

    @property
    def is_transient(self) -> bool:
        """Whether the same request may succeed a little later."""
        return self.status in _TRANSIENT

    @property
    def is_refusal(self) -> bool:
        """Whether the same request will be refused again."""
        return self.status >= 400 and not self.is_transient
