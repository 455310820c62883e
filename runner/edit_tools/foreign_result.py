"""What a foreign tool makes of one edit: a file, a refusal, or nothing at all because the tool itself failed."""

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

from diff_apply.result import Applied
from diff_apply.tools.refusal import Cause, EditError


class ToolFailedError(Exception):
    """A foreign tool gave no answer, or one of another form; the message says which, in one line."""


@dataclass(frozen=True, slots=True)
class ForeignResult:
    """What came of an edit: `text`, or a `cause` and a `message`, or a message alone where the tool failed."""

    text: str | None = None
    cause: Cause | None = None
    message: str = ""

    def __call__(self, original: str, diff: str, *, final: bool = True) -> Applied:  # noqa: ARG002 - the Protocol has it
        """Return the file, as an algorithm that is asked for this edit. Raises EditError, ToolFailedError."""
        if self.text is not None:
            return Applied(self.text)
        if self.cause is not None:
            raise EditError(self.cause, self.message)
        raise ToolFailedError(self.message)


class ForeignApply(Protocol):
    """The program behind a foreign tool."""

    @property
    def writes(self) -> bool:
        """Whether it can write the call of an edit."""
        ...

    def apply(self, original: str, call: str) -> "Future[ForeignResult]":
        """Begin to apply a call to a file; other threads do the work."""
        ...

    def rest(self) -> None:
        """End all processes; the next request starts a new one."""
        ...
