"""A finished run of models read again: the same answers, other parsers or algorithms, nobody asked."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from runner.choices import Named, choose_algorithms, choose_parser
from runner.console import say
from runner.errors import InputError
from runner.ledger import LaneKey, Ledger
from runner.runs import utc_now
from runner.store import Row, Store
from runner.suites.next_edit.commits import Commit, Limits
from runner.suites.next_edit.editor import Leak
from runner.suites.next_edit.ordering import order_of_run
from runner.suites.next_edit.prompted import Reading
from runner.suites.next_edit.replay import Plan
from runner.suites.next_edit.rescoring import rescored
from runner.suites.next_edit.runs import recorded
from runner.suites.next_edit.sources import Ready, from_cases
from runner.suites.next_edit.steps import CommitReplay
from runner.suites.next_edit.suite import SUITE, NextEdit
from runner.suites.next_edit.systems import System
from runner.suites.next_edit.systems.baselines import Silent
from runner.suites.next_edit.unprompted import Unprompted
from suts.sut import SutError

Replays = dict[str, list[CommitReplay]]
_ANY_SIZE = Limits(min_edits=1, max_edits=1_000_000)
# What a system said is on record: none is made to say it again.
_MUTE = System(lambda _commit, _plan: Silent())
_LANES = "SELECT sut, prompt, case_id FROM lanes WHERE run_id = ? ORDER BY lane_id"


async def reread(store: Store, run: Row, parser: Named[Parser], algorithms: Sequence[Named[DiffAlgorithm]]) -> Replays:
    """The replays of a run by "model algorithm", its answers read by each algorithm on the states they were given in.

    Systems without a model, whose answers nobody needs to read, are there as they were, by their names. Commits that
    are not done are left out. Raises InputError for a run of another suite.
    """
    if run["suite"] != SUITE:
        raise InputError(f"run {run['run_id']}: is of suite {run['suite']}; name a run of `evals nextedit`")
    config: dict[str, Any] = orjson.loads(run["config"])
    identity: dict[str, Any] = config["identity"]
    plan = Plan(order_of_run(config), identity["seed"], Leak(identity["leak"]))
    commits = commits_of_run(store, run["run_id"])
    found: Replays = {}
    async with Ledger(store, run["run_id"], utc_now) as ledger:
        for row in store.rows(_LANES, run["run_id"]):
            key = LaneKey(row["sut"], row["prompt"], row["case_id"])
            suite = suite_of(identity, plan) if key.prompt else Unprompted(plan, _MUTE)
            try:
                played = await suite.play(commits[key.case_id], recorded(ledger, key), 1)
            except SutError:
                continue
            if isinstance(suite, Unprompted):
                found.setdefault(key.sut, []).append(played.replay)
                continue
            for algorithm in algorithms:
                reading = replace(suite.reading, parser=parser.thing, algorithm=algorithm.thing)
                replay = rescored(commits[key.case_id], played, reading, plan.leak)
                found.setdefault(f"{key.sut} {algorithm.name}", []).append(replay)
    return found


def suite_of(identity: dict[str, Any], plan: Plan) -> NextEdit:
    """The suite as a run had it, but for its system prompt, which no recorded answer needs."""
    parser = choose_parser(identity["parser"].partition("@")[0], say)
    (algorithm,) = choose_algorithms([identity["diff_apply"].partition("@")[0]], say)
    reading = Reading("", parser.thing, algorithm.thing, valid_attempts=identity["valid_attempts_per_step"])
    return NextEdit(plan, reading, parser.name, algorithm.name)


def commits_of_run(store: Store, run_id: str) -> dict[str, Commit]:
    """The commits of a run by case id, as the run knew them."""
    with tempfile.TemporaryDirectory(prefix="run-") as folder:
        for number, row in enumerate(store.rows("SELECT content_id FROM cases WHERE run_id = ?", run_id)):
            content = store.text(row["content_id"]) or ""
            Path(folder, f"{number:06}.json").write_text(content, encoding="utf-8", newline="\n")
        found = (each.commit for each in from_cases(Path(folder), _ANY_SIZE) if isinstance(each, Ready))
        return {commit.case_id: commit for commit in found}
