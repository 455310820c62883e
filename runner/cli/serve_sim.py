"""`evals serve-sim`: simulated models over HTTP on loopback, with faults to order and a rate limit."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from runner.suites.diff_edit.cases import DiffEditCase
    from suts.simulated.book import TruthBook

_CASES = "A folder of diff-edit cases or CodRep tasks, or a completion data set: these are answered rightly."
_PARAMETERS = "name=value&... for every model, such as valid=0.8&pieces=100."
_FAULTS = "Rates of faults, such as 429=0.1,500=0.05,529=0.02,reset=0.03,malformed=0.02,cut=0.03,stall=0.01,error=0.02."


def serve_sim(
    cases: Annotated[Path | None, typer.Option(help=_CASES)] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 0,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    seed: Annotated[int, typer.Option(help="The seed of faults, and of requests that bring none.")] = 0,
    ttft_ms: Annotated[float | None, typer.Option(min=0, help="Milliseconds to the first piece.")] = None,
    gap_ms: Annotated[float | None, typer.Option(min=0, help="Milliseconds between pieces.")] = None,
    parameters: Annotated[str, typer.Option(help=_PARAMETERS)] = "",
    fault: Annotated[str, typer.Option(help=_FAULTS)] = "",
    fault_first: Annotated[bool, typer.Option("--fault-first", help="Each kind once, first, for each case.")] = False,
    retry_after_s: Annotated[float, typer.Option(min=0, help="What a planted 429 tells.")] = 1.0,
    stall_s: Annotated[float | None, typer.Option(min=0, help="Reset a stalled stream after so long.")] = None,
    rps: Annotated[
        float, typer.Option(min=0, help="Requests a second; more are refused with 429. 0 = no limit.")
    ] = 0.0,
    burst: Annotated[int, typer.Option(min=1, help="Requests at once within the limit.")] = 10,
    rate_headers: Annotated[bool, typer.Option(help="Tell of the limit in the headers of every answer.")] = True,
    key: Annotated[str, typer.Option(hide_input=True, help="The only API key that is served.")] = "",
) -> None:
    """Serve simulated models over the wires of OpenAI and Anthropic, until interrupted."""
    import asyncio
    from contextlib import suppress

    from runner.console import put
    from runner.errors import InputError
    from suts.simulated.book import TruthBook
    from suts.simulated.config import ServerConfig
    from suts.simulated.faults import parse_faults
    from suts.simulated.server import serve

    paces = {"ttft_ms": ttft_ms, "gap_ms": gap_ms}
    told = [f"{name}={value:g}" for name, value in paces.items() if value is not None]
    try:
        config = ServerConfig(
            host=host,
            port=port,
            book=TruthBook() if cases is None else book_in(cases),
            seed=seed,
            parameters="&".join(filter(None, [parameters, *told])),
            faults=parse_faults(fault, first=fault_first),
            retry_after_s=retry_after_s,
            stall_s=stall_s,
            rps=rps,
            burst=burst,
            rate_headers=rate_headers,
            key=key,
        )
        with suppress(KeyboardInterrupt):
            asyncio.run(serve(config, lambda url: put(f"listening on {url}\n")))
    except ValueError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(f"cannot listen on {host}:{port} ({error.strerror}); choose another --port") from error


def book_in(folder: Path) -> "TruthBook":
    """The book of diff-edit cases, of CodRep tasks, or of a completion data set. Raises InputError."""
    from runner.suites.codrep.served import is_codrep, questions_of
    from runner.suites.completion import served
    from runner.suites.diff_edit.cases import load_cases
    from suts.simulated.book import truth_book

    if served.is_completion(folder):
        return truth_book(served.questions_of(folder))
    return truth_book(questions_of(folder)) if is_codrep(folder) else book_of(load_cases(folder).cases)


def book_of(cases: "Iterable[DiffEditCase]") -> "TruthBook":
    """What the server must know of these cases: by their conversations, the truths that in-process models get."""
    from runner.run.session import lane_keys
    from runner.storage.ledger import Question
    from runner.suites.diff_edit.attempt import truth_of
    from suts.simulated.book import truth_book

    known = {case.case_id: case for case in cases}
    truth = truth_of(known.values(), seed=0)
    lanes = lane_keys([""], [""], list(known))
    truths = ((lane.case_id, truth(Question(lane))) for lane in lanes)
    return truth_book((known[case_id].messages, about) for case_id, about in truths if about is not None)
