"""Keeps keys out of what is recorded and shown: the one place that removes them from answers and from errors.

Every answer of every system passes here between its last byte and its record. A key may have come in parts, so an
answer that holds one is read again from a stream without it: what is stored and what is computed stay the same.
"""

import asyncio
import traceback
from collections.abc import Callable, Iterator, Sequence

from parsers.blocks import Parse
from runner.errors import UnsentError
from runner.records import Outcome
from runner.storage.ledger import Failure
from runner.storage.streams import AnswerReader
from suts.redacted_stream import redacted_stream
from suts.redaction import MIN_LENGTH, Redactor, redactor_of, secrets_of, too_short
from suts.sut import ErrorKind, Sut, SutError

# Parts of an answer: what is searched at once takes a few milliseconds.
_SEARCHED_AT_ONCE = 8


def redactor_for(*suts: Sut) -> Redactor:
    """Return a redactor of the secrets that these systems have sent so far."""
    return redactor_of(*(secret for sut in suts for secret in secrets_of(sut)))


def short_key_warning(suts: Sequence[Sut]) -> str:
    """Return a warning that names systems with keys that are too short to remove; "" if there are none."""
    names = ", ".join(sut.name for sut in suts if too_short(sut))
    return f"keys of fewer than {MIN_LENGTH} characters are not removed from answers: {names}" if names else ""


def crash_text(error: BaseException, suts: Sequence[Sut] = ()) -> str:
    """Return the traceback of a plug-in's bug without secrets; it may quote an answer."""
    return redactor_for(*suts).text("".join(traceback.format_exception(error)))


async def may_hold_secrets(reading: AnswerReader, sut: Sut) -> bool:
    """Return whether secrets have to be removed from a reading; the event loop goes on while a large one is searched.

    A reading may be suspected that holds none; none that holds one is missed.
    """
    redactor = redactor_for(sut)
    for text in _texts(reading):
        for number, suspicious in enumerate(redactor.suspicions(text), 1):
            if suspicious:
                return True
            if number % _SEARCHED_AT_ONCE == 0:
                await asyncio.sleep(0)
    return False


def without_secrets(reading: AnswerReader, sut: Sut, start: Callable[[], Parse | None]) -> AnswerReader:
    """Return a finished reading, or a new one of the same answer without the secrets that the system sent.

    `start` begins the parse of a new reading. Raises SutError where the answer makes no sense without them.
    """
    redactor = redactor_for(sut)
    if not _finds(redactor, reading):
        return reading
    clean = _read_again(reading, redactor, sut, start)
    clean.end(clean.stream[-1].at_ns if clean.stream else clean.sent_ns)
    if any(map(redactor.finds, clean.texts)):
        raise SutError(ErrorKind.MALFORMED, "the answer repeats the key and cannot be recorded", retryable=False)
    return clean


def without_secrets_in_error(error: SutError, reading: AnswerReader, sut: Sut) -> SutError:
    """Return the error that ended a call, with a message without the secrets that the system sent.

    A message from within the stream is clipped, perhaps in the middle of a key. So it is made again from a stream
    without keys.
    """
    redactor = redactor_for(sut)
    if _finds(redactor, reading):
        try:
            again = _read_again(reading, redactor, sut, lambda: None)
            again.end(again.sent_ns)
        except SutError as clean:
            if clean.kind is error.kind:
                clean.retryable = error.retryable
                error = clean
    error.args = (redactor.text(str(error)),)
    return error


def _finds(redactor: Redactor, reading: AnswerReader) -> bool:
    return any(map(redactor.finds, _texts(reading)))


def _texts(reading: AnswerReader) -> Iterator[str]:
    """Yield all that is recorded of a reading."""
    yield b"".join([piece.data for piece in reading.stream]).decode("utf-8", "replace")
    yield from reading.texts


def _read_again(reading: AnswerReader, redactor: Redactor, sut: Sut, start: Callable[[], Parse | None]) -> AnswerReader:
    clean = AnswerReader(sut.wire.decoder(), start(), reading.sent_ns)
    for received in redacted_stream(reading.stream, redactor):
        if received.data:
            clean.feed(received)
        else:
            clean.stream.append(received)
    return clean


def failure_of(error: Exception, sut: Sut) -> Failure:
    """Return why there is no answer, without secrets; a call that is not sent because the run ends is lost."""
    if isinstance(error, SutError):
        outcome = Outcome.TIMEOUT if error.kind is ErrorKind.TIMEOUT else Outcome.SUT_ERROR
        return Failure(outcome, str(error.kind), str(error))
    if isinstance(error, UnsentError):
        return Failure(Outcome.LOST, error.kind, str(error))
    return Failure(Outcome.CRASHED, None, crash_text(error, (sut,)))
