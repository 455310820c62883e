"""The nextedit suite as one value: its five parts."""

from runner.run.suite import Suite
from runner.suites.nextedit.attempt import attempt
from runner.suites.nextedit.detail import NextEditDetail
from runner.suites.nextedit.mispredictions import step_screen
from runner.suites.nextedit.options import NextEditOptions
from runner.suites.nextedit.plan import plan
from runner.suites.nextedit.replay import replay
from runner.suites.nextedit.report import report
from runner.suites.nextedit.run_plan import case_digest
from runner.suites.nextedit.score import samples

SUITE: Suite[NextEditOptions, NextEditDetail] = Suite(
    "nextedit", plan, attempt, samples, replay, report, case_digest=case_digest, screen=step_screen
)
