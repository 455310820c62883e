"""Starts a run in its database, or resumes it: attempts of earlier sessions count, the rest is asked."""

from dataclasses import dataclass
from typing import Any

from runner.console import say
from runner.prices import Prices
from runner.run.expected_counts import ExpectedCounts, expected_of
from runner.run.lanes import lanes_of, requested
from runner.run.plan import Plan
from runner.run.redaction import short_key_warning
from runner.run.running_job import Job, run_job
from runner.run.session import INCOMPLETE, INTERRUPTED
from runner.run.suite import Prepared
from runner.run.unjudged import forget_infra, judged_code
from runner.storage.runs import begin, finish, utc_now
from runner.storage.store import Store


@dataclass(frozen=True, slots=True)
class Filled:
    """How a session ended: the exit code, whether lanes are left open, and the results expected of simulated models."""

    exit_code: int
    incomplete: bool = False
    expected: tuple[ExpectedCounts, ...] = ()

    @property
    def interrupted(self) -> bool:
        """Return whether the session was stopped at once."""
        return self.exit_code == INTERRUPTED


def fill(plan: Plan[Any], prepared: Prepared, prices: Prices, store: Store, run_id: str) -> Filled:
    """Start or resume the run, until its lanes are full or the session ends."""
    forget_infra(store, run_id)
    lanes = lanes_of(store, run_id, plan)
    quota, cap = requested(plan, lanes)
    attempts = prepared.begin(lanes)
    if begin(store, run_id, attempts.run or prepared.run, utc_now()):
        say(f"run {run_id} resumes with {sum(lane.valid for lane in lanes)} valid attempts")
        if quota > plan.quota:
            say(f"run {run_id} keeps its quota of {quota}; this session asks for at most {plan.quota} at each case")
    else:
        say(f"run {run_id} in {store.path}")
    if not lanes:
        # A shard may hold no case.
        finish(store, run_id, utc_now(), complete=True)
        return Filled(0)
    if warning := short_key_warning(attempts.suts):
        say(warning)
    ended = run_job(Job(plan, prepared, attempts, lanes, prices), store, run_id)
    code, incomplete = judged_code(store, run_id, ended), ended == INCOMPLETE
    if attempts.truth is None or not attempts.predictable:
        return Filled(code, incomplete)
    tested = [lane for lane in plan.lanes if lane.case_id not in attempts.untested]
    return Filled(code, incomplete, tuple(expected_of(attempts.suts, tested, attempts.truth, quota, cap)))
