"""Several choices in one response: `n` answers to one request of chat completions, as one stream or one object."""

from collections.abc import Sequence
from dataclasses import replace

import orjson

from suts.simulated.answer import AnswerRequest, Sending, answer
from suts.simulated.encode import DONE
from suts.simulated.spec import ModelSpec
from suts.simulated.usage import SIM_PRICES, Counted


def choices(spec: ModelSpec, ask: AnswerRequest, numbers: Sequence[int]) -> Sending:
    """Return the answers of the attempts of these numbers as the choices of one response.

    The pieces come when each answer alone would have sent them; the usage counts the prompt once.
    """
    asks = [
        replace(ask, truth=replace(ask.truth, number=number), usage=False, choice=place, first=numbers[0])
        for place, number in enumerate(numbers)
    ]
    sendings = [answer(spec, request) for request in asks]
    usage = _total(spec, sendings)
    # The choice that ends last carries what ends the response.
    last = max(range(len(sendings)), key=lambda place: (sendings[place].offsets_ns[-1], place))
    sendings[last] = answer(spec, replace(asks[last], usage=ask.usage, reported=usage))
    offsets, frames = _streamed(sendings, last) if ask.stream else _whole(sendings, last)
    return Sending(sendings[0].planned, usage, offsets, frames)


def _total(spec: ModelSpec, sendings: Sequence[Sending]) -> Counted:
    first, *more = (sending.usage for sending in sendings)
    output = sum(usage.output for usage in more)
    cost = output * SIM_PRICES[spec.preset].output / 1e6
    return replace(
        first,
        output=first.output + output,
        reasoning=first.reasoning + sum(usage.reasoning for usage in more),
        cost_usd=first.cost_usd + cost,
    )


def _streamed(sendings: Sequence[Sending], last: int) -> tuple[tuple[int, ...], tuple[bytes, ...]]:
    timed = [
        (offset, place, frame if place == last else frame.removesuffix(DONE))
        for place, sending in enumerate(sendings)
        for offset, frame in zip(sending.offsets_ns, sending.frames, strict=True)
    ]
    # Frames of one choice keep their order: sorting is stable.
    timed.sort(key=lambda row: row[:2])
    return tuple(offset for offset, _, _ in timed), tuple(frame for _, _, frame in timed)


def _whole(sendings: Sequence[Sending], last: int) -> tuple[tuple[int, ...], tuple[bytes, ...]]:
    bodies = [orjson.loads(sending.frames[0]) for sending in sendings]
    body = bodies[last] | {"choices": [choice for body in bodies for choice in body["choices"]]}
    return sendings[last].offsets_ns, (orjson.dumps(body),)
