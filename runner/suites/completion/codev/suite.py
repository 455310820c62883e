"""The codev suite as one value: its five parts."""

from runner.run.suite import Suite
from runner.suites.completion.codev.attempt import attempt
from runner.suites.completion.codev.options import CodevOptions
from runner.suites.completion.codev.plan import CodevDetail, plan
from runner.suites.completion.codev.replay import replay
from runner.suites.completion.codev.report import report
from runner.suites.completion.codev.score import case_digest, samples

SUITE: Suite[CodevOptions, CodevDetail] = Suite(
    "codev", plan, attempt, samples, replay, report, case_digest=case_digest
)
