"""A suite knows how to attempt a case; to attempt it, it may ask a system under test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, TypeVar

from runner.records import Completion, Result
from suts.sut import Request


class Ask(Protocol):
    """One call of a system under test, or of the records: the suite cannot tell which."""

    async def __call__(self, request: Request, *, step: int = 0, mode: str = "", number: int = 1) -> Completion:
        """Answer the request.

        `step` and `mode` name the question within an attempt (a step of a replayed commit, the place-given
        question of that step); `number` counts the tries of a suite that asks one question several times.
        Asking the same question of the same attempt again gives the recorded answer, which is how an
        interrupted attempt goes on. Raises SutError when there is no answer to be had.
        """
        ...


class Case(Protocol):
    """What the engine needs to know of a case."""

    @property
    def case_id(self) -> str:
        """Unique in its run."""
        ...


CaseT = TypeVar("CaseT", bound=Case)


class Suite(Protocol[CaseT]):
    """How to read the cases of one benchmark and how to attempt one."""

    @property
    def name(self) -> str:
        """The name in a signature, such as `diff_edit`."""
        ...

    def load(self, source: Path) -> Iterator[CaseT]:
        """The cases in `source`, in a fixed order. Raises InputError naming file, field and mend."""
        ...

    async def attempt(self, case: CaseT, ask: Ask, number: int) -> Result:
        """Attempt number `number` (from 1) at a case."""
        ...
