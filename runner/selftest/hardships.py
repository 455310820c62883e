"""A run as a process of its own under hardship: a case refused, odd fields, its database locked, itself stopped.

The results must be those of an undisturbed run, but for the case that the server refuses.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from runner.report.summary import summarize
from runner.run.plan import Plan
from runner.run.session import INCOMPLETE
from runner.selftest.checks import Check, checks_of_model, requests_check
from runner.selftest.parts import HARDSHIP_FAULTS, SEED, Parts, Scale, TrialModel, prices_as_asked, simulated_prices
from runner.selftest.recorded import RecordedAnswer, recordings
from runner.selftest.server import serving
from runner.selftest.trial import TrialEvidence
from runner.selftest.trial_plan import Trial, plan_of, vendors_at
from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.suites.diff_edit.detail import DiffDetail

RUN_ID = "hardships"
_EVALS = (sys.executable, "-P", "-c", "from runner.cli import main; main()")
_SLOTS = 4
_LOCKED_S = 2.0
# Longer than a call may go without data: a stopped process must not count that as the server's silence.
_STOPPED_S = 4.0
_IDLE_S = 3.0
_LONGEST_S = 300.0
_COMMENTS = re.compile(rb"(?:^:[^\n]*\n\n)+\Z", re.MULTILINE)
MODELS = (
    TrialModel("openai/any?valid=0.7&applied=0.6&ttft_ms=200&gap_ms=15"),
    TrialModel("anthropic/any?valid=0.75&applied=0.5&ttft_ms=200&gap_ms=15"),
)


@dataclass(frozen=True, slots=True)
class Hardships:
    """How the process ended, and whether it was alive when its hardships came."""

    exit_code: int
    locked: bool
    stopped: bool
    stderr: str


def checks_under_hardship(scale: Scale, folder: Path, cases: Path) -> Iterator[Check]:
    """Run a process under hardship in `folder` and yield the checks of what it leaves."""
    refused = max(path.stem for path in cases.glob("*.json"))
    options = ("--cases", str(cases), "--seed", str(SEED), "--fault", HARDSHIP_FAULTS, "--forbid", refused)
    db = folder / "hardships.db"
    with serving(options) as server, closing(Store.open(db)) as store:
        trial = Trial(Parts(), scale, store, cases, server.url, lambda _: None)
        planned = plan_of(trial, MODELS)
        hardships = _endure(_command(trial, db, folder), store)
        evidence = TrialEvidence(
            subjects=MODELS,
            plan=_without(planned, refused),
            summary=summarize(store, find_run(store, RUN_ID)),
            recordings=tuple(map(_without_comments, recordings(store, RUN_ID))),
            log=tuple(server.log()),
        )
        yield from _checks(evidence, hardships, store, refused)


def _checks(evidence: TrialEvidence, hardships: Hardships, store: Store, refused: str) -> Iterator[Check]:
    came = f"{'' if hardships.locked else 'not '}locked, {'' if hardships.stopped else 'not '}stopped"
    yield Check("hardships that came in time", "", "locked, stopped", came, hardships.locked and hardships.stopped)
    code = hardships.exit_code
    ended = f"{code}" if code == INCOMPLETE else f"{code}: {hardships.stderr[-300:].strip()}"
    yield Check("exit code with a refused case", "", str(INCOMPLETE), ended, code == INCOMPLETE)
    states = store.rows("SELECT case_id, state FROM lanes WHERE run_id = ? AND state <> 'full'", RUN_ID)
    others = sorted({row["case_id"] for row in states if row["case_id"] != refused})
    abandoned = sum(row["state"] == "abandoned" for row in states)
    text = f"{abandoned} of {refused}" + (f", and {', '.join(others)}" if others else "")
    expected = f"{len(MODELS)} of {refused}"
    yield Check("lanes ended by status 403", "", expected, text, text == expected)
    timeouts = sum(recording.outcome == "timeout" for recording in evidence.recordings)
    yield Check("timeouts of a process that was stopped", "", "0", str(timeouts), not timeouts)
    for subject in evidence.subjects:
        yield from checks_of_model(evidence, subject)
    yield requests_check(evidence)


def _without_comments(recording: RecordedAnswer) -> RecordedAnswer:
    """Return an answer without the comments that came in one piece with its end, over a connection that stays open."""
    return replace(recording, stream=_COMMENTS.sub(b"", recording.stream))


def _without(planned: Plan[DiffDetail], refused: str) -> Plan[DiffDetail]:
    """Return the plan without the lanes of the refused case."""
    return replace(planned, lanes=tuple(lane for lane in planned.lanes if lane.case_id != refused))


def _command(trial: Trial, db: Path, folder: Path) -> subprocess.Popen[str]:
    """Start the run; it has a session of its own, since a shell would take notice of a child that is stopped."""
    prices = folder / "prices.json"
    prices.write_text(json.dumps(_price_table()), encoding="utf-8")
    models = ",".join(model.sut for model in MODELS)
    words = ("diff", "--cases", trial.cases, "--model-ids", models, "--db", db, "--run-id", RUN_ID, "--seed", SEED)
    pace = ("-n", trial.scale.quota, "--max-concurrency", _SLOTS, "--idle-timeout", _IDLE_S)
    command = [*_EVALS, *map(str, (*words, *pace, "--prices", prices, "--yes"))]
    return subprocess.Popen(  # noqa: S603 - our own command
        command,
        cwd=folder,
        env=_environment(trial.url),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _environment(url: str) -> Mapping[str, str]:
    """Return this environment without the options in it, with the simulated server in place of both vendors."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EVALS_")}
    return {**kept, **vendors_at(url)}


def _price_table() -> Mapping[str, object]:
    """Return the prices of the models, as a file of `--prices` has them."""
    prices = prices_as_asked(simulated_prices(), [model.sut for model in MODELS])
    rows = [
        {
            "model": model.sut,
            "input": price.rate.input,
            "output": price.rate.output,
            "cache_read": price.rate.cache_read,
            "cache_write": price.rate.cache_write,
        }
        for model in MODELS
        if (price := prices.of(model.sut)) is not None
    ]
    return {"date": prices.date, "models": rows}


def _endure(process: subprocess.Popen[str], store: Store) -> Hardships:
    """Lock the database once there is an answer, then stop the process for a while; wait for its end."""
    with process:
        locked = _wait_for_answer(process, store)
        if locked:
            with store.transaction():
                time.sleep(_LOCKED_S)
        stopped = process.poll() is None and _wait_for_call(process, store)
        if stopped:
            process.send_signal(signal.SIGSTOP)
            time.sleep(_STOPPED_S)
            process.send_signal(signal.SIGCONT)
        try:
            _, stderr = process.communicate(timeout=_LONGEST_S)
        except subprocess.TimeoutExpired:
            process.kill()
            _, stderr = process.communicate()
    return Hardships(process.returncode, locked, stopped, stderr)


def _wait_for_answer(process: subprocess.Popen[str], store: Store) -> bool:
    return _wait_for("SELECT 1 FROM answers WHERE outcome = 'answered' LIMIT 1", process, store)


def _wait_for_call(process: subprocess.Popen[str], store: Store) -> bool:
    return _wait_for("SELECT 1 FROM answers WHERE outcome = 'in_flight' LIMIT 1", process, store)


def _wait_for(sql: str, process: subprocess.Popen[str], store: Store) -> bool:
    """Return whether the query has a row before the process ends."""
    while process.poll() is None:
        if store.rows(sql):
            return True
        time.sleep(0.02)
    return False
