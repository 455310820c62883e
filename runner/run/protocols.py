"""What a suite may ask of a run, and what a run asks of a suite while attempts are made."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol, Self

from runner.errors import UnsentError
from runner.records import Completion, Result
from runner.run.engine import Lane
from runner.storage.ledger import Question
from suts.sut import Received, Request, Sut, Truth


class UncollectedError(UnsentError):
    """The run ends before the batch of a request has: the next session collects its answer."""


class AsksElsewhere(Protocol):
    """Asks systems in another way than by a request of this process: in batches, or by workers of an engine.

    Limits, budget and records are those of any request, but for deadlines, which are kept elsewhere. `draining` are
    the words for a user who interrupts, "" for the usual ones.
    """

    draining: str

    async def __aenter__(self) -> Self:
        """Begin."""
        ...

    async def __aexit__(self, *_exception: object) -> None:
        """Leave what has not ended to the next session."""
        ...

    def stream(self, sut: Sut, request: Request, answer_id: int) -> AsyncIterator[Received]:
        """Yield the answer of one server, whose row has this id, once it is there.

        Raises SutError, ExceededError for a limit of the run, LostCallError where nobody knows what became of it, and
        UnsentError or UncollectedError when the run drains before.
        """
        ...

    def disturbed_ms(self, answer_id: int) -> float | None:
        """Return the longest time without reading while an answer came, once; None where it did not wait to be read."""
        ...


class Ask(Protocol):
    """One call of a system under test, or of the records: the suite does not know which."""

    async def __call__(
        self, request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Completion:
        """Answer the request.

        `step` and `mode` name the question within an attempt (a step of a replayed commit, the place-given
        question of that step); `number` counts the tries of a suite that asks one question several times.
        `about` is what the suite's `truth` needs to know of the question beside its name.
        Asking the same question of the same attempt again gives the recorded answer, which is how an
        interrupted attempt goes on. Raises SutError when there is no answer to be had.
        """
        ...


Attempt = Callable[[Lane, Ask, int], Awaitable[Result]]


class TruthOf(Protocol):
    """The truth of a question: pure, and attached by the run to requests of simulated systems alone."""

    def __call__(self, question: Question, about: object = None) -> Truth | None:
        """Return what a simulated model knows; None where it knows nothing."""
        ...
