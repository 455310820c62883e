"""The suite that asks a model about pairs of edits, for the order of replays: `evals nextedit --order llm:MODEL`."""

from runner.run.suite import Suite
from runner.storage.runs import RunPlan
from runner.suites.nextedit.relations.attempt import attempt
from runner.suites.nextedit.relations.options import RelationOptions
from runner.suites.nextedit.relations.plan import plan
from runner.suites.nextedit.relations.record import NAME
from runner.suites.nextedit.relations.replay import replay
from runner.suites.nextedit.relations.report import report
from runner.suites.nextedit.relations.score import case_digest, samples

SUITE: Suite[RelationOptions, RunPlan] = Suite(NAME, plan, attempt, samples, replay, report, case_digest=case_digest)
