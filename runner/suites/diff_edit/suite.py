"""The diff_edit suite as one value: its five parts."""

from runner.run.suite import Suite
from runner.suites.diff_edit.attempt import attempt
from runner.suites.diff_edit.detail import DiffDetail
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.plan import plan
from runner.suites.diff_edit.replay import replay
from runner.suites.diff_edit.report import report
from runner.suites.diff_edit.score import case_digest, samples

SUITE: Suite[DiffOptions, DiffDetail] = Suite(
    "diff_edit", plan, attempt, samples, replay, report, case_digest=case_digest
)
