"""One whole answer, ready to send: planned, cut into pieces, written in its format, with the times it is due."""

from dataclasses import dataclass, replace
from typing import Final

from suts.simulated.agent_tools import AgentTurn
from suts.simulated.draws import digest
from suts.simulated.encode import frames, whole
from suts.simulated.envelope import Envelope
from suts.simulated.models import Planned, limited, plan
from suts.simulated.pace import paced
from suts.simulated.scripts import scripted
from suts.simulated.spec import ModelSpec
from suts.simulated.tool_choice import ForcedCall
from suts.simulated.usage import Counted, count
from suts.sut import Truth

SERVED_BY: Final = "simulated-"


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """The parts of a request that matter to a simulated model; `usage`: whether the answer must report its usage.

    `call` is the tool call that the answer has to be; with `native` its edits are native calls. `choice` is its place
    among several answers to one request, of which the first has the number `first`. `reported` is a usage to report in
    place of its own. `turn` is where a coding agent stands that asks; `marked` is whether its prompt is for a cache.
    """

    truth: Truth
    prompt_tokens: int
    max_tokens: int
    stream: bool = True
    usage: bool = True
    call: ForcedCall | None = None
    choice: int = 0
    first: int = 0
    reported: Counted | None = None
    native: bool = False
    turn: AgentTurn | None = None
    marked: bool = True


@dataclass(frozen=True, slots=True)
class Sending:
    """Pieces of bytes with the nanoseconds after the request at which each is due, and what they say."""

    planned: Planned
    usage: Counted
    offsets_ns: tuple[int, ...]
    frames: tuple[bytes, ...]


def answer(spec: ModelSpec, ask: AnswerRequest) -> Sending:
    """Return the model's answer; without `ask.stream` it is one JSON body, due when the stream would have ended."""
    truth, turn = ask.truth, ask.turn
    if turn is not None:
        planned = limited(scripted(spec, truth, turn), ask.max_tokens)
        # Each turn has ids and times of its own, and reads what the first wrote to the cache.
        truth = replace(truth, step=turn.position)
    else:
        planned = limited(plan(spec, truth, native=ask.native and ask.call is None), ask.max_tokens)
    nth = truth.number if turn is None else turn.position + 1
    key = (spec.identity, truth.seed, truth.case_id, truth.number, truth.step)
    timed = paced(spec.pace, planned, key)
    pieces = ask.call.arguments(timed.pieces) if ask.call else timed.pieces
    usage = count(spec, nth, ask.prompt_tokens, planned.written, planned.reasoning, marked=ask.marked)
    envelope = Envelope(
        token=digest((*key[:3], ask.first or truth.number, truth.step, "id"), 24),
        model=SERVED_BY + spec.preset,
        finish_reason=planned.finish_reason,
        usage=(ask.reported or usage) if ask.usage else None,
        wire=spec.bill.wire,
        flavour=spec.bill.flavour,
        calls=(ask.call.name,) if ask.call else tuple(call.name for call in planned.calls),
        choice=ask.choice,
        free=frozenset(number for number, call in enumerate(planned.calls) if call.free),
    )
    if not ask.stream:
        return Sending(planned, usage, (timed.end_ns,), (whole(pieces, envelope),))
    offsets = (*(piece.offset_ns for piece in timed.pieces), timed.end_ns)
    return Sending(planned, usage, offsets, tuple(frames(pieces, envelope)))
