"""Everything that litellm reaches: `litellm/bedrock/…`, `litellm/gemini/…`; an optional extra.

litellm parses a provider's stream into chunks of its own; they are written down again as bytes of the wire
`openai-chat`, so that a run over litellm is stored and replayed like any other. What litellm makes up on the way
is taken out again: token counts and prices of its own where the provider sent none, the finish reason of a stream
that was cut, the name of the model that was asked for as the one that served. It costs forty times what the
transport of our own does.
"""

import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Protocol, cast

import orjson

from suts.connection import NO_KEY, checked_url, fingerprint, is_loopback, key_in
from suts.failures import MESSAGE_LIMIT, failure, redacted
from suts.network import route_to, variables_for
from suts.openai_chat import chat_messages
from suts.posting import Body, sent_sampling
from suts.rate_headers import read_rate_headers
from suts.reaching import SILENT_S, SilentError
from suts.redaction import MIN_LENGTH
from suts.sdk import HttpClient, http_client, look, transport_errors
from suts.settings import Secret, Settings
from suts.sut import Endpoint, ErrorKind, Received, Request, Sampling, SutError, Wire
from suts.unreachable import is_unconnected, unreachable
from suts.wires import WIRES

# Read by litellm when it is imported: no prices from the network, no `.env` of its own choosing.
_BEFORE_IMPORT = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}
# litellm takes a hundred equal chunks in a row for a loop of the model and aborts; a table of zeros is no loop.
_EQUAL_CHUNKS = 10**9
# Parameters with a default: sent where the model takes them. Others are asked for, so litellm may refuse them.
_OPTIONAL = ("temperature", "seed")
_CREDENTIAL = re.compile(r"_(?:API_KEY|ACCESS_KEY|SECRET_KEY|SECRET|TOKEN|PASSWORD)$")


class LitellmSut:
    """One model behind litellm."""

    def __init__(self, model: str, settings: Settings) -> None:
        """`model` as litellm names it, its vendor first. Imports litellm: 2 s.

        Raises UnknownSutError for a base URL or a key that connections of our own would refuse, too.
        """
        vendor = model.partition("/")[0]
        urls = _base_urls(vendor, settings)
        for url in urls:
            checked_url(url, settings)
        # A vendor's own address is known to litellm alone, so all that is known of it is that it is on the internet.
        known_url = next(iter(urls), "")
        route = route_to(known_url or "https://", settings.network, loopback=is_loopback(known_url))
        os.environ.update(_BEFORE_IMPORT | variables_for(known_url, route, settings.network))
        self._litellm = cast("_Litellm", import_module("litellm"))
        self._litellm.REPEATED_STREAMING_CHUNK_LIMIT = _EQUAL_CHUNKS
        self._litellm.suppress_debug_info = True
        key = key_in(settings, f"{vendor.upper()}_API_KEY")
        self._key = Secret(key or (NO_KEY if settings.base_url else ""))
        self.secrets = (*_secrets(self._key, settings.environment), *route.secrets)
        self.name = f"litellm/{model}"
        self.endpoint = Endpoint(
            "litellm",
            settings.base_url or vendor,
            fingerprint(self._key),
            proxy=route.address,
            own_server=bool(settings.base_url),
        )
        self.wire: Wire = WIRES["openai-chat"]
        self._model = model
        self._route = route
        self._settings = settings
        openai = import_module("openai")
        self._errors: tuple[type[Exception], ...] = (openai.OpenAIError, OSError, ValueError, *transport_errors())

    async def stream(self, request: Request) -> AsyncGenerator[Received]:
        """Ask and yield the chunks as bytes. Raises SutError, nothing else."""
        now_ns = self._settings.now_ns
        broken, started = None, False
        try:
            chunks = await self._litellm.acompletion(**self._body(request))
            async for chunk in chunks:
                started = True
                yield Received(now_ns(), _event(chunk.model_dump(exclude_none=True)))
            if chunks.received_finish_reason is None:
                raise SutError(ErrorKind.CUT, "the stream ended before a finish reason")
            for payload in _ending(chunks.chunks):
                yield Received(now_ns(), payload)
        except self._errors as error:
            broken = self._broken(error, started=started)
        # Raised out here so that it drags no exception along that remembers the request's headers.
        if broken is not None:
            raise broken

    def sent(self, request: Request) -> Sampling:
        """Return the sampling as litellm gets it."""
        return sent_sampling(request.sampling, self._body(request))

    async def reach(self) -> None:
        """Raise SutError if nothing listens at the base URL; what a vendor's paths are only litellm knows."""
        if not self._settings.base_url:
            return
        client = import_module("openai").DefaultAsyncHttpxClient
        http: HttpClient = http_client(client, self._route, timeout=SILENT_S)
        try:
            with suppress(SilentError):
                await look(http, {}, self._route.address, self._settings.base_url)
        finally:
            await http.aclose()

    async def aclose(self) -> None:
        """Close the connections that litellm keeps."""
        await self._litellm.close_litellm_async_clients()

    def _body(self, request: Request) -> Body:
        supported = self._litellm.get_supported_openai_params(self._model) or ()
        sampling = _sampling(request.sampling)
        unsupported = {name for name in _OPTIONAL if name not in supported}
        return {
            "model": self._model,
            "messages": chat_messages(request, marked=False),
            "stream": True,
            "stream_options": {"include_usage": True},
            "num_retries": 0,
            "max_retries": 0,
            "api_key": self._key or None,
            "api_base": self._settings.base_url or None,
            **{name: value for name, value in sampling.items() if name not in unsupported},
        }

    def _broken(self, error: Exception, *, started: bool) -> SutError:
        if not started and is_unconnected(error):
            # litellm calls it a status of 500.
            return unreachable(error, self.endpoint.base_url, *self.secrets, proxy=self._route.address)
        status = getattr(error, "status_code", None)
        if started or not isinstance(status, int):
            text = redacted(" ".join(f"{type(error).__name__}: {error}".split()), *self.secrets)[:MESSAGE_LIMIT]
            return SutError(ErrorKind.CUT if started else ErrorKind.CONNECTION, text)
        headers: Mapping[str, str] = getattr(error, "litellm_response_headers", None) or {}
        at_ns, unix_s = self._settings.now_ns(), self._settings.unix_s()
        rates = read_rate_headers(headers, status=status, at_ns=at_ns, unix_s=unix_s)
        return failure(str(error), status=status, retry_after_s=rates.retry_after_s, secrets=self.secrets)


def litellm_sut(model: str, settings: Settings) -> LitellmSut:
    """Return the factory. Raises ImportError where the extra is not installed."""
    return LitellmSut(model, settings)


def _secrets(key: Secret, environment: Mapping[str, str]) -> tuple[Secret, ...]:
    """Return the key, and every credential of the environment: litellm reads there what its vendors want."""
    values = (text.strip() for name, text in environment.items() if _CREDENTIAL.search(name))
    return (*([] if key == NO_KEY else [key]), *(Secret(text) for text in values if len(text) >= MIN_LENGTH))


def _base_urls(vendor: str, settings: Settings) -> list[str]:
    """Return the base URL that is given, else those that litellm itself takes from the variables of the process."""
    if settings.base_url:
        return [settings.base_url]
    names = (f"{vendor.upper()}_{end}" for end in ("API_BASE", "BASE_URL"))
    values = (settings.environment.get(name, "").strip() for name in names if name not in settings.untrusted)
    return [url for url in values if url]


def _sampling(sampling: Sampling) -> Body:
    body: Body = {sampling.limit_name or "max_tokens": sampling.max_tokens}
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if sampling.effort is not None:
        body["reasoning_effort"] = sampling.effort
    if sampling.thinking_budget:
        body["thinking"] = {"type": "enabled", "budget_tokens": sampling.thinking_budget}
    elif sampling.temperature is not None:
        body["temperature"] = sampling.temperature
    return body


def _event(chunk: dict[str, object]) -> bytes:
    """Return a chunk as it would come from a server, without the usage and the model, which litellm fills in itself.

    Raises SutError(MALFORMED) for a value that JSON cannot express, such as half a surrogate pair.
    """
    kept = {name: value for name, value in chunk.items() if name not in ("usage", "model")}
    return _line(kept)


def _line(payload: dict[str, object]) -> bytes:
    try:
        return b"data: " + orjson.dumps(payload) + b"\n\n"
    except orjson.JSONEncodeError as error:
        raise SutError(ErrorKind.MALFORMED, f"litellm passed on a chunk that cannot be stored: {error}") from None


def _ending(chunks: "Sequence[_Chunk]") -> list[bytes]:
    """Return the last usage that the provider itself sent, if any, and the end marker."""
    usages = [usage for chunk in chunks if (usage := getattr(chunk, "usage", None)) is not None]
    payloads = [{"choices": [], "usage": usage.model_dump(exclude_none=True)} for usage in usages[-1:]]
    return [*map(_line, payloads), b"data: [DONE]\n\n"]


class _Chunk(Protocol):
    def model_dump(self, *, exclude_none: bool) -> dict[str, object]: ...


class _Chunks(Protocol):
    """litellm's CustomStreamWrapper: `chunks` are those of the provider, usage included."""

    received_finish_reason: str | None
    chunks: Sequence[_Chunk]

    def __aiter__(self) -> AsyncIterator[_Chunk]: ...


class _Litellm(Protocol):
    """What is used of the module."""

    REPEATED_STREAMING_CHUNK_LIMIT: int
    suppress_debug_info: bool

    async def acompletion(self, **parameters: object) -> _Chunks: ...

    async def close_litellm_async_clients(self) -> None: ...

    def get_supported_openai_params(self, model: str) -> list[str] | None: ...
