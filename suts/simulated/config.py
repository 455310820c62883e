"""The configuration of the simulated server."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic_ns, time

from suts.simulated.batches import BatchFaults
from suts.simulated.book import TruthBook
from suts.simulated.faults import Faults
from suts.simulated.gate import LARGEST_BODY
from suts.simulated.llamacpp import LlamaCpp


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """What the server is to be.

    - `parameters`: `name=value&...`, for every model, such as `ttft_ms=200&gap_ms=5`; a model's own come first.
    - `seed`: of the faults, and of requests that bring none; a seed above it names the attempt.
    - `retry_after_s`: the wait that an injected 429 reports; a 429 of the rate limit reports the real one.
    - `stall_s`: after so long a stalled stream is reset; None = never.
    - `rps`, `burst`: the rate limit; 0 = none. `rate_headers`: report it in the headers of every answer.
    - `forbidden`: the case about which each request is refused with status 403; "" = none.
    - `refused`: the parameters that every request with one of them is refused for, with status 400.
    - `llamacpp`: play llama.cpp's server; None = a server like OpenAI's.
    - `batches`: how the batch APIs behave.
    - `key`: the only API key that is served; "" = any, or none.
    - `largest_body`: the most bytes that a request's body may have.
    - `now_ns`, `unix_s`: the monotonic clock in nanoseconds, and the wall clock in seconds.
    """

    host: str = "127.0.0.1"
    port: int = 0
    book: TruthBook = field(default_factory=TruthBook)
    seed: int = 0
    parameters: str = ""
    faults: Faults = field(default_factory=Faults)
    retry_after_s: float = 1.0
    stall_s: float | None = None
    rps: float = 0.0
    burst: int = 10
    rate_headers: bool = True
    forbidden: str = ""
    refused: tuple[str, ...] = ()
    llamacpp: LlamaCpp | None = None
    batches: BatchFaults = field(default_factory=BatchFaults)
    key: str = ""
    largest_body: int = LARGEST_BODY
    now_ns: Callable[[], int] = monotonic_ns
    unix_s: Callable[[], float] = time
