"""A trial: the main job itself, run over simulated models, and the evidence that it leaves."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from runner.records import Completion, Scoring
from runner.report.summary import RunSummary, summarize
from runner.run.ask import CallContext, Retries
from runner.run.budget import Budget
from runner.run.diff_scoring import EditedFile, Scorer
from runner.run.engine import Ended, Lane
from runner.run.limits import CallLimits, Rates
from runner.run.pace import Deadlines
from runner.run.plan import Plan
from runner.run.session import Session, SessionEnd, run_session
from runner.selftest.cases import write_cases
from runner.selftest.lag import lag_measured
from runner.selftest.parts import FAULTS, IN_PROCESS, SEED, SERVED, Parts, Scale, TrialModel
from runner.selftest.recorded import RecordedAnswer, recordings
from runner.selftest.server import serving
from runner.storage.ledger import Ledger
from runner.storage.runs import begin, find_run, finish, utc_now
from runner.storage.store import Store
from runner.suites.diff_edit.attempt import attempts_of, truth_of
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.plan import DiffDetail, plan
from suts.registry import resolve
from suts.settings import Settings
from suts.simulated.journal import JournalEntry
from suts.sut import Sut

_DEADLINES = Deadlines(first_byte_s=10.0, idle_s=2.5, total_s=60.0)
_RETRIES = Retries(tries=8, within_s=60.0, longest_wait_s=0.4)
_KEY = "sim-key"


@dataclass(frozen=True, slots=True)
class TrialEvidence:
    """What a trial leaves: the report's numbers, the recorded answers, and what the server says it did.

    `late_ms` is how late the event loop was; `log` is empty where no server was asked.
    """

    subjects: tuple[TrialModel, ...]
    plan: Plan[DiffDetail]
    summary: RunSummary
    recordings: tuple[RecordedAnswer, ...]
    log: tuple[JournalEntry, ...]
    late_ms: tuple[float, ...]
    end: SessionEnd


def run_trials(
    parts: Parts, scale: Scale, folder: Path, say: Callable[[str], None]
) -> tuple[TrialEvidence, TrialEvidence]:
    """Over both wires with every fault, then in process in virtual time; leaves cases and evals.db in the folder."""
    cases = folder / "cases"
    write_cases(cases, scale.cases)
    options = ("--cases", str(cases), "--seed", str(SEED), "--fault", FAULTS, "--retry-after-s", "0.005")
    with closing(Store.open(folder / "evals.db")) as store:
        with serving(options) as server:
            job = _Trial(parts, scale, store, cases, server.url, say)
            served = job.run("served", SERVED, server.log)
        return served, job.run("in-process", IN_PROCESS, list)


@dataclass(frozen=True, slots=True)
class _Trial:
    parts: Parts
    scale: Scale
    store: Store
    cases: Path
    url: str
    say: Callable[[str], None]

    def run(
        self, run_id: str, subjects: tuple[TrialModel, ...], log: Callable[[], Sequence[JournalEntry]]
    ) -> TrialEvidence:
        planned = self._plan(subjects)
        begin(self.store, run_id, planned.detail.run, utc_now())
        end, late_ms = asyncio.run(self._session(planned, run_id))
        finish(self.store, run_id, utc_now(), complete=end.complete)
        return TrialEvidence(
            subjects=subjects,
            plan=planned,
            summary=summarize(self.store, find_run(self.store, run_id)),
            recordings=tuple(recordings(self.store, run_id)),
            log=tuple(log()),
            late_ms=tuple(late_ms),
            end=end,
        )

    def _plan(self, subjects: Sequence[TrialModel]) -> Plan[DiffDetail]:
        environment = {
            "OPENAI_API_KEY": _KEY,
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "ANTHROPIC_API_KEY": _KEY,
            "ANTHROPIC_BASE_URL": self.url,
        }
        settings = Settings(environment=environment, now_ns=self.parts.now_ns, seed=SEED)
        options = _TrialOptions(
            systems=settings,
            db=self.store.path,
            cases=self.cases,
            model_ids=",".join(subject.sut for subject in subjects),
            quota=self.scale.quota,
            max_concurrency=self.scale.slots,
            seed=SEED,
        )
        return plan(options, self.say)

    async def _session(self, planned: Plan[DiffDetail], run_id: str) -> tuple[SessionEnd, list[float]]:
        parts, slots = self.parts, self.scale.slots
        context = CallContext(
            ledger=Ledger(self.store, run_id, utc_now),
            limits=CallLimits(Rates(concurrency=slots), slots, time.monotonic, self.say),
            budget=Budget(),
            prices=parts.prices,
            now_ns=parts.now_ns,
            say=lambda _: None,
            deadlines=_DEADLINES,
            retries=_RETRIES,
            truth=truth_of(planned.detail.cases, SEED),
        )
        attempt = attempts_of(planned.detail, planned.options.sampling, _scorer(parts))
        lanes = [Lane(key, planned.quota, planned.cap) for key in planned.lanes]
        session = Session(lanes, attempt, planned.suts, planned.detail.parser.impl, slots)
        with lag_measured() as late_ms:
            return await run_session(session, context, _Silent()), late_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class _TrialOptions(DiffOptions):
    """The options of a trial, whose systems are made with settings of its own, not with those of the environment."""

    systems: Settings

    @property
    def builder(self) -> Callable[[str], Sut]:
        """What makes a system of a model's id."""
        return lambda model: resolve(model, self.systems)


def _scorer(parts: Parts) -> Scorer:
    """Return the scorer on trial, under the validity rule on trial."""

    def score(case: EditedFile, completion: Completion, *rest: object) -> tuple[Scoring, ...]:
        scorings = parts.score(case, completion, *rest)  # type: ignore[arg-type]
        return tuple(replace(scoring, valid=parts.valid(scoring.outcome)) for scoring in scorings)

    return score


class _Silent:
    """Listens and says nothing."""

    def began(self, lane: Lane, number: int) -> None:
        """Nothing."""

    def ended(self, ended: Ended) -> None:
        """Nothing."""
