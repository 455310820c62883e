"""What a model that only refuses costs another in the same session, which should be next to nothing.

`python -m tests.bench.bench_starving [ROUNDS]`. Two simulated servers on loopback: one answers, the other answers each
request with 429 and `Retry-After: 2`. Each round asks the first for 400 answers alone, and then together with the other
model, with 80 slots; the session of both ends with the first model's last answer. Shown are answers per second.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from runner.prices import Prices
from runner.records import Outcome, Result, Scoring
from runner.run.budget import Budget
from runner.run.call_context import CallContext
from runner.run.engine import Ended, Lane
from runner.run.limits import Rates
from runner.run.options import sut_settings
from runner.run.pace import Pace
from runner.run.protocols import Ask
from runner.run.session import Session, lane_keys, run_session
from runner.storage.ledger import Ledger
from runner.storage.runs import utc_now
from runner.storage.store import Store
from suts.registry import resolve
from suts.simulated.config import ServerConfig
from suts.simulated.faults import Faults
from suts.simulated.server import start
from suts.sut import Message, Request, Sut
from tests.runner.made_runs import make_run, plan, variant

CASES, QUOTA, SLOTS = 40, 10, 80
ANSWERING, REFUSING = "any?pieces=4&jitter=0&ttft_ms=200&gap_ms=10", "any?valid=0"
QUESTION = Request("You edit files.", (Message("user", "Edit the file."),))


async def ask_once(_lane: Lane, ask: Ask, number: int) -> Result:
    """One question; any answer is valid."""
    completion = await ask(QUESTION, number=number)
    return Result(valid=True, scorings=(Scoring(Outcome.APPLIED, valid=True, answer_id=completion.answer_id),))


class Until:
    """Drains the session once the first model has all of its answers, and keeps the time."""

    def __init__(self, sut: str, context: CallContext) -> None:
        self._sut = sut
        self._context = context
        self._left = CASES * QUOTA
        self.ended_s = 0.0

    def began(self, lane: Lane, number: int) -> None:
        """Nothing."""

    def ended(self, ended: Ended) -> None:
        self._left -= ended.lane.key.sut == self._sut and ended.result is not None
        if not self._left and not self.ended_s:
            self.ended_s = time.monotonic()
            self._context.limits.drain.begin("all is measured")


async def rate(suts: Sequence[Sut], folder: Path) -> float:
    """Answers of the first system per second in a session of these systems."""
    store = Store.open(Path(tempfile.mkdtemp(dir=folder)) / "evals.db")
    cases, names = [f"case {index}" for index in range(CASES)], [sut.name for sut in suts]
    make_run(store, planned=plan(cases=cases, variants=[variant(name) for name in names]))
    pace = Pace(SLOTS, Rates())
    context = CallContext(
        ledger=Ledger(store, "r1", utc_now),
        limits=pace.limits(time.monotonic, lambda _line: None),
        budget=Budget(),
        prices=Prices("2026-01-01"),
        now_ns=time.monotonic_ns,
        say=lambda _line: None,
    )
    lanes = [Lane(key, QUOTA, 10 * QUOTA) for key in lane_keys(names, ["basic"], cases)]
    until, began_s = Until(names[0], context), time.monotonic()
    await run_session(Session(lanes, ask_once, suts, None, pace.attempts), context, until)
    store.close()
    return CASES * QUOTA / (until.ended_s - began_s)


async def main(rounds: int) -> None:
    """Print each round, and the medians."""
    os.environ.setdefault("OPENAI_API_KEY", "sim-key")
    sound = await start(ServerConfig())
    refusing = await start(ServerConfig(faults=Faults({"429": 1.0}), retry_after_s=2.0, rate_headers=False))
    alone: list[float] = []
    together: list[float] = []

    def answering() -> Sut:
        return resolve(ANSWERING, sut_settings("openai", [f"http://127.0.0.1:{sound.port}/v1"]))

    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            alone.append(await rate([answering()], Path(folder)))
            other = resolve(REFUSING, sut_settings("openai", [f"http://127.0.0.1:{refusing.port}/v1"]))
            together.append(await rate([answering(), other], Path(folder)))
            sys.stdout.write(f"alone {alone[-1]:.0f}/s, beside a model that only refuses {together[-1]:.0f}/s\n")
    share = median(together) / median(alone)
    sys.stdout.write(
        f"medians: {median(alone):.0f}/s and {median(together):.0f}/s, {share:.0%}; {len(refusing.log)} refused\n"
    )
    await sound.aclose()
    await refusing.aclose()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
