"""What a request is sent with: a seed of its own, and no parameter that its model refuses."""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace

from runner.console import say as say_to_user
from runner.prices import Prices
from runner.records import REPAIR
from runner.storage.ledger import Question
from runner.storage.rows import to_json
from suts.sut import Request, Sampling, StatesSampling, Sut, SutError
from suts.variants import without_changes

# The parameters that an answer can be had without, and the names that the limit of output tokens has.
_OPTIONAL = ("temperature", "seed")
_OTHER_LIMIT = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}

# A model at its endpoint, and how it reasons: many take a temperature only while they do not.
_Model = tuple[str, str, str | None, bool]


@dataclass(slots=True)
class Refusals:
    """The parameters that models refuse: those that the price table lists, and those that a first refusal has shown.

    `noted` are those of earlier sessions, by the name of the system.
    """

    prices: Prices
    say: Callable[[str], None] = say_to_user
    noted: dict[str, frozenset[str]] = field(default_factory=dict)
    _learned: dict[_Model, set[str]] = field(default_factory=dict)

    def of(self, sut: Sut, sampling: Sampling) -> frozenset[str]:
        """Return the parameters that are not sent to a system which is asked with this sampling."""
        price = self.prices.of(sut.name)
        listed = price.refuses if price else frozenset()
        return listed | self.noted.get(sut.name, frozenset()) | self._learned.get(_model(sut, sampling), set())

    def learn(self, sut: Sut, sampling: Sampling, error: SutError) -> bool:
        """Return whether a request that was sent with `sampling` and refused with `error` can be sent without a part.

        The first refusal of a parameter by a model is stated; those of requests under way at that time are not.
        """
        name = error.parameter
        if not _is_sent(sampling, name) or _OTHER_LIMIT.get(name) in self.of(sut, sampling):
            return False
        learned = self._learned.setdefault(_model(sut, sampling), set())
        if name not in learned:
            learned.add(name)
            instead = f"sent as {_OTHER_LIMIT[name]}" if name in _OTHER_LIMIT else "no longer sent"
            self.say(f"{without_changes(sut.name)} refuses {name}, which is {instead}: {error}")
        return True


def _model(sut: Sut, sampling: Sampling) -> _Model:
    return sut.endpoint.base_url, without_changes(sut.name), sampling.effort, sampling.thinking_budget > 0


def _is_sent(sampling: Sampling, name: str) -> bool:
    if name in _OTHER_LIMIT:
        return sampling.limit_name == name
    return name in _OPTIONAL and getattr(sampling, name) is not None


def numbered(request: Request, number: int) -> Request:
    """Return the request with the seed of an attempt: with one seed a server would draw the same answer each time."""
    sampling = request.sampling
    seed = None if sampling.seed is None else sampling.seed + number
    return replace(request, sampling=replace(sampling, seed=seed))


def as_sent(sut: Sut, request: Request, refused: Collection[str]) -> Request:
    """Return the request as it is sent: without parameters that its model refuses, or that its API does not have."""
    sampling = request.sampling
    limit_name = next((other for name, other in _OTHER_LIMIT.items() if name in refused), sampling.limit_name)
    sampling = replace(
        sampling,
        temperature=None if "temperature" in refused else sampling.temperature,
        seed=None if "seed" in refused else sampling.seed,
        limit_name=limit_name,
    )
    request = replace(request, sampling=sampling)
    if isinstance(sut, StatesSampling):
        # What cannot be asked at all is refused when it is sent, after its row is written.
        with suppress(SutError):
            return replace(request, sampling=sut.sent(request))
    return request


def unsent(planned: Sampling, sent: Sampling, refused: Collection[str]) -> frozenset[str]:
    """Return the parameters that the run has and that are not sent, or not by that name."""
    left_out = {name for name in (*_OPTIONAL, "stop") if getattr(planned, name) != getattr(sent, name)}
    return frozenset(
        left_out | {name for name, other in _OTHER_LIMIT.items() if name in refused and sent.limit_name == other}
    )


def parameters(request: Request, question: Question) -> str:
    """Return all request parameters as JSON, without the texts that are stored elsewhere: prompt and conversation.

    The conversation of a question with a mode is built during the attempt and stored nowhere else, so it is included:
    of one that follows a refused edit the last message, as answers are stored anyway.
    """
    sampling = request.sampling
    values: dict[str, object] = {name: getattr(sampling, name) for name in sampling.__slots__}
    if request.routing is not None:
        values["routing"] = asdict(request.routing)
    if question.mode and request.messages:
        new = request.messages[-1:] if question.mode == REPAIR else request.messages
        values["messages"] = [{"role": message.role, "text": "".join(message.texts)} for message in new]
    return to_json(values)
