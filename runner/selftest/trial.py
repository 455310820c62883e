"""A trial: the main job itself, run over simulated models, and the evidence that it leaves."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from runner.calls import NATIVE
from runner.report.summary import RunSummary, summarize
from runner.run.plan import Plan
from runner.selftest.cases import write_cases
from runner.selftest.parts import (
    FAULTS,
    IN_PROCESS,
    IN_PROCESS_NATIVE,
    SEED,
    SERVED,
    SERVED_NATIVE,
    Parts,
    Scale,
    TrialModel,
)
from runner.selftest.recorded import RecordedAnswer, recordings
from runner.selftest.server import serving
from runner.selftest.trial_plan import Trial, plan_of
from runner.selftest.trial_session import fill
from runner.storage.runs import begin, find_run, finish, utc_now
from runner.storage.store import Store
from runner.suites.diff_edit.detail import DiffDetail
from suts.simulated.journal import JournalEntry


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
    late_ms: tuple[float, ...] = ()


def run_trials(
    parts: Parts, scale: Scale, folder: Path, say: Callable[[str], None]
) -> tuple[tuple[TrialEvidence, ...], tuple[TrialEvidence, ...]]:
    """Over each wire with every fault, then in process in virtual time; each with calls in the text, then native ones.

    Leaves cases and evals.db in the folder.
    """
    cases = folder / "cases"
    write_cases(cases, scale.cases)
    options = ("--cases", str(cases), "--seed", str(SEED), "--fault", FAULTS, "--retry-after-s", "0.005")
    with closing(Store.open(folder / "evals.db")) as store:
        with serving(options) as server:
            trial = Trial(parts, scale, store, cases, server.url, say)
            native = replace(trial, calls=NATIVE)
            served = evidence_of(trial, "served", SERVED, server.log)
            before = len(server.log())
            later = evidence_of(native, "served native", SERVED_NATIVE, lambda: server.log()[before:])
        in_process = evidence_of(trial, "in-process", IN_PROCESS, list)
        return (served, later), (in_process, evidence_of(native, "in-process native", IN_PROCESS_NATIVE, list))


def evidence_of(
    trial: Trial, run_id: str, subjects: tuple[TrialModel, ...], log: Callable[[], Sequence[JournalEntry]]
) -> TrialEvidence:
    """The evidence of a run over some models."""
    planned = plan_of(trial, subjects)
    begin(trial.store, run_id, planned.detail.run, utc_now())
    end, late_ms = asyncio.run(fill(trial, planned, run_id))
    finish(trial.store, run_id, utc_now(), complete=end.complete)
    return TrialEvidence(
        subjects=subjects,
        plan=planned,
        summary=summarize(trial.store, find_run(trial.store, run_id)),
        recordings=tuple(recordings(trial.store, run_id)),
        log=tuple(log()),
        late_ms=tuple(late_ms),
    )
