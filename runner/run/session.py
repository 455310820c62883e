"""One session of a run: from a plan to a full ledger, through interrupts."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from parsers.blocks import Parser
from runner.console import output_closed
from runner.errors import UnsentError
from runner.records import Completion, Outcome, Result
from runner.run.ask import asking
from runner.run.call_context import CallContext
from runner.run.engine import Ended, Engine, Lane, Listener
from runner.run.protocols import Ask, Attempt
from runner.run.redaction import crash_text
from runner.run.served import ServedModels
from runner.run.signals import signals_to
from runner.storage.ledger import LaneKey
from runner.storage.store import text_digest
from suts.rate_headers import HeaderSource
from suts.sut import Request, Sut, SutError

# Exit codes of a session that leaves something to be done.
INCOMPLETE, INTERRUPTED = 3, 130


@dataclass(frozen=True, slots=True)
class Session:
    """The work of a session: lanes to fill, how to attempt one, the systems, how many attempts of each at once.

    `parser` watches the answers, and `parsers` those to some prompts instead.
    """

    lanes: Sequence[Lane]
    attempt: Attempt
    suts: Sequence[Sut]
    parser: Parser | None
    slots: int
    parsers: Mapping[str, Parser] = field(default_factory=dict)

    def parser_of(self, lane: LaneKey) -> Parser | None:
        """Return what watches the answers of a lane: the parser of its prompt if that has one of its own."""
        return self.parsers.get(lane.prompt, self.parser)


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """How a session ended: `complete` when no lane is to be asked again; `reason` says why it stopped before."""

    complete: bool
    crashed: int
    valid: int
    reason: str = ""

    @property
    def exit_code(self) -> int:
        """0 done; 1 nothing valid, or crashes; 3 incomplete but resumable."""
        if not self.complete:
            return INCOMPLETE
        return 1 if self.crashed or not self.valid else 0


async def run_session(session: Session, context: CallContext, listener: Listener) -> SessionEnd:
    """Fill the lanes; a first interrupt drains, a second cancels (asyncio.CancelledError).

    Raises SystemExit after SIGTERM, once what is under way is recorded.
    """
    end = _End()
    try:
        return await _filled(session, context, listener, end)
    except asyncio.CancelledError:
        if end.exit_code:
            raise SystemExit(end.exit_code) from None
        raise


async def _filled(session: Session, context: CallContext, listener: Listener, end: "_End") -> SessionEnd:
    suts = {sut.name: sut for sut in session.suts}
    counts = _Counts(listener)
    served = ServedModels(context.say)
    _connect(session.suts, context)

    async def attempt(lane: Lane, number: int) -> Result:
        _drain_unread(engine, context)
        sut = suts[lane.key.sut]
        ask = _Asked(asking(context, sut, lane.key, session.parser_of(lane.key)), partial(served.note, sut))
        try:
            result = await session.attempt(lane, ask, number)
        except SutError:
            raise
        except UnsentError as error:
            context.limits.drain.begin(str(error))
            raise
        except Exception as error:
            context.ledger.note_crash(ask.answer_id, crash_text(error, session.suts))
            raise
        context.ledger.scored(result.scorings)
        return replace(result, greedy_digest=ask.greedy_digest) if not result.valid else result

    engine = Engine(session.lanes, attempt, counts, session.slots, partial(crash_text, suts=session.suts))
    try:
        async with context.ledger, context.elsewhere or nullcontext(), _interrupts(engine, context, end):
            _drain_unread(engine, context)
            await engine.run()
            for lane in session.lanes:
                context.ledger.lane_state(lane.key, lane.state, lane.settled_at)
            if all(lane.done for lane in session.lanes):
                context.ledger.drop_batched()
    finally:
        for sut in session.suts:
            await sut.aclose()
    return SessionEnd(
        complete=all(lane.done for lane in session.lanes),
        crashed=counts.crashed,
        valid=sum(lane.valid for lane in session.lanes),
        reason=context.limits.drain.reason or engine.reason,
    )


def _connect(suts: Sequence[Sut], context: CallContext) -> None:
    """Connect the limiters with the headers of their systems and with what the run holds, and the budget with the end.

    A key is known to work if the run has an answer of its system.
    """
    answered = context.ledger.answered_suts()
    for sut in suts:
        members = context.replicas.of(sut).members
        for member in members:
            # Of several servers it is not known which of them answered.
            if sut.name in answered and len(members) == 1:
                member.limiter.worked = True
                context.limits.breaker.succeeded(member.endpoint)
            if isinstance(member.sut, HeaderSource):
                member.sut.on_headers = member.limiter.heard
    context.budget.on_overrun = context.limits.drain.begin


def _drain_unread(engine: Engine, context: CallContext) -> None:
    """Send nothing more if nobody reads what the session prints."""
    if output_closed():
        engine.drain()
        context.limits.drain.begin("nobody reads the output")


class _Asked:
    """Remembers which answer an attempt got last: the one that it was at work on if it crashes, or may repeat."""

    def __init__(self, ask: Ask, note: Callable[[Completion], None]) -> None:
        self._ask = ask
        self._answers = 0
        self._note = note
        self.answer_id: int | None = None
        self._greedy_text: str | None = None

    @property
    def greedy_digest(self) -> str:
        """That of `Result`, computed where it is asked for: most answers are valid, and some are large."""
        return "" if self._greedy_text is None else text_digest(self._greedy_text)

    async def __call__(
        self, request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Completion:
        self.answer_id = None
        completion = await self._ask(request, step=step, mode=mode, number=number, about=about)
        self.answer_id = completion.answer_id
        self._answers += 1
        self._greedy_text = completion.text if self._answers == 1 and completion.greedy else None
        self._note(completion)
        return completion


class _Counts:
    """Counts crashes on the way to the listener."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.crashed = 0

    def began(self, lane: Lane, number: int) -> None:
        self._listener.began(lane, number)

    def ended(self, ended: Ended) -> None:
        scorings = ended.result.scorings if ended.result else ()
        self.crashed += ended.crashed or any(scoring.outcome is Outcome.CRASHED for scoring in scorings)
        self._listener.ended(ended)


@dataclass(slots=True)
class _End:
    """The exit code with which a signal ends the session; 0 for none."""

    exit_code: int = 0


@asynccontextmanager
async def _interrupts(engine: Engine, context: CallContext, end: _End) -> AsyncIterator[None]:
    """Let an interrupt drain the session, and a second one cancel it; SIGTERM cancels it, and a second one ends all."""
    task = asyncio.current_task()

    def interrupt() -> None:
        if engine.draining and task is not None:
            task.cancel()
            return
        engine.drain()
        context.limits.drain.begin()
        if context.elsewhere is not None and context.elsewhere.draining:
            context.say(context.elsewhere.draining)
            return
        under_way = context.limits.slots.in_use
        context.say(f"draining: {under_way} calls under way end first; interrupt again to stop now")

    def terminate() -> None:
        if end.exit_code:
            sys.exit(end.exit_code)
        end.exit_code = 128 + signal.SIGTERM
        if task is not None:
            task.cancel()

    with signals_to({signal.SIGINT: interrupt, signal.SIGTERM: terminate}):
        yield


def lane_keys(suts: Sequence[str], prompts: Sequence[str], case_ids: Sequence[str]) -> list[LaneKey]:
    """Return every lane, the cases outermost: an early stop leaves systems and prompts balanced."""
    return [LaneKey(sut, prompt, case_id) for case_id in case_ids for sut in suts for prompt in prompts]
