"""Asking a system under test: the row before the call, limits, deadlines, retries, the clock; all in one place."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING

from parsers.blocks import Parse, Parser
from runner.pool.executor import LostCallError
from runner.prices import request_bytes
from runner.records import Clocks, Completion, Outcome
from runner.run.budget import Reservation, most_usd, price_share
from runner.run.call_context import CallContext
from runner.run.protocols import Ask, UncollectedError
from runner.run.reading import ExceededError, read_answer
from runner.run.redaction import failure_of, may_hold_secrets, without_secrets, without_secrets_in_error
from runner.run.replicas import Replica
from runner.run.sending import as_sent, numbered, parameters, unsent
from runner.storage.ledger import Expense, Failure, LaneKey, Question
from runner.storage.streams import AnswerReader
from suts.agent_parts import states_truths
from suts.sut import ErrorKind, Received, Request, Sut, SutError, Truth
from suts.variants import with_changes

if TYPE_CHECKING:
    from tenacity import RetryCallState

_BYTES_A_TOKEN = 3.5
# So many workers may end with a call of one question.
_MOST_LOST = 3
_WORTH_SAYING_S = 1.0


def asking(context: CallContext, sut: Sut, lane: LaneKey, parser: Parser | None) -> Ask:
    """Return an Ask that sends questions of one lane to a system, or returns what the ledger already holds."""

    async def ask(
        request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Completion:
        question = Question(lane, step, mode, number)
        recorded = await context.ledger.recorded(question)
        if recorded is not None:
            return recorded
        if not sut.endpoint.simulated and not states_truths(sut):
            # A request to a real system never carries the answer, even if a suite sets it.
            request = replace(request, truth=None)
        elif context.truth is not None:
            request = replace(request, truth=_truth(context.truth(question, about), lane.plain_prompt))
        # Budget, pace and record use the request as it is sent.
        request = numbered(with_changes(sut, request), number)
        return await _Call(context, sut, request, parser, question).answer()

    return ask


def _truth(known: Truth | None, prompt: str) -> Truth | None:
    """Return the truth with the prompt that it is asked with: simulated models may have rates for each prompt."""
    return replace(known, prompt=prompt) if known else None


class _Call:
    """One question under way: its row, its tries, and what they cost."""

    def __init__(
        self, context: CallContext, sut: Sut, request: Request, parser: Parser | None, question: Question
    ) -> None:
        self._context = context
        self._sut = sut
        self._replicas = context.replicas.of(sut)
        # Where the last try was sent, and whether it failed there.
        self._replica = self._replicas.members[0]
        self._failed_at: Replica | None = None
        self._planned = request
        self._request = request
        self._recorded = ""
        self._parser = parser
        self._question = question
        lane = question.lane
        self._who = f"{lane.sut} at {lane.case_id} number {question.number}"
        self._bound = most_usd(sut, request, context.prices)
        self._tokens = request_bytes(request) / _BYTES_A_TOKEN
        self._answer_id: int | None = None
        self._retries = 0
        self._lost = 0
        self._last: Failure | None = None
        self._discarded: float | None = None if self._bound is None else 0.0

    async def answer(self) -> Completion:
        """Return the recorded answer. Raises SutError if all tries failed, UnsentError at the cap and when drained."""
        self._replicas.check()
        try:
            completion = await self._with_retries()
        except Exception as error:
            if self._answer_id is not None and not isinstance(error, UncollectedError):
                closed = self._context.limits.breaker.closes(error)
                failure = self._last if closed and self._last else failure_of(error, self._sut)
                self._context.ledger.failed(self._answer_id, failure, self._expense(), self._last)
            raise
        self._context.ledger.answered(self._question, completion, self._expense(), self._sut.wire.name)
        return completion

    def _expense(self) -> Expense:
        return Expense(self._retries, self._bound, self._discarded)

    async def _with_retries(self) -> Completion:
        started = self._context.now_ns()
        try:
            return await self._once()
        except SutError as error:
            if not error.retryable:
                raise
            failed = error
        # Most calls succeed, and skip the cost of the retry library and of its import.
        return await self._again(failed, started)

    async def _again(self, failed: SutError, started: int) -> Completion:
        """Retry after a first failed try, as often and as long as the policy allows."""
        from tenacity import AsyncRetrying, retry_if_exception, wait_exponential, wait_random_exponential

        policy = self._context.retries
        past = [failed]

        async def once() -> Completion:
            if past:
                raise past.pop()
            self._retries += 1
            return await self._once()

        breaker, servers = self._context.limits.breaker, len(self._replicas)

        def enough(state: "RetryCallState") -> bool:
            if breaker.waits(self._replica.endpoint):
                return False
            waited_s = (self._context.now_ns() - started) / 1e9
            return state.attempt_number >= policy.tries * servers or waited_s + state.upcoming_sleep > policy.within_s

        # A wait is longer than the one before, whatever the dice: 0.3 to 0.5 s, 0.6 to 1 s, 1.2 to 2 s, ...
        # Of several servers each is tried before a wait: the waits double from round to round.
        longest_s, growth = policy.longest_wait_s, 2 ** (1 / servers)
        grown = wait_exponential(multiplier=0.3, max=0.6 * longest_s, exp_base=growth)
        backoff = grown + wait_random_exponential(multiplier=0.2, max=0.4 * longest_s, exp_base=growth)

        def wait(state: "RetryCallState") -> float:
            if self._replicas.passes_on(state.attempt_number, self._replica):
                return 0.0
            error = state.outcome.exception() if state.outcome else None
            requested_s = error.retry_after_s if isinstance(error, SutError) and error.retry_after_s else 0.0
            return min(requested_s + backoff(state), breaker.longest_wait_s(self._replica.endpoint))

        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, SutError) and error.retryable),
            wait=wait,
            stop=enough,
            before_sleep=self._note_retry,
            sleep=lambda seconds: breaker.sleep(self._replica.endpoint, seconds),
            reraise=True,
        )
        return await retrying(once)

    def _note_retry(self, state: "RetryCallState") -> None:
        self._context.limits.drain.check()
        error = state.outcome.exception() if state.outcome else None
        quiet = self._context.limits.breaker.is_quiet(self._replica.endpoint)
        if state.upcoming_sleep >= _WORTH_SAYING_S and isinstance(error, SutError) and not quiet:
            cause = error.status or error.kind
            self._context.say(f"retrying in {state.upcoming_sleep:.0f} s: {cause} from {self._who}")

    async def _once(self) -> Completion:
        """Make one try; where the model refuses a parameter that can be left out, make it again without it."""
        while True:
            try:
                return await self._try()
            except SutError as error:
                if not self._context.refusals.learn(self._sut, self._request.sampling, error):
                    raise
            except LostCallError as error:
                self._lose(error)
            self._retries += 1

    def _lose(self, error: LostCallError) -> None:
        """Note that a worker ended with the call, which may have been billed. Raises SutError after the last one."""
        self._lost += 1
        self._last = Failure(Outcome.LOST, None, f"its worker ended: {error}")
        self._discard()
        if self._lost > _MOST_LOST:
            raise SutError(ErrorKind.CONNECTION, f"{self._lost} workers ended with it: {error}", retryable=False)

    async def _try(self) -> Completion:
        """Send the request once, to one server."""
        replica = self._replica = self._replicas.choose(self._failed_at)
        try:
            completion = await self._try_at(replica)
        except SutError as error:
            self._failed_at = replica
            raise self._replicas.failed(replica, error) from None
        self._replicas.answered(replica)
        return completion

    async def _try_at(self, replica: Replica) -> Completion:
        """Send the request once, from the permission to call to the end of the stream."""
        context, limiter, breaker = self._context, replica.limiter, self._context.limits.breaker
        reservation = Reservation(context.budget, self._sut.name, self._bound)
        cost: float | None = 0.0
        try:
            async with context.limits.admitted(limiter, self._tokens, reservation, replica.endpoint) as began_s:
                await self._record_sending()
                reading = AnswerReader(self._sut.wire.decoder(), self._start_parse(), context.now_ns())
                # From here on a failed call may have been billed in full.
                cost = None
                try:
                    await self._receive(replica, reading)
                    if await may_hold_secrets(reading, self._sut):
                        reading = without_secrets(reading, self._sut, self._start_parse)
                except SutError as unsafe:
                    error = without_secrets_in_error(unsafe, reading, self._sut)
                    cost = self._lost_in(error, reading)
                    self._last = replace(failure_of(error, self._sut), cost_usd=cost)
                    self._refuse_to_wait(error)
                    limiter.failed(error, began_s, answered=bool(reading.stream))
                    error = breaker.failed(replica.endpoint, error, began_s, answered=_has_answered(reading, error))
                    raise limiter.blamed(error) from None
                completion = self._completed(reading)
                cost = completion.cost_usd
                breaker.succeeded(replica.endpoint)
                limiter.succeeded(completion.tokens.output or 0)
                return completion
        finally:
            reservation.settle(cost)

    async def _receive(self, replica: Replica, reading: AnswerReader) -> None:
        """Send the request, and read its answer. Raises SutError, for an exceeded limit with the name of the call."""
        context = self._context
        limits = context.reading_limits(self._sut.endpoint)
        try:
            await read_answer(self._sent(replica), reading, limits, context.now_ns, context.gaps)
        except ExceededError as error:
            message = f"{error}: {self._who}"
            if error.kind is ErrorKind.TIMEOUT:
                context.say(message)
            raise SutError(error.kind, message, retryable=False) from error

    def _sent(self, replica: Replica) -> AsyncIterator[Received]:
        """Send the request, or have it sent, and return what arrives."""
        elsewhere = self._context.elsewhere
        # The request has its changes already, and may have lost parameters since.
        if elsewhere is None or self._answer_id is None:
            return replica.sut.stream(self._request)
        return elsewhere.stream(replica.sut, self._request, self._answer_id)

    async def _record_sending(self) -> None:
        """Record that a request is about to be sent; return when its row is committed."""
        ledger, planned = self._context.ledger, self._planned
        refused = self._context.refusals.of(self._sut, planned.sampling)
        request = self._request = as_sent(self._sut, planned, refused)
        if not self._sut.endpoint.in_process:
            ledger.note_unsent(self._question.lane.sut, unsent(planned.sampling, request.sampling, refused))
        sent, host = parameters(request, self._question), self._replica.recorded_host
        if self._answer_id is None and (batched := ledger.in_batch(self._question)):
            self._answer_id, self._retries, *_ = batched
        elif self._answer_id is None:
            self._answer_id = await ledger.open(self._question, request.system, sent, self._bound, host)
        elif self._last is not None:
            changed = sent if sent != self._recorded else None
            await ledger.retry(self._answer_id, self._last, self._expense(), changed, host)
            self._last = None
        self._recorded = sent

    def _refuse_to_wait(self, error: SutError) -> None:
        """Raise a final SutError if the endpoint asks for a longer wait than retries allow."""
        wait_s = error.retry_after_s
        if wait_s is not None and wait_s > self._context.retries.within_s:
            message = f"{error} (retry after {wait_s:.0f} s)"
            raise SutError(error.kind, message, retryable=False, retry_after_s=wait_s, status=error.status) from error

    def _start_parse(self) -> Parse | None:
        return self._parser.start() if self._parser else None

    def _lost_in(self, error: SutError, reading: AnswerReader) -> float | None:
        """Return the cost of a failed try: 0 for a refusal; None for a partial answer, which may cost its bound."""
        if not reading.stream and error.kind is not ErrorKind.TIMEOUT:
            return 0.0
        self._discard()
        return None

    def _discard(self) -> None:
        """Count the bound of a try as lost, where the model has a price."""
        if self._bound is not None and self._discarded is not None:
            self._discarded += self._bound

    def _completed(self, reading: AnswerReader) -> Completion:
        greedy = self._request.sampling.temperature == 0
        completion = replace(reading.completion(), answer_id=self._answer_id, greedy=greedy)
        if not self._sut.endpoint.timed:
            # No model was asked: no time passed and nothing was paid.
            return replace(completion, clocks=Clocks(), list_cost_usd=0.0)
        priced = self._sut.endpoint.priced
        cost_usd = self._context.prices.cost(self._sut.name, completion.tokens) if priced else None
        if self._sut.endpoint.batched:
            cost_usd = None if cost_usd is None else cost_usd * price_share(self._sut.endpoint)
            return replace(completion, clocks=Clocks(), list_cost_usd=cost_usd)
        return replace(completion, list_cost_usd=cost_usd, disturbed_ms=self._disturbed_ms(reading))

    def _disturbed_ms(self, reading: AnswerReader) -> float | None:
        """Return how long this process could not read meanwhile; None where no answer waited to be read."""
        gaps, elsewhere = self._context.gaps, self._context.elsewhere
        if elsewhere is not None and self._answer_id is not None:
            return elsewhere.disturbed_ms(self._answer_id)
        if gaps is None or self._sut.endpoint.in_process:
            return None
        return gaps.disturbed_ms(reading.sent_ns)


def _has_answered(reading: AnswerReader, error: SutError) -> bool:
    """Return whether a failed call shows that a model answers; comments alone, until a deadline, show nothing."""
    return reading.token_ns is not None if error.kind is ErrorKind.TIMEOUT else bool(reading.stream)
