"""A simulated model in process: real bytes, read by the real wires, at planned times."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from time import monotonic_ns

import pytest

from suts.simulated import SimulatedSut, simulated
from suts.simulated.models import plan
from suts.simulated.spec import parse_spec
from suts.simulated.usage import SIM_PRICES, prompt_tokens, tokens
from suts.sut import Event, Finish, Message, ReasoningDelta, Received, Request, Sampling, Sut, TextDelta, Truth, Usage

WIRES = ["openai-chat", "anthropic-messages"]
TRUTH = Truth("greeting", number=2, path="greet.py", blocks=(("a\n", "b\n"),), before="a\n")
REQUEST = Request("You edit files.", (Message("user", "Greet “politely” 🙂."),), truth=TRUTH)


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    now_ns: Callable[[], int] = lambda: 1_000


async def received(sut: Sut, request: Request = REQUEST) -> list[Received]:
    return [piece async for piece in sut.stream(request)]


def decoded(sut: Sut, pieces: list[Received]) -> list[Event]:
    decoder = sut.wire.decoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    decoder.finish()
    return events


def last_usage(events: list[Event]) -> Usage:
    merged: dict[str, float] = {}
    for event in events:
        if isinstance(event, Usage):
            merged |= {name: value for name, value in event._asdict().items() if value is not None}
    return Usage(**merged)  # type: ignore[arg-type]  # the fields of a Usage, merged


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("preset", ["careful", "sloppy", "chatty"])
async def test_the_wire_reads_back_what_was_planned(wire: str, preset: str) -> None:
    sut = simulated(f"sim/{preset}?time=virtual&wire={wire}", Settings())

    events = decoded(sut, await received(sut))

    planned = plan(sut.spec, TRUTH)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == planned.text
    assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == planned.reasoning
    finishes = [event for event in events if isinstance(event, Finish)]
    assert len(finishes) == 1
    assert finishes[0].model == f"simulated-{preset}"
    assert sut.wire.name == wire


@pytest.mark.parametrize("wire", WIRES)
async def test_the_usage_is_told_in_four_classes_that_do_not_overlap(wire: str) -> None:
    sut = simulated(f"sim/chatty?time=virtual&cached=0.5&wire={wire}", Settings())

    usage = last_usage(decoded(sut, await received(sut)))

    planned = plan(sut.spec, TRUTH)
    prompt = prompt_tokens(REQUEST.system, [message.text for message in REQUEST.messages])
    assert usage.cache_read_tokens == prompt // 2
    assert usage.input_tokens == prompt - prompt // 2
    assert usage.output_tokens == tokens(planned.text) + tokens(planned.reasoning)
    assert usage.reasoning_tokens == tokens(planned.reasoning) > 0


async def test_the_first_attempt_writes_the_cache_that_later_ones_read() -> None:
    sut = simulated("sim/careful?time=virtual&cached=0.5&wire=anthropic", Settings())
    first = Request("system", REQUEST.messages, truth=Truth("greeting", number=1))

    usage = last_usage(decoded(sut, await received(sut, first)))

    prompt = prompt_tokens(first.system, [message.text for message in first.messages])
    assert (usage.cache_write_tokens, usage.cache_read_tokens) == (prompt // 2, 0)
    assert usage.input_tokens == prompt - prompt // 2


async def test_openrouter_tells_the_cost_and_the_upstream() -> None:
    sut = simulated("sim/sloppy?time=virtual&flavour=openrouter", Settings())

    events = decoded(sut, await received(sut))

    usage, price = last_usage(events), SIM_PRICES["sloppy"]
    assert usage.input_tokens is not None
    assert usage.output_tokens is not None
    cost = (usage.input_tokens * price.input + usage.output_tokens * price.output) / 1e6
    assert usage.cost_usd == pytest.approx(cost, rel=1e-12)
    assert [event.upstream for event in events if isinstance(event, Finish)] == ["Simulated"]


async def test_virtual_pieces_are_stamped_exactly_as_planned() -> None:
    sut = simulated("sim/careful?time=virtual&ttft_ms=200&gap_ms=5&jitter=0", Settings())

    pieces = await received(sut)

    assert pieces[0] == Received(1_000, b"")
    assert pieces[-1] == Received(pieces[-2].at_ns, b"")
    assert pieces[1].at_ns == 1_000 + 200_000_000
    assert {later.at_ns - earlier.at_ns for earlier, later in pairwise(pieces[1:-1])} == {5_000_000}


async def test_jitter_keeps_the_mean_and_its_bounds() -> None:
    sut = simulated("sim/chatty?time=virtual&ttft_ms=0&gap_ms=4&jitter=0.5&prose=2000", Settings())

    stamps = [piece.at_ns for piece in await received(sut) if piece.data]

    gaps = [(later - earlier) / 1e6 for earlier, later in pairwise(stamps)]
    assert len(gaps) > 500
    assert min(gaps) >= 2
    assert max(gaps) <= 6
    assert sum(gaps) / len(gaps) == pytest.approx(4, abs=0.2)


async def test_real_pieces_are_waited_for() -> None:
    sut = simulated("sim/careful?ttft_ms=60&gap_ms=1&jitter=0", Settings(now_ns=monotonic_ns))
    start = monotonic_ns()

    pieces = await received(sut)

    planned_ms = 60 + len(pieces) - 1
    assert pieces[0].at_ns - start >= 60_000_000
    assert planned_ms <= (pieces[-1].at_ns - start) / 1e6 < planned_ms + 5000


async def test_the_same_attempt_gives_the_same_bytes() -> None:
    first, second = (simulated("sim/sloppy?time=virtual", Settings()) for _ in range(2))

    assert await received(first) == await received(second)


@pytest.mark.parametrize("count", [1, 100, 250])
async def test_an_answer_can_have_an_exact_number_of_pieces(count: int) -> None:
    sut = simulated(f"sim/any?time=virtual&pieces={count}", Settings())

    pieces = [piece for piece in await received(sut) if piece.data]

    assert len(pieces) == count + 1
    assert plan(sut.spec, TRUTH).outcome == "applied"


async def test_a_limit_of_tokens_ends_the_answer_by_length() -> None:
    sut = simulated("sim/careful?time=virtual", Settings())
    request = Request("system", REQUEST.messages, Sampling(max_tokens=10), TRUTH)

    events = decoded(sut, await received(sut, request))

    assert [event.reason for event in events if isinstance(event, Finish)] == ["length"]
    assert last_usage(events).output_tokens == 10


async def test_a_request_without_truth_is_answered_with_prose() -> None:
    sut = simulated("sim/careful?time=virtual", Settings())

    events = decoded(sut, await received(sut, Request("system", REQUEST.messages)))

    assert any(isinstance(event, TextDelta) for event in events)


@pytest.mark.parametrize("model", ["careful", "sim/careful"])
def test_a_simulated_model_says_so(model: str) -> None:
    sut: Sut = simulated(model, Settings())

    assert SimulatedSut.simulated
    assert sut.endpoint.simulated
    assert sut.endpoint.base_url == "in-process"
    assert sut.name == "sim/careful"


def test_every_preset_has_a_price() -> None:
    assert {parse_spec(name).preset for name in SIM_PRICES} == set(SIM_PRICES)
