"""Keys of every shape that servers repeat in every way, through every route: none is recorded."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import zstandard

from parsers import PARSERS
from runner.doctor.ping import ping_all
from runner.prices import Prices
from runner.records import Completion
from runner.report.export import as_csv, as_jsonl, records
from runner.run.ask import asking
from runner.run.budget import Budget
from runner.run.call_context import CallContext, Retries
from runner.run.limits import CallLimits, Rates
from runner.run.redaction import crash_text
from runner.storage.ledger import LaneKey, Ledger
from runner.storage.store import Store
from runner.storage.streams import Packed, read_again, unpack
from suts.redaction import REDACTED, redactor_of
from suts.registry import resolve
from suts.settings import Settings
from suts.sut import Message, Request, Sut, SutError
from suts.wires import WIRES
from tests.echo_server import ANSWERS, FAILURES, echoing
from tests.keys import KEYS
from tests.runner.made_runs import UTC, make_run, plan, variant


@dataclass(frozen=True)
class Route:
    """A way to a server: an id, what follows the server's address, and whether it is asked by a prompt."""

    model: str
    path: str = "/v1"
    prompted: bool = False


ROUTES = {
    "openai": Route("openai/m"),
    "prompts": Route("openai/m", prompted=True),
    "anthropic": Route("anthropic/m", ""),
    "openai-sdk": Route("openai-sdk/m"),
    "anthropic-sdk": Route("anthropic-sdk/m", ""),
    "litellm": Route("litellm/openai/m"),
}
every_route = pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)


def made(route: Route, url: str, key: str) -> Sut:
    environment = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY"), key)
    return resolve(route.model, Settings(base_url=url + route.path, environment=environment))


def keys_for(route: Route) -> list[str]:
    """The keys that a route can send: the HTTP library of the SDKs sends ASCII only."""
    own = route.model.partition("/")[0] in ("openai", "anthropic")
    return [key for key in KEYS.values() if own or key.isascii()]


def begun(store: Store, route: Route) -> None:
    """A run that asks the route each kind of question."""
    make_run(store, planned=plan(cases=[*ANSWERS, *FAILURES], variants=[variant(route.model)]))


def context_of(store: Store, said: list[str]) -> CallContext:
    return CallContext(
        ledger=Ledger(store, "r1", lambda: UTC),
        limits=CallLimits(Rates(), 80, time.monotonic, said.append),
        budget=Budget(),
        prices=Prices("2026-01-01"),
        now_ns=time.monotonic_ns,
        say=said.append,
        retries=Retries(tries=1),
    )


def written(store: Store) -> Iterator[str]:
    """All that the database holds: as it reads, as it is exported, and as it lies in its files."""
    for table in ("lanes", "answers"):
        yield from (str(tuple(row)) for row in store.rows(f"SELECT * FROM {table}"))  # noqa: S608
    for row in store.rows("SELECT encoding, content FROM texts"):
        yield store.decode_text(row["encoding"], row["content"])
    for row in store.rows("SELECT data FROM streams"):
        yield zstandard.ZstdDecompressor().decompress(row["data"]).decode("utf-8", "replace")
    yield from exported(store)
    # What has been written is in the log first, then in the file.
    log = store.path.with_name(f"{store.path.name}-wal")
    assert log.stat().st_size > 0
    yield log.read_bytes().decode("utf-8", "replace")
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    yield store.path.read_bytes().decode("utf-8", "replace")


def exported(store: Store) -> Iterator[str]:
    """Every answer, as one without a tool call, and every failure, as `evals export` writes them."""
    store.execute(
        """
        INSERT INTO scorings (run_id, answer_id, parser, diff_algorithm, outcome, valid, solved)
        SELECT 'r1', answer_id, 'xml-tools-v2', 'v4', 'no_tool_call', 0, 0 FROM answers WHERE outcome = 'answered'"""
    )
    for form in (as_csv, as_jsonl):
        text = "\n".join(form(records(store, "r1")))
        assert REDACTED in text
        yield text


async def told(context: CallContext, sut: Sut, kind: str, request: Request) -> Completion | str:
    """The answer, or what is said of the error."""
    try:
        return await asking(context, sut, LaneKey(sut.name, "basic", kind), PARSERS["xml-tools-v2"])(request)
    except SutError as error:
        return str(error)


def request_of(route: Route, kind: str) -> Request:
    return Request("", (), prompt=kind) if route.prompted else Request("", (Message("user", kind),))


async def repeated(store: Store, route: Route, keys: list[str]) -> str:
    """All that is recorded and said of every kind of answer to every key."""
    begun(store, route)
    said: list[str] = []
    async with echoing() as (url, heard):
        for key in keys:
            sut, context = made(route, url, key), context_of(store, said)
            async with context.ledger:
                kinds = (*ANSWERS, *FAILURES)
                answers = await asyncio.gather(*(told(context, sut, kind, request_of(route, kind)) for kind in kinds))
            said += [repr(answer) for answer in answers]
            assert REDACTED in repr(answers[0])
            await sut.aclose()
    assert set(heard) == set(keys)
    return "\n".join((*said, *written(store)))


@every_route
async def test_no_key_is_recorded_or_said_whatever_a_server_repeats(store: Store, route: Route) -> None:
    keys = [KEYS["plain"], KEYS["quotes"]]

    found = await repeated(store, route, keys)

    assert [key for key in keys if redactor_of(key).finds(found)] == []


@pytest.mark.slow
@every_route
async def test_no_key_of_any_shape_is_recorded_or_said(store: Store, route: Route) -> None:
    keys = keys_for(route)

    found = await repeated(store, route, keys)

    assert [key for key in keys if redactor_of(key).finds(found)] == []


@every_route
async def test_what_is_recorded_reads_as_what_was_computed(store: Store, route: Route) -> None:
    begun(store, route)
    key = KEYS["overlapping"]

    async with echoing() as (url, _):
        sut, context = made(route, url, key), context_of(store, [])
        async with context.ledger:
            answer = await told(context, sut, "text", request_of(route, "text"))
        await sut.aclose()

    assert isinstance(answer, Completion)
    assert answer.text == f"I say {REDACTED} and {REDACTED}."
    (row,) = store.rows("SELECT pieces, bytes, data, wire FROM streams")
    packed = Packed(row["pieces"], row["bytes"], row["data"])
    again = read_again(
        unpack(packed, zstandard.ZstdDecompressor()), WIRES[row["wire"]].decoder(), PARSERS["xml-tools-v2"].start()
    )
    assert (again.text, again.clocks) == (answer.text, answer.clocks)


@every_route
async def test_a_ping_shows_no_key(route: Route) -> None:
    key = KEYS["plain"]

    async with echoing() as (url, heard):
        pings = await ping_all([made(route, url, key)], time.monotonic_ns, 20)

    assert heard == [key], pings
    assert key not in repr(pings)


def test_the_traceback_of_a_bug_shows_no_key() -> None:
    sut = made(ROUTES["openai"], "http://127.0.0.1:9", KEYS["quotes"])

    shown = crash_text(ValueError(KEYS["quotes"], f"at {KEYS['quotes']}"), [sut])

    assert not redactor_of(KEYS["quotes"]).finds(shown)
    assert "ValueError" in shown
