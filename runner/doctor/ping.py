"""One smallest question to a model: does it answer, and how soon."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runner.console import say
from runner.run.redaction import short_key_warning, without_secrets, without_secrets_in_error
from runner.run.resolve import split_models
from runner.storage.streams import AnswerReader
from suts.registry import resolve
from suts.replicated import replicas_of
from suts.settings import Settings, UnknownSutError
from suts.sut import Message, Request, Sampling, Sut, SutError

_ASKED = Request("", (Message("user", "Say ok."),), Sampling(max_tokens=1, temperature=None, seed=None))


@dataclass(frozen=True, slots=True)
class Ping:
    """How one model answered a question of one token; None where it did not. `error` is "" or one line."""

    sut: str
    base_url: str
    key_fingerprint: str
    first_byte_ms: float | None = None
    round_trip_ms: float | None = None
    served_model: str | None = None
    upstream: str | None = None
    error: str = ""


def model_states(model_ids: str, settings: Settings, timeout_s: float | None) -> list[Ping]:
    """Return the state of each of these models, comma-separated: refused or resolved, and asked if there is a timeout.

    A model at several servers has a state for each.
    Keys too short to be removed from answers are warned of.
    """
    refused: list[Ping] = []
    suts: list[Sut] = []
    for name in split_models(model_ids):
        try:
            suts.extend(replicas_of(resolve(name, settings)))
        except UnknownSutError as error:
            refused.append(Ping(name, "", "", error=str(error)))
    if warning := short_key_warning(suts):
        say(warning)
    if timeout_s is None:
        return [*(Ping(sut.name, sut.endpoint.base_url, sut.endpoint.key_fingerprint) for sut in suts), *refused]
    return [*asyncio.run(ping_all(suts, time.monotonic_ns, timeout_s)), *refused]


async def ping_all(suts: Sequence[Sut], now_ns: Callable[[], int], timeout_s: float) -> list[Ping]:
    """Ask all of them at once, each once, without a retry; closes them."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_ping(sut, now_ns, timeout_s)) for sut in suts]
    return [task.result() for task in tasks]


async def _ping(sut: Sut, now_ns: Callable[[], int], timeout_s: float) -> Ping:
    known = (sut.name, sut.endpoint.base_url, sut.endpoint.key_fingerprint)
    reading = AnswerReader(sut.wire.decoder(), None, now_ns())
    try:
        async with asyncio.timeout(timeout_s):
            async for received in sut.stream(_ASKED):
                reading.feed(received)
                if reading.ended:
                    break
            reading.end(now_ns())
            reading = without_secrets(reading, sut, lambda: None)
    except SutError as unsafe:
        error = without_secrets_in_error(unsafe, reading, sut)
        return Ping(*known, error=f"{error.kind}: {error}")
    except TimeoutError:
        return Ping(*known, error=f"no answer within {timeout_s:g} s")
    finally:
        await sut.aclose()
    answer = reading.completion()
    first_ns = reading.stream[0].at_ns - reading.sent_ns
    return Ping(*known, max(first_ns, 0) / 1e6, answer.clocks.round_trip_ms, answer.served_model, answer.upstream)
