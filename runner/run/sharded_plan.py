"""Divides a plan into shards, and names the run that they are together."""

import hashlib
from dataclasses import replace
from typing import Any

from runner.errors import InputError
from runner.run.plan import Plan
from runner.run.shards import Shard
from runner.storage.rows import to_json
from runner.storage.runs import RunPlan


def sharded(plan: Plan[Any], shard: Shard | None) -> Plan[Any]:
    """Return a plan with the lanes of a shard alone; estimates shrink with them. Raises InputError where it cannot."""
    if shard is None:
        return plan
    if plan.first:
        raise InputError(
            f"--shard {shard}: a model is asked for the order of edits first, for all commits at once; leave it out"
        )
    lanes = tuple(lane for lane in plan.lanes if shard.holds(lane.case_id))
    work, every = plan.workload, max(1, len(plan.lanes))
    kept, cases = len({lane.case_id for lane in lanes}), len({lane.case_id for lane in plan.lanes})
    counts = (work.questions, work.prompt_tokens, work.most_questions)
    questions, prompt_tokens, most = (-(-count * len(lanes) // every) for count in counts)
    part = replace(work, questions=questions, prompt_tokens=prompt_tokens, most_questions=most)
    note = f"shard {shard}: {kept} of {cases} cases; `evals merge` puts the databases of all shards together"
    return replace(plan, lanes=lanes, workload=part, notes=(*plan.notes, note))


def shared_run_id(plan: RunPlan) -> str:
    """Return the id that a run has in the databases of all of its shards: 8 digits of a digest of its identity."""
    identity = to_json({"suite": plan.suite, "version": plan.version, "identity": dict(plan.identity)})
    return hashlib.sha256(identity.encode()).hexdigest()[:8]
