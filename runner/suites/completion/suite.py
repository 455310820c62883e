"""The completion suite as one value: its five parts."""

from runner.run.suite import Suite
from runner.suites.completion.attempt import attempt
from runner.suites.completion.options import CompletionOptions
from runner.suites.completion.plan import CompletionDetail, plan
from runner.suites.completion.replay import replay
from runner.suites.completion.report import cluster, report
from runner.suites.completion.score import case_digest, samples

SUITE: Suite[CompletionOptions, CompletionDetail] = Suite(
    "completion", plan, attempt, samples, replay, report, cluster, case_digest=case_digest
)
