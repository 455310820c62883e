"""Historian's loop over one commit, as code-philia/Historian (March 2026) runs it, and the result file it writes.

At that commit every remaining edit is allowed, the first edit is always number 0, and `end` is never sent; only a
commit that came to its end has a result.
"""

import json
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NotRequired, TypedDict, cast

from runner.file_names import name_part
from runner.suites.nextedit.historian.matching import (
    Matched,
    classify,
    evaluate,
    locate,
    match,
    number,
    place_given_bleu,
)
from runner.suites.nextedit.historian.snapshots import (
    AppliedLocation,
    EditDict,
    Snapshots,
    applied_locations,
    current_version,
    edits_of,
    not_simulated,
    only_edit,
)

RECOMMEND = "suggestion(location+content)"
FILL = "suggestion(content)"


class Payload(TypedDict):
    """What a system is handed; `target_edit` holds the answer, as in the original."""

    id: str
    language: str
    project_name: str
    status: str
    repo_dir: str
    prior_edits: list[EditDict]
    edit_description: str
    changed_files: list[str]
    target_edit: NotRequired[EditDict]


@dataclass(frozen=True, slots=True)
class CommitContext:
    """What the original knows of a commit besides its edits."""

    commit_url: str
    language: str
    message: str
    repo_dir: str

    @property
    def sha(self) -> str:
        """The first ten digits of the commit's id."""
        return self.commit_url.rstrip("/").rsplit("/", 1)[-1][:10]

    @property
    def project(self) -> str:
        """The name of the repository without its owner."""
        parts = self.commit_url.rstrip("/").split("/")
        return parts[-3] if len(parts) > 2 else ""


System = Callable[[Payload], Awaitable[Snapshots | None]]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a replay takes from outside.

    `rng` draws the first edit and the edit that comes where no prediction matches, `clock` gives seconds, and
    `publish` is handed the texts of the touched files after every edit.
    """

    rng: Random
    clock: Callable[[], float]
    publish: Callable[[dict[str, str]], None]


@dataclass(slots=True)
class HistorianRun:
    """One commit in the course of its replay; the lists are live, as in the original."""

    about: CommitContext
    snapshots: Snapshots
    order: list[int] = field(default_factory=list)
    records: list[dict[str, object]] = field(default_factory=list)

    @property
    def remaining(self) -> list[EditDict]:
        """The edits yet to come."""
        return [edit for edit in edits_of(self.snapshots) if not edit["simulated"]]

    @property
    def evaluations(self) -> list[dict[str, Any]]:
        """The evaluations of every step but the first record's, which have another shape."""
        return [cast("dict[str, Any]", record["evaluations"]) for record in self.records[1:]]

    def apply(self, idx: int) -> None:
        """Mark an edit as simulated; every other one is then allowed."""
        edits = edits_of(self.snapshots)
        edits[idx]["simulated"] = True
        self.order.append(idx)
        for edit in edits:
            edit["allowed_as_next"] = not edit["simulated"]

    def payload(self, status: str) -> Payload:
        """What the system is handed for a question."""
        edits = edits_of(self.snapshots)
        return {
            "id": self.about.sha,
            "language": self.about.language,
            "project_name": self.about.project,
            "status": status,
            "repo_dir": self.about.repo_dir,
            "prior_edits": [edits[idx] for idx in self.order],
            "edit_description": self.about.message,
            "changed_files": list(self.snapshots),
        }


async def replay(about: CommitContext, snapshots: Snapshots, system: System, around: Surroundings) -> HistorianRun:
    """Replay a commit against a system. Raises UnfitAnswerError where an answer ends the original's run."""
    run = HistorianRun(about, snapshots)
    run.apply(around.rng.choice([0]))
    await system(run.payload("init"))
    run.records.append(_first_record(run))
    around.publish(current_version(snapshots))
    while run.remaining:
        run.records.append(await _step(run, system, around))
        around.publish(current_version(snapshots))
    run.records[-1]["status"] = "done"
    return run


def _first_record(run: HistorianRun) -> dict[str, object]:
    flow = {"flow_keeping": [0], "flow_jumping": [], "flow_breaking": [], "flow_reverting": []}
    snapshots = only_edit(run.snapshots, run.order[-1])
    return {
        "pred_snapshots": snapshots,
        "gdth_snapshots": run.snapshots,
        "evaluations": {"flow_pattern": flow, "matched_locations": []},
        "status": "init",
        "next_edit_snapshots": snapshots,
    }


async def _step(run: HistorianRun, system: System, around: Surroundings) -> dict[str, object]:
    before = deepcopy(run.snapshots)
    applied = applied_locations(run.snapshots)
    started = around.clock()
    predicted = await system(run.payload(RECOMMEND)) or {}
    latency = around.clock() - started
    number(predicted)
    matches, evaluations = judge(predicted, run, applied)
    idx, bleu = await _choose(matches, run, system, around)
    following = only_edit(run.snapshots, idx)
    run.apply(idx)
    return {
        "pred_snapshots": predicted,
        "gdth_snapshots": run.snapshots,
        "curr_gdth_snapshots": before,
        "previously_applied_locations": {str(key): place for key, place in applied.items()},
        "evaluations": {**evaluations, "latency": latency, "BLEU-4": bleu},
        "status": RECOMMEND,
        "next_edit_snapshots": following,
        "partial_order_graph": None,
    }


def judge(
    predicted: Snapshots, run: HistorianRun, applied: dict[int, AppliedLocation]
) -> tuple[list[Matched], dict[str, object]]:
    """The matches of a step and its evaluations; writes into the predictions what they were matched with."""
    located = locate(predicted)
    gold = locate(not_simulated(run.snapshots))
    matches = match(located, gold)
    by_number = {edit["idx"]: edit for edit in edits_of(predicted)}
    for hit in matches:
        by_number[hit["predIdx"]]["matchWith"] = hit["matchWith"]
        by_number[hit["predIdx"]]["flowKeeping"] = hit["flowKeeping"]
    allowed = sum(location["allowed_as_next"] for location in gold)
    return matches, {**classify(located, matches, applied.values()), **evaluate(located, matches, allowed)}


async def _choose(matches: list[Matched], run: HistorianRun, system: System, around: Surroundings) -> tuple[int, float]:
    """The edit to be applied, with the BLEU of what was proposed for it."""
    for hit in matches:
        if hit["flowKeeping"]:
            return hit["matchWith"], hit["bleu"]
    remaining = run.remaining
    target = around.rng.choice([edit for edit in remaining if edit["allowed_as_next"]] or remaining)
    answer = await system({**run.payload(FILL), "target_edit": target})
    return target["idx"], place_given_bleu(answer, only_edit(run.snapshots, target["idx"]))


def result(run: HistorianRun) -> dict[str, object]:
    """The content of the original's result file."""
    return {
        "commit_sha": run.about.sha,
        "project_name": run.about.project,
        "repo_dir": run.about.repo_dir,
        "commit_url": run.about.commit_url,
        "commit_message": run.about.message,
        "commit_snapshots": run.snapshots,
        "partial_orders": None,
        "simulation_order": run.order,
        "SUT_prediction_records": run.records,
    }


def write_result(run: HistorianRun, folder: Path, system: str) -> Path:
    """Write the result file of a finished run as the original names it, and return its path."""
    path = folder / f"{name_part(run.about.project)}-{name_part(run.about.sha)}-{system}-simulation-results.json"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result(run), indent=4), encoding="utf-8")
    return path
