"""The edit suite as one value: its five parts."""

from runner.run.suite import Suite
from runner.suites.edit.attempt import attempt
from runner.suites.edit.options import EditOptions
from runner.suites.edit.plan import EditDetail, plan
from runner.suites.edit.replay import replay
from runner.suites.edit.report import report
from runner.suites.edit.score import case_digest, samples

SUITE: Suite[EditOptions, EditDetail] = Suite("edit", plan, attempt, samples, replay, report, case_digest=case_digest)
