"""A run read again from what is on record: as it was, or by other parsers or algorithms; nobody is asked."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import DiffAlgorithm
from parsers import PARSERS
from parsers.blocks import Parser
from runner.console import say
from runner.errors import InputError
from runner.run.resolve import Named, on_record
from runner.storage.ledger import LaneKey, Record
from runner.storage.rows import config_of, detail_of
from runner.storage.store import Row, Store
from runner.suites.nextedit.attempt import SUITE, NextEdit, Played
from runner.suites.nextedit.commit_replay import Plan, remembered
from runner.suites.nextedit.commits import Commit, Limits
from runner.suites.nextedit.editor import Leak
from runner.suites.nextedit.ordering import order_of_run
from runner.suites.nextedit.prompted import Reading
from runner.suites.nextedit.replayed_steps import rescored
from runner.suites.nextedit.runs import recorded
from runner.suites.nextedit.sources import Ready, from_cases
from runner.suites.nextedit.steps import CommitReplay
from runner.suites.nextedit.systems import System
from runner.suites.nextedit.systems.baselines import Silent
from runner.suites.nextedit.unprompted import Unprompted
from suts.sut import SutError

Replays = dict[str, list[CommitReplay]]
_ANY_SIZE = Limits(min_edits=1, max_edits=1_000_000)
# What a system said is on record: none is made to say it again.
_MUTE = System(lambda _commit, _plan: Silent())
_LANES = "SELECT lane_id, sut, prompt, case_id, state FROM lanes WHERE run_id = ? ORDER BY lane_id"
_JUDGED = """
    SELECT a.step, s.detail FROM scorings s JOIN answers a USING (answer_id)
    WHERE a.lane_id = ? AND s.run_id = ? AND s.detail IS NOT NULL"""
_NOT_DONE = "they are not done"
_CHANGED = (
    "what may come next has changed since, and their answers are to other states; ask again, or read them with the "
    "version that asked"
)


@dataclass(frozen=True, slots=True)
class _Play:
    """A commit replayed by a system in a run, made again from what is on record."""

    sut: str
    commit: Commit
    suite: NextEdit | Unprompted
    played: Played


async def reread(store: Store, run: Row, parser: Named[Parser], algorithms: Sequence[Named[DiffAlgorithm]]) -> Replays:
    """The replays of a run by "model algorithm", its answers read by each algorithm on the states they were given in.

    Systems without a model, whose answers nobody needs to read, are there as they were, by their names. Commits that
    are not done are left out, and told. Raises InputError for a run of another suite, and for one that was read by a
    parser or an algorithm that is neither ours nor among these.
    """
    found: Replays = {}
    for play in await _plays(store, run, [parser], algorithms):
        suite = play.suite
        if isinstance(suite, Unprompted):
            found.setdefault(play.sut, []).append(play.played.replay)
            continue
        for algorithm in algorithms:
            reading = replace(suite.reading, parser=parser.impl, algorithm=algorithm.impl)
            replay = rescored(play.commit, play.played, reading, suite.plan.leak)
            found.setdefault(f"{play.sut} {algorithm.name}", []).append(replay)
    return found


async def replays_of(store: Store, run: Row) -> Replays:
    """The replays of a run by system, as they were.

    Raises InputError for a run of another suite, and for one that was read by a plug-in.
    """
    found: Replays = {}
    for play in await _plays(store, run):
        found.setdefault(play.sut, []).append(play.played.replay)
    return found


async def _plays(
    store: Store,
    run: Row,
    parsers: Sequence[Named[Parser]] = (),
    algorithms: Sequence[Named[DiffAlgorithm]] = (),
) -> list[_Play]:
    """The replays of a run, which ours or these have read; tells how many are left out, and why."""
    if run["suite"] != SUITE:
        raise InputError(f"run {run['run_id']}: is of suite {run['suite']}; name a run of `evals nextedit`")
    config = config_of(run)
    identity: dict[str, Any] = config["identity"]
    plan = Plan(remembered(order_of_run(config)), identity["seed"], Leak(identity["leak"]))
    commits, record = commits_of_run(store, run["run_id"]), Record(store, run["run_id"])
    found: list[_Play] = []
    left: Counter[str] = Counter()
    for row in store.rows(_LANES, run["run_id"]):
        key = LaneKey(row["sut"], row["prompt"], row["case_id"])
        suite = suite_of(identity, plan, parsers, algorithms) if key.prompt else Unprompted(plan, _MUTE)
        try:
            played = await suite.play(commits[key.case_id], recorded(record, key), 1)
        except SutError:
            left[_CHANGED if row["state"] == "full" else _NOT_DONE] += 1
            continue
        if _is_as_recorded(store, row["lane_id"], run["run_id"], played):
            found.append(_Play(key.sut, commits[key.case_id], suite, played))
        else:
            left[_CHANGED] += 1
    for reason, count in left.items():
        say(f"run {run['run_id']}: {count} of {left.total() + len(found)} replays are left out: {reason}")
    return found


def _is_as_recorded(store: Store, lane_id: int, run_id: str, played: Played) -> bool:
    """Whether every step judged in the run has the state of then: its answers were given to no other."""
    steps = {step.number: step for step in played.replay.steps}
    for row in store.stream(_JUDGED, lane_id, run_id):
        step, known = steps.get(row["step"]), detail_of(row)
        if step is None or [*step.applied] != known["applied"] or [*step.allowed] != known["allowed"]:
            return False
    return True


def suite_of(
    identity: dict[str, Any], plan: Plan, parsers: Sequence[Named[Parser]], algorithms: Sequence[Named[DiffAlgorithm]]
) -> NextEdit:
    """The suite as a run had it, but for its system prompt, which no recorded answer needs. Raises InputError."""
    parser_name, algorithm_name = (str(identity[field]).partition("@")[0] for field in ("parser", "diff_apply"))
    parser = on_record("--parser", parser_name, PARSERS, parsers)
    algorithm = on_record("--diff-apply", algorithm_name, DIFF_ALGORITHMS, algorithms)
    reading = Reading("", parser, algorithm, valid_attempts=identity["valid_attempts_per_step"])
    return NextEdit(plan, reading, parser_name, algorithm_name)


def commits_of_run(store: Store, run_id: str) -> dict[str, Commit]:
    """The commits of a run by case id, as the run knew them."""
    with tempfile.TemporaryDirectory(prefix="run-") as folder:
        for number, row in enumerate(store.rows("SELECT content_id FROM cases WHERE run_id = ?", run_id)):
            content = store.text(row["content_id"]) or ""
            Path(folder, f"{number:06}.json").write_text(content, encoding="utf-8", newline="\n")
        found = (each.commit for each in from_cases(Path(folder), _ANY_SIZE) if isinstance(each, Ready))
        return {commit.case_id: commit for commit in found}
