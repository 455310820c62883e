"""What a server of one's own reports of itself: its context window, its slots, whether it counts tokens.

| server | model, window | slots | tokenizer |
|---|---|---|---|
| llama.cpp | `/props`: `model_path`, `n_ctx`; models list: `meta.n_ctx` | `/props`, `/slots` | `/tokenize` |
| vLLM | models list: `root`, `max_model_len` | - | `/tokenize` |
| Ollama | `/api/ps`: `context_length` of a model that is loaded | - | - |

Vendors' own APIs are not asked: their windows stand in the price table. What cannot be read is unknown, never an error.
"""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from suts.replicated import replicas_of
from suts.reply import Reply
from suts.sut import Sut, SutError
from suts.variants import plain_sut

_OK = 200
_LONGEST_NAME = 200
# What a server that is busy or broken is given before it is asked again, in seconds.
_PAUSES_S = (0.25, 1.0)


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """What a server reports; None and "" = unknown.

    `window` is the most tokens of a question, with its answer if `counts_answer`: then a question is refused unless
    `max_tokens` have room beside it. `slots` is how many requests it answers at once. `tokenizer` names the server
    whose `/tokenize` can be asked.
    """

    server: str = ""
    model: str = ""
    window: int | None = None
    counts_answer: bool = False
    slots: int | None = None
    tokenizer: str = ""


UNKNOWN = ServerFacts()


@runtime_checkable
class Server(Protocol):
    """A system whose server can be asked about itself."""

    model: str
    infills: bool

    async def exchange(self, path: str, body: dict[str, object] | None = None) -> Reply:
        """Send a small request that is no question, and return the reply. Raises SutError without a connection."""
        ...


def server_of(sut: Sut) -> Server | None:
    """Return the server of a system; None where there is none of the user's own to ask."""
    plain = plain_sut(replicas_of(sut)[0])
    return plain if isinstance(plain, Server) and sut.endpoint.own_server else None


async def facts_of(sut: Sut, timeout_s: float = 5.0) -> ServerFacts:
    """Return what the server of a system reports within `timeout_s` seconds; UNKNOWN where nothing can be learnt."""
    server = server_of(sut)
    if server is None:
        return UNKNOWN
    with suppress(SutError, TimeoutError):
        async with asyncio.timeout(timeout_s):
            return await _read(server, sut.endpoint.provider)
    return UNKNOWN


async def exchanged(server: Server, path: str, body: dict[str, object] | None = None) -> Reply:
    """Return the reply to a small request, asked again twice where the server is busy. Raises SutError as `exchange`.

    These requests come before a run, so that its own retries do not hold for them.
    """
    for pause_s in _PAUSES_S:
        reply = await server.exchange(path, body)
        if not reply.is_transient:
            return reply
        await asyncio.sleep(max(pause_s, reply.retry_after_s or 0.0))
    return await server.exchange(path, body)


async def token_count(server: Server, facts: ServerFacts, text: str) -> int | None:
    """Return the tokens of a text by the server's own tokenizer; None where it has none, or does not answer."""
    own: dict[str, object] = {"content": text, "add_special": False}
    if facts.tokenizer == "vllm":
        own = {"model": server.model, "prompt": text, "add_special_tokens": False}
    if not facts.tokenizer:
        return None
    reply = await exchanged(server, "/tokenize", own)
    fields = _members(reply.json) if reply.status == _OK else {}
    tokens = fields.get("tokens")
    return len(tokens) if isinstance(tokens, list) else None


async def _read(server: Server, provider: str) -> ServerFacts:
    card = _card(await exchanged(server, "models"), server.model)
    owner = str(card.get("owned_by") or provider)
    if "llamacpp" in (owner, provider):
        return await _llamacpp(server, card)
    if provider == "ollama":
        return await _ollama(server)
    window = _whole(card.get("max_model_len"))
    vllm = "vllm" if "vllm" in (owner, provider) else ""
    return ServerFacts(vllm, _name(card.get("root")), window, counts_answer=True, tokenizer=vllm)


async def _llamacpp(server: Server, card: Mapping[str, object]) -> ServerFacts:
    props = _members((await exchanged(server, "/props")).json)
    generation = _members(props.get("default_generation_settings"))
    window = _whole(generation.get("n_ctx")) or _whole(_members(card.get("meta")).get("n_ctx"))
    model = _name(props.get("model_path") or card.get("id"))
    facts = ServerFacts("llamacpp", model, window, slots=_whole(props.get("total_slots")), tokenizer="llamacpp")
    if facts.slots is None:
        rows = (await exchanged(server, "/slots")).json
        facts = replace(facts, slots=len(rows) if isinstance(rows, list) and rows else None)
    return facts


async def _ollama(server: Server) -> ServerFacts:
    """Return the window of a loaded model. The server cuts longer questions without a word."""
    rows = _members((await exchanged(server, "/api/ps")).json).get("models")
    loaded = (row for row in _rows(rows) if row.get("name") == server.model)
    return ServerFacts("ollama", window=_whole(next(loaded, {}).get("context_length")))


def _card(reply: Reply, model: str) -> Mapping[str, object]:
    """Return what the models list says of the model; where the list has one model, that one answers to any name."""
    cards = list(_rows(_members(reply.json).get("data")))
    return next((card for card in cards if card.get("id") == model), cards[0] if len(cards) == 1 else {})


def _name(value: object) -> str:
    """Return the beginning of a name, in one line; "" for anything else."""
    return " ".join(value[:_LONGEST_NAME].split()) if isinstance(value, str) else ""


def _rows(value: object) -> Iterable[Mapping[str, object]]:
    return (row for row in value if isinstance(row, dict)) if isinstance(value, list) else ()


def _members(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _whole(value: object) -> int | None:
    return value if type(value) is int and value > 0 else None
