"""`evals serve-sim`: simulated models over HTTP, with injected faults and a rate limit."""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from runner.shipped import shipped_or_none

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from runner.suites.diff_edit.cases import DiffEditCase
    from suts.simulated.book import TruthBook
    from suts.sut import Message, Truth

_CASES = "A folder of diff-edit cases or CodRep tasks, or a completion data set; models know their right answers."
_PARAMETERS = "Parameters of every model, as name=value&..., such as valid=0.8&pieces=100."
_KEY_ENV = "The environment variable with the only API key that is accepted."
_FORBID = "Refuse each request about this case with status 403."
_REFUSE = "Refuse each request with one of these parameters, comma-separated, with status 400, such as temperature."
_LLAMACPP = "Play llama.cpp's server, with a context window of so many tokens and one slot. 0 = do not."
_FAULTS = (
    "Rates of faults, such as 429=0.1,500=0.05,529=0.02,reset=0.03,malformed=0.02,cut=0.03,stall=0.01,error=0.02,"
    "odd=0.01,open=0.01,forbidden=0.01."
)


_BATCHES = (
    "How batches behave: polls=2,expired=0.5,lost=1,cut=1 ends each at the third question after it, lets half of its"
    " lines expire, loses the reply to the first submission, and breaks off the first download."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSimOptions:
    """The options of `evals serve-sim`."""

    cases: Annotated[Path | None, Option("--cases", help=_CASES, callback=shipped_or_none)] = None
    port: Annotated[int, Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")] = 0
    host: Annotated[str, Option("--host", help="The address to listen on.")] = "127.0.0.1"
    seed: Annotated[int, Option("--seed", help="The seed of faults, and of runs whose answers are to be known.")] = 0
    ttft_ms: Annotated[
        float | None, Option("--ttft-ms", min=0, help="Milliseconds to the first piece of an answer.")
    ] = None
    gap_ms: Annotated[float | None, Option("--gap-ms", min=0, help="Milliseconds between pieces.")] = None
    parameters: Annotated[str, Option("--parameters", help=_PARAMETERS)] = ""
    fault: Annotated[str, Option("--fault", help=_FAULTS)] = ""
    fault_first: Annotated[bool, Option("--fault-first", help="Start each case with one fault of each kind.")] = False
    retry_after_s: Annotated[
        float, Option("--retry-after-s", min=0, help="The Retry-After of an injected 429, in seconds.")
    ] = 1.0
    stall_s: Annotated[float | None, Option("--stall-s", min=0, help="Seconds until a stalled stream is reset.")] = None
    rps: Annotated[
        float, Option("--rps", min=0, help="Maximum requests per second; others get status 429. 0 = no limit.")
    ] = 0.0
    burst: Annotated[int, Option("--burst", min=1, help="Maximum requests at once within the limit.")] = 10
    rate_headers: Annotated[
        bool, Option("--rate-headers/--no-rate-headers", help="Send the limit in the headers of every answer.")
    ] = True
    llamacpp_window: Annotated[int, Option("--llamacpp-window", min=0, metavar="TOKENS", help=_LLAMACPP)] = 0
    batches: Annotated[str, Option("--batches", help=_BATCHES)] = ""
    forbid: Annotated[str, Option("--forbid", metavar="CASE", help=_FORBID)] = ""
    refuse: Annotated[str, Option("--refuse", metavar="PARAMETERS", help=_REFUSE)] = ""
    key_env: Annotated[str, Option("--key-env", metavar="NAME", help=_KEY_ENV)] = ""


def serve_sim(options: ServeSimOptions) -> None:
    """Serve simulated models over HTTP, until interrupted.

    Speaks the wires of OpenAI and Anthropic.
    """
    import asyncio
    from contextlib import suppress

    from runner.console import put
    from runner.errors import InputError
    from suts.simulated.batches import parse_batch_faults
    from suts.simulated.book import TruthBook
    from suts.simulated.config import ServerConfig
    from suts.simulated.faults import parse_faults
    from suts.simulated.llamacpp import LlamaCpp
    from suts.simulated.server import serve

    try:
        config = ServerConfig(
            host=options.host,
            port=options.port,
            book=TruthBook() if options.cases is None else book_in(options.cases),
            seed=options.seed,
            parameters=_parameters(options),
            faults=parse_faults(options.fault, first=options.fault_first),
            retry_after_s=options.retry_after_s,
            stall_s=options.stall_s,
            rps=options.rps,
            burst=options.burst,
            rate_headers=options.rate_headers,
            forbidden=options.forbid,
            refused=tuple(filter(None, options.refuse.split(","))),
            batches=parse_batch_faults(options.batches),
            llamacpp=LlamaCpp(options.llamacpp_window) if options.llamacpp_window else None,
            key=_key_in(options.key_env),
        )
        with suppress(KeyboardInterrupt):
            asyncio.run(serve(config, lambda url: put(f"listening on {url}\n")))
    except ValueError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(
            f"cannot listen on {options.host}:{options.port} ({error.strerror}); choose another --port"
        ) from error


def _parameters(options: ServeSimOptions) -> str:
    """Return the parameters of every model, those that have options of their own last."""
    paces = {"ttft_ms": options.ttft_ms, "gap_ms": options.gap_ms}
    own = [f"{name}={value:g}" for name, value in paces.items() if value is not None]
    return "&".join(filter(None, [options.parameters, *own]))


def _key_in(name: str) -> str:
    """Return the key that a variable holds, "" without a name: a list of processes would show a key among arguments."""
    import os

    from runner.environment import variables_of
    from runner.errors import InputError

    if not name:
        return ""
    key = variables_of(Path.cwd(), os.environ).merged.get(name, "")
    if not key:
        raise InputError(f"--key-env {name}: no such variable, or an empty one; set it to the key")
    return key


def book_in(folder: Path) -> "TruthBook":
    """Return the truths about diff-edit cases, CodRep tasks or a completion data set. Raises InputError."""
    from runner.suites.codrep.served import is_codrep, questions_of
    from runner.suites.completion import served
    from runner.suites.diff_edit.cases import load_cases
    from suts.simulated.book import truth_book

    if served.is_completion(folder):
        return truth_book(served.questions_of(folder))
    return truth_book(questions_of(folder)) if is_codrep(folder) else book_of(load_cases(folder).cases)


def book_of(cases: "Iterable[DiffEditCase]") -> "TruthBook":
    """Return the truths about these cases, by their conversations, as in-process models get them."""
    from runner.run.session import lane_keys
    from runner.storage.ledger import Question
    from runner.suites.diff_edit.served_tools import ServedTools
    from runner.suites.diff_edit.sim_truth import truth_of
    from suts.simulated.book import truth_book

    known = {case.case_id: case for case in cases}
    truth = truth_of(known.values(), seed=0)
    lanes = lane_keys([""], [""], list(known))
    truths = ((lane.case_id, truth(Question(lane))) for lane in lanes)
    rows = [(known[case_id].messages, about) for case_id, about in truths if about is not None]
    return replace(truth_book([*rows, *_with_native_calls(rows)]), of_tool=ServedTools(known.values()))


def _with_native_calls(
    rows: "Iterable[tuple[tuple[Message, ...], Truth]]",
) -> "Iterator[tuple[tuple[Message, ...], Truth]]":
    """Yield the conversations again as models with native calls get them, where they can be shown so."""
    from runner.suites.diff_edit.native_history import NoNativeFormError, native_messages

    for messages, truth in rows:
        with suppress(NoNativeFormError):
            yield native_messages(messages), truth
