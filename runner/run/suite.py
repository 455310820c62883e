"""The seam between a run and its suite: what a suite asks of a run, and the five parts that a suite is made of."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from parsers.blocks import Parser
from runner.execution.isolation import NOT_WEAK, Weak
from runner.metrics.sample import Sample
from runner.records import Completion, Scoring
from runner.report.run_report import Report
from runner.report.summary import Edits
from runner.run.engine import Lane
from runner.run.options import ALONE, AskOptions, ComputingOptions
from runner.run.plan import Plan
from runner.run.protocols import Attempt, TruthOf
from runner.storage.runs import RunPlan
from runner.storage.store import Row, Store
from runner.variant import Variant
from suts.sut import Sut

Say = Callable[[str], None]
JudgedResults = Literal["all", "new", "none"]
OptionsT = TypeVar("OptionsT", bound=AskOptions)
DetailT = TypeVar("DetailT")


@dataclass(frozen=True, slots=True)
class Attempts:
    """How the attempts of a session are made.

    - `suts`: every system of the plan's lanes, those included that run here.
    - `parser`: watches the answers while they arrive, for the clocks of edits; `parsers` are those of prompts that
      have one of their own.
    - `waiting`: so many attempts more may wait for a verdict without keeping others from being asked.
    - `answer_s`: a deadline of at least so many seconds; systems that answer in one piece have no first token before.
    - `predictable`: whether each attempt is one question, so that simulated answers can be counted beforehand.
    - `untested`: cases whose answers are neither right nor wrong; they are in no such count.
    - `run` replaces the prepared run's record where more of it is only known now.
    """

    attempt: Attempt
    suts: Sequence[Sut]
    parser: Parser | None = None
    parsers: Mapping[str, Parser] = field(default_factory=dict)
    truth: TruthOf | None = None
    waiting: int = 0
    answer_s: float = 0.0
    predictable: bool = True
    untested: Collection[str] = ()
    run: RunPlan | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run whose judges and servers are open: what it is, and how its attempts are made once its lanes are known.

    `begin` gets the lanes with what earlier sessions finished. `spent_usd` is what preparing has cost.
    """

    run: RunPlan
    begin: Callable[[Sequence[Lane]], Attempts]
    spent_usd: float = 0.0


class NotReadyError(Exception):
    """A run that must precede this one is incomplete: this one is not started."""

    def __init__(self, exit_code: int) -> None:
        """Keep the exit code of the command."""
        super().__init__(f"not ready, exit code {exit_code}")
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What answers are read and scored with instead; "" keeps what the run had.

    `from_stream` reads the answers again from their stored bytes and checks them; `wires` names plug-ins' wires.
    `as_recorded` scores as the run did, to hold that against its record: also where there is nothing to vary. No test
    is run then, a verdict is that on record, and a result without one is untested; unless `run_tests` asks to judge all
    of them again. `edit_tools` are the programs of foreign edit tools, which no record starts; `weak` permits them
    where they cannot be isolated. As recorded, the answers to a tool that is not named are left out. `computing` is
    what scores.
    """

    parser: str = ""
    diff_apply: str = ""
    from_stream: bool = False
    wires: tuple[str, ...] = ()
    as_recorded: bool = False
    run_tests: bool = False
    edit_tools: tuple[str, ...] = ()
    weak: Weak = NOT_WEAK
    computing: ComputingOptions = ALONE

    @property
    def judged(self) -> "JudgedResults":
        """Which results are judged by their tests: those without a verdict on record, unless the options differ."""
        if self.run_tests:
            return "all"
        return "none" if self.as_recorded else "new"


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer on record, with the case and the prompt that it was given to."""

    answer_id: int
    sut: str
    prompt: str
    case_id: str
    step: int
    mode: str
    number: int
    completion: Completion


@dataclass(frozen=True, slots=True)
class Rescoring:
    """How a replay scores: its variants, what differs in its identity, and the scorings of the answers of one case.

    `score` gets the answers to a case in the order in which they were asked. `judged` counts the results that no run in
    the database has a verdict of: they were judged for this replay. `parsers` read the answers to prompts whose parser
    no record names. `ahead` gets the same as `score`, some cases earlier, and has other processes begin with them.
    """

    variants: Sequence[Variant]
    identity: Mapping[str, Any]
    score: Callable[[str, Sequence[StoredAnswer]], Iterator[Scoring]]
    judged: int = 0
    parsers: Mapping[str, Parser] = field(default_factory=dict)
    ahead: Callable[[str, Sequence[StoredAnswer]], None] | None = None


@dataclass(frozen=True, slots=True)
class Suite(Generic[OptionsT, DetailT]):
    """One benchmark. Its five parts stand in the five modules of these names in its folder.

    - `plan` checks options, resolves names and reads cases. It writes nothing, asks no model, runs no foreign code.
    - `attempt` opens what attempts take (a judge, predictors) and makes them. Raises NotReadyError if a run
      that must precede it is incomplete.
    - `score` gives for a stored scoring what metrics are computed of, None where it has nothing to compare.
    - `replay` says how stored answers are scored otherwise.
    - `report` shows a run.

    - `case_digest` gives the digest of a case from its content on record, None where that does not hold all of it.
    - `cluster` gives for a run the field of a scoring's detail whose value groups cases that are not independent; "" =
      none does.

    - `screen` gives for a run what gives the further lines of an attempt in `evals show`; None = there are none.

    A part that a suite has no use for raises InputError with the reason.
    """

    name: str
    plan: Callable[[OptionsT, Say], Plan[DetailT]]
    attempt: Callable[[Plan[DetailT], Say], AbstractContextManager[Prepared]]
    score: Callable[[Store, Row], Callable[[Row], Sample | None]]
    replay: Callable[[Store, Row, ReplayOptions, Say], AbstractContextManager[Rescoring]]
    report: Callable[[Store, Row, Edits | None], Report]
    cluster: Callable[[Row], str] = lambda _run: ""
    screen: Callable[[Store, Row], Callable[[Mapping[str, Any]], Iterator[str]]] | None = None
    case_digest: Callable[[str], str | None] = lambda _content: None
