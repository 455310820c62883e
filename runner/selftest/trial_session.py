"""The session of a trial: the lanes of its plan filled, and how late the event loop was meanwhile."""

import time

from runner.run.budget import Budget
from runner.run.call_context import CallContext, Retries
from runner.run.engine import Ended, Lane
from runner.run.plan import Plan
from runner.run.session import Session, SessionEnd, run_session
from runner.selftest.lag import lag_measured
from runner.selftest.parts import prices_as_asked, scorer_of
from runner.selftest.trial_plan import Trial, truths_of
from runner.storage.ledger import Ledger
from runner.storage.runs import utc_now
from runner.suites.diff_edit.detail import DiffDetail
from runner.suites.diff_edit.model_attempt import attempts_of, scoring_of

_RETRIES = Retries(tries=8, within_s=60.0, longest_wait_s=0.4)


async def fill(trial: Trial, planned: Plan[DiffDetail], run_id: str) -> tuple[SessionEnd, list[float]]:
    """Fill the lanes; how the session ended, and the lateness of each tick of the loop in milliseconds."""
    parts, pace = trial.parts, trial.scale.pace
    context = CallContext(
        ledger=Ledger(trial.store, run_id, utc_now),
        limits=pace.limits(time.monotonic, trial.say),
        budget=Budget(),
        prices=prices_as_asked(parts.prices, [sut.name for sut in planned.suts]),
        now_ns=parts.now_ns,
        say=lambda _: None,
        deadlines=pace.deadlines,
        retries=_RETRIES,
        truth=truths_of(planned),
    )
    detail = planned.detail
    scoring = scoring_of(detail, scorer_of(parts))
    attempt = attempts_of(detail, planned.options.sampling, scoring)
    lanes = [Lane(key, planned.quota, planned.cap) for key in planned.lanes]
    parsers = {**detail.native_parsers, **detail.choice.parsers}
    session = Session(lanes, attempt, planned.suts, detail.parser.impl, pace.slots, parsers)
    with lag_measured() as late_ms:
        return await run_session(session, context, _Silent()), late_ms


class _Silent:
    """Listens and says nothing."""

    def began(self, lane: Lane, number: int) -> None:
        """Nothing."""

    def ended(self, ended: Ended) -> None:
        """Nothing."""
