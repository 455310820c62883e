"""What a run leaves behind: outcomes, completions and scorings, as plain frozen data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from suts.sut import Received

# The mode of a question that follows a refused edit within its attempt; its step counts them.
REPAIR: Final = "repair"


class Outcome(StrEnum):
    """How one scored answer ended, or why there is no answer to score."""

    # valid, solved
    APPLIED = "applied"
    SOLVED = "solved"
    # valid, failed
    APPLIED_NOTHING = "applied_nothing"
    NO_MATCH = "no_match"
    AMBIGUOUS = "ambiguous"
    MALFORMED_DIFF = "malformed_diff"
    MISSING_DIFF = "missing_diff"
    BAD_ARGUMENTS = "bad_arguments"
    TOO_COMPLEX = "too_complex"
    TRUNCATED = "truncated"
    UNSOLVED = "unsolved"
    NOTHING_MORE = "nothing_more"
    # valid, neither solved nor failed: there is no test that decides
    UNTESTED = "untested"
    # invalid: asked again until the quota of valid ones is there
    NO_CALL = "no_call"
    OTHER_TOOL = "other_tool"
    WRONG_PATH = "wrong_path"
    MISSING_PATH = "missing_path"
    SEVERAL_CALLS = "several_calls"
    NO_ANSWER = "no_answer"
    OUT_OF_RANGE = "out_of_range"
    SEVERAL_BLOCKS = "several_blocks"
    OTHER_FILE = "other_file"
    OUT_OF_TIME = "out_of_time"
    OUT_OF_TURNS = "out_of_turns"
    OUT_OF_CALLS = "out_of_calls"
    OUT_OF_MONEY = "out_of_money"
    OUT_OF_PROCESSES = "out_of_processes"
    OUT_OF_MEMORY = "out_of_memory"
    OUT_OF_DISK = "out_of_disk"
    # neither: infrastructure, kept apart, never in a denominator
    SUT_ERROR = "sut_error"
    TIMEOUT = "timeout"
    LOST = "lost"
    CRASHED = "crashed"
    INFRA = "infra"
    TOO_LONG = "too_long"

    @property
    def solved(self) -> bool:
        """The model did what the case asks."""
        return self in _SOLVED

    @property
    def valid(self) -> bool:
        """The answer counts towards the quota."""
        return self in _SOLVED or self in _FAILED or self is Outcome.UNTESTED

    @property
    def infrastructure(self) -> bool:
        """Outcomes that allow no conclusion about the model."""
        return self in _INFRASTRUCTURE


_SOLVED = frozenset({Outcome.APPLIED, Outcome.SOLVED})
_FAILED = frozenset(
    {
        Outcome.APPLIED_NOTHING,
        Outcome.NO_MATCH,
        Outcome.AMBIGUOUS,
        Outcome.MALFORMED_DIFF,
        Outcome.MISSING_DIFF,
        Outcome.BAD_ARGUMENTS,
        Outcome.TOO_COMPLEX,
        Outcome.TRUNCATED,
        Outcome.UNSOLVED,
        Outcome.NOTHING_MORE,
    }
)
_INFRASTRUCTURE = frozenset(
    {Outcome.SUT_ERROR, Outcome.TIMEOUT, Outcome.LOST, Outcome.CRASHED, Outcome.INFRA, Outcome.TOO_LONG}
)


@dataclass(frozen=True, slots=True)
class Clocks:
    """Milliseconds from sending the request; None = never happened.

    - `first_token_ms`: the first event of any kind.
    - `first_edit_ms`: the edit tool's opening tag is complete, or its native call begins.
    - `first_line_ms`: the first replacement line is complete.
    - `closed_ms`: the call's closing tag is complete, or its arguments are.
    - `round_trip_ms`: the stream has ended.
    """

    first_token_ms: float | None = None
    first_edit_ms: float | None = None
    first_line_ms: float | None = None
    closed_ms: float | None = None
    round_trip_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token counts by class; the classes do not overlap, reasoning is a part of output; None = not reported."""

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer: its text, its clocks, its price, and the raw stream that all of these are a function of.

    `note` is what was unusual about an answer that counts nonetheless; `disturbed_ms` is the longest time for which
    this process could not read while the answer arrived (0 = never), so that its clocks may be late by as much;
    `greedy` is whether it was asked for at temperature 0, as far as that was sent. `server_prompt_ms` and
    `server_output_ms` are the times that the server itself measured.
    """

    text: str
    reasoning: str = ""
    clocks: Clocks = field(default_factory=Clocks)
    tokens: Tokens = field(default_factory=Tokens)
    finish_reason: str | None = None
    served_model: str | None = None
    upstream: str | None = None
    note: str | None = None
    disturbed_ms: float | None = None
    server_prompt_ms: float | None = None
    server_output_ms: float | None = None
    provider_cost_usd: float | None = None
    list_cost_usd: float | None = None
    stream: tuple[Received, ...] = ()
    sent_ns: int = 0
    answer_id: int | None = None
    greedy: bool = False

    @property
    def cost_usd(self) -> float | None:
        """The provider's figure, else the list price's; None = unknown."""
        return self.provider_cost_usd if self.provider_cost_usd is not None else self.list_cost_usd


@dataclass(frozen=True, slots=True)
class Scoring:
    """What one parser and one algorithm made of an answer.

    `valid` by the run's own rule; `parser` and `diff_algorithm` are names ("" where the suite has none);
    `detail` is JSON text with what only this suite knows; `scores` are named numbers. Line counts come from a
    real diff of before and after.
    """

    outcome: Outcome
    valid: bool
    parser: str = ""
    diff_algorithm: str = ""
    error_text: str | None = None
    parsed_calls: str | None = None
    blocks: str | None = None
    num_edits: int | None = None
    lines_added: int | None = None
    lines_removed: int | None = None
    edited: str | None = None
    parses_before: bool | None = None
    parses_after: bool | None = None
    equals_expected: bool | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    detail: str | None = None
    answer_id: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """One attempt at a case: whether it counts towards the quota, and its scorings.

    `greedy_digest` is the digest of its one answer's text where that was asked for at temperature 0, else "".
    """

    valid: bool
    scorings: tuple[Scoring, ...]
    cost_usd: float | None = None
    greedy_digest: str = ""

    @property
    def outcome(self) -> Outcome:
        """The outcome of the first scoring."""
        return self.scorings[0].outcome
