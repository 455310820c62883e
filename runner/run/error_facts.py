"""A SutError as plain facts: to be sent to another process, or raised once more."""

from typing import NamedTuple

from runner.run.reading import ExceededError
from suts.sut import ErrorKind, SutError


class ErrorFacts(NamedTuple):
    """What a SutError says: an exception with arguments by name cannot be pickled, nor raised by several questions."""

    kind: ErrorKind
    message: str
    retryable: bool
    retry_after_s: float | None
    status: int | None
    parameter: str
    exceeded: bool

    @classmethod
    def of(cls, error: SutError) -> "ErrorFacts":
        """Return the facts of an error."""
        waits = (error.retryable, error.retry_after_s, error.status, error.parameter)
        return cls(error.kind, str(error), *waits, isinstance(error, ExceededError))

    def error(self) -> SutError:
        """Return the error again."""
        if self.exceeded:
            return ExceededError(self.kind, self.message)
        retryable, retry_after_s, status, parameter = self[2:6]
        kind, message = self.kind, self.message
        return SutError(
            kind, message, retryable=retryable, retry_after_s=retry_after_s, status=status, parameter=parameter
        )
