"""One whole answer, ready to send: planned, cut into pieces, written in its format, with the times it is due."""

from dataclasses import dataclass
from typing import Final

from suts.simulated.draws import digest
from suts.simulated.encode import Envelope, frames, whole
from suts.simulated.models import Planned, limited, plan
from suts.simulated.pace import paced
from suts.simulated.spec import ModelSpec
from suts.simulated.usage import Counted, count
from suts.sut import Truth

SERVED_BY: Final = "simulated-"


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """The parts of a request that matter to a simulated model; `usage`: whether the answer must report its usage."""

    truth: Truth
    prompt_tokens: int
    max_tokens: int
    stream: bool = True
    usage: bool = True


@dataclass(frozen=True, slots=True)
class Sending:
    """Pieces of bytes with the nanoseconds after the request at which each is due, and what they say."""

    planned: Planned
    usage: Counted
    offsets_ns: tuple[int, ...]
    frames: tuple[bytes, ...]


def answer(spec: ModelSpec, ask: AnswerRequest) -> Sending:
    """Return the model's answer; without `ask.stream` it is one JSON body, due when the stream would have ended."""
    truth = ask.truth
    planned = limited(plan(spec, truth), ask.max_tokens)
    key = (spec.identity, truth.seed, truth.case_id, truth.number, truth.step)
    timed = paced(spec.pace, planned, key)
    usage = count(spec, truth.number, ask.prompt_tokens, planned.text, planned.reasoning)
    envelope = Envelope(
        token=digest((*key, "id"), 24),
        model=SERVED_BY + spec.preset,
        finish_reason=planned.finish_reason,
        usage=usage if ask.usage else None,
        wire=spec.bill.wire,
        flavour=spec.bill.flavour,
    )
    if not ask.stream:
        return Sending(planned, usage, (timed.end_ns,), (whole(timed.pieces, envelope),))
    offsets = (*(piece.offset_ns for piece in timed.pieces), timed.end_ns)
    return Sending(planned, usage, offsets, tuple(frames(timed.pieces, envelope)))
