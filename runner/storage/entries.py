"""The entries of a ledger as plain data: they are written by another thread, later, or by another session."""

from dataclasses import dataclass
from typing import NamedTuple

from msgspec import Struct

from runner.calls import plain_name
from runner.records import Completion, Outcome, Scoring

# What an entry, a piece of a stream and a scoring take in memory beside their texts, in bytes; estimates.
_ENTRY_BYTES = 500
_PIECE_BYTES = 100


class LaneKey(NamedTuple):
    """Whose quota is to be filled: one system with one prompt at one case."""

    sut: str
    prompt: str
    case_id: str

    @property
    def plain_prompt(self) -> str:
        """The prompt's name, however its answers call tools."""
        return plain_name(self.prompt)


class Question(NamedTuple):
    """What is asked once and answered once: the key of an answer within its run."""

    lane: LaneKey
    step: int = 0
    mode: str = ""
    number: int = 1


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer; `cost_usd` is the cost of the failed request, None if it is unknown."""

    outcome: Outcome
    kind: str | None
    text: str
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Expense:
    """What a call may cost, has been asked again for, and lost in half answers (USD; None = unknown price)."""

    retries: int = 0
    reserved_usd: float | None = None
    discarded_usd: float | None = None


class CallOpened(Struct, frozen=True):
    """A question whose first request is about to be sent; `tried` counts its rows, this one included.

    `replica` is the host of the server that it is sent to; None where it is sent to none.
    """

    question: Question
    tried: int
    sent_at: str
    system: str
    request: str
    reserved_usd: float | None
    replica: str | None = None


class CallRetried(Struct, frozen=True):
    """A question whose request failed and is about to be sent again; `request`: with these other parameters."""

    answer_id: int
    failure: Failure
    expense: Expense
    sent_at: str
    request: str | None = None
    replica: str | None = None


class BatchPlanned(Struct, frozen=True):
    """A batch that is about to be submitted: the model, the digest of its lines, and the answers that they ask for."""

    sut: str
    digest: str
    planned_at: str
    answer_ids: tuple[int, ...]


class BatchSubmitted(Struct, frozen=True):
    """The id that the vendor has given to a batch."""

    batch_id: int
    remote_id: str


class Answered(Struct, frozen=True, tag=True):
    """An answer with its raw stream."""

    answer_id: int
    completion: Completion
    expense: Expense
    wire: str


class Failed(Struct, frozen=True, tag=True):
    """The end of a question without an answer; `last` is why its last request failed."""

    answer_id: int
    failure: Failure
    last: Failure
    expense: Expense


class ScoringsAdded(Struct, frozen=True, tag=True):
    """What parsers and algorithms made of answers."""

    scorings: tuple[Scoring, ...]


class CrashNoted(Struct, frozen=True, tag=True):
    """A bug that ended the scoring of an answer; `text` is its traceback without secrets."""

    answer_id: int
    text: str


class LaneStated(Struct, frozen=True, tag=True):
    """How far a lane is; `settled_at` is the number of the attempt that repeated an invalid answer and so ended it."""

    lane: LaneKey
    state: str
    settled_at: int | None = None


class UnsentNoted(Struct, frozen=True, tag=True):
    """The parameters, comma-separated, that a system is asked without, though the run has values for them."""

    sut: str
    names: str


# Entries about requests that were sent: they can be kept in a file. The others come before a request, or can be found
# out again.
Lasting = Answered | Failed | ScoringsAdded | CrashNoted | LaneStated | UnsentNoted
Passing = CallOpened | CallRetried | BatchPlanned | BatchSubmitted
Entry = Passing | Lasting


def weight(entry: Entry) -> int:
    """Return about how many bytes an entry takes in memory."""
    if isinstance(entry, Answered):
        pieces = entry.completion.stream
        return _ENTRY_BYTES + len(pieces) * _PIECE_BYTES + 2 * sum([len(piece.data) for piece in pieces])
    if isinstance(entry, CallOpened):
        return _ENTRY_BYTES + len(entry.request)
    if isinstance(entry, ScoringsAdded):
        return sum(_ENTRY_BYTES + len(scoring.edited or "") for scoring in entry.scorings)
    return _ENTRY_BYTES


def answers_of(entry: Entry) -> frozenset[int]:
    """Return the ids of the answers that an entry is about."""
    if isinstance(entry, ScoringsAdded):
        return frozenset(scoring.answer_id for scoring in entry.scorings if scoring.answer_id is not None)
    if isinstance(entry, CallOpened | LaneStated | UnsentNoted | BatchPlanned | BatchSubmitted):
        return frozenset()
    return frozenset({entry.answer_id})
