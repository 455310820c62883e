"""The three deadlines of a call count tokens: what only shows that a connection is open keeps no call alive."""

from dataclasses import replace

import pytest

from runner.run.options import AskOptions
from runner.run.pace import Deadlines
from runner.storage.store import Store
from suts.sut import ErrorKind, SutError
from suts.wires import WIRES
from tests.runner.contexts import Contexts, asked
from tests.runner.made_runs import make_run
from tests.runner.scripted import ENDPOINT, Script, Scripted, chunk, question
from tests.runner.virtual_time import now_ns, now_s, virtually

PING = b": ping\n\n"
# An event without a token, and one with a token.
EVENTS = {
    "openai-chat": (b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n', chunk("a")),
    "anthropic-messages": (
        b'event: ping\ndata: {"type":"ping"}\n\n',
        b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}\n\n',
    ),
}


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store)
    return Contexts(store)


async def refused(contexts: Contexts, sut: Scripted) -> tuple[SutError, float]:
    """The error of a call, and the virtual seconds until it came."""
    context = contexts.new()
    async with context.ledger:
        with pytest.raises(SutError) as error:
            await question(asked(context, sut))
    return error.value, now_s()


def scripted(script: Script) -> Scripted:
    return Scripted([script], now_ns)


@pytest.mark.parametrize("wire", EVENTS)
@pytest.mark.parametrize(
    "tokens, seconds, reason", [(0, 10.0, "no first token within 10 s"), (1, 5.0, "no token for 5 s")]
)
def test_comments_and_pings_keep_no_call_alive(
    contexts: Contexts, wire: str, tokens: int, seconds: float, reason: str
) -> None:
    contexts.deadlines = Deadlines(first_token_s=10, idle_s=5, total_s=60)
    empty, token = EVENTS[wire]
    silence: Script = [PING, 0.4, empty, 0.4]
    sut = replace(scripted([*[token] * tokens, *[*silence] * 200]), wire=WIRES[wire])

    error, after_s = virtually(refused(contexts, sut))

    assert after_s == pytest.approx(seconds, abs=0.01)
    assert (error.kind, contexts.said) == (ErrorKind.TIMEOUT, [f"{reason}: test/scripted at a number 1"])


@pytest.mark.parametrize("wire", EVENTS)
def test_a_steady_answer_ends_by_the_total_deadline(contexts: Contexts, wire: str) -> None:
    contexts.deadlines = Deadlines(first_token_s=10, idle_s=5, total_s=60)
    sut = replace(scripted([EVENTS[wire][1], 1.0] * 200), wire=WIRES[wire])

    error, after_s = virtually(refused(contexts, sut))

    assert error.kind is ErrorKind.TIMEOUT
    assert after_s == pytest.approx(60.0, abs=0.01)


@pytest.mark.parametrize("own, seconds", [(True, 600.0), (False, 300.0)])
def test_servers_of_ones_own_have_longer_for_their_first_token(contexts: Contexts, own: bool, seconds: float) -> None:
    contexts.deadlines = AskOptions().deadlines
    sut = replace(scripted([9_999.0]), endpoint=replace(ENDPOINT, own_server=own))

    _, after_s = virtually(refused(contexts, sut))

    assert after_s == pytest.approx(seconds, abs=0.01)


@pytest.mark.parametrize("own", [True, False])
def test_the_first_token_timeout_holds_for_every_server(own: bool) -> None:
    deadlines = AskOptions(first_token_timeout=7).deadlines

    assert deadlines.at(replace(ENDPOINT, own_server=own)).first_token_s == 7
