"""A system that answers each conversation with its recorded message, without asking a model."""

from collections.abc import AsyncIterator, Mapping

from suts.sut import Endpoint, ErrorKind, Message, Received, Request, SutError, Wire
from suts.wires import WIRES

Conversation = tuple[Message, ...]


class Recorded:
    """Yields recorded answers as plain text, without delay."""

    def __init__(self, answers: Mapping[Conversation, str], name: str = "recorded") -> None:
        """Take the answers by conversation, and the name under which their scores are kept."""
        self.name = name
        self.endpoint = Endpoint(name, name, "", timed=False)
        self._answers = answers
        self.wire: Wire = WIRES["plain"]

    async def stream(self, request: Request) -> AsyncIterator[Received]:
        """Yield the recorded answer in one piece at time 0."""
        answer = self._answers.get(request.messages)
        if answer is None:
            raise SutError(ErrorKind.BAD_REQUEST, "no answer is recorded for this conversation", retryable=False)
        yield Received(0, b"")
        yield Received(0, answer.encode("utf-8", "surrogatepass"))
        yield Received(0, b"")

    async def aclose(self) -> None:
        """Nothing to release."""
