"""The codrep suite as one value: its five parts."""

from runner.run.suite import Suite
from runner.suites.codrep.attempt import attempt
from runner.suites.codrep.options import CodrepOptions
from runner.suites.codrep.plan import CodrepDetail, plan
from runner.suites.codrep.replay import replay
from runner.suites.codrep.report import report
from runner.suites.codrep.score import case_digest, samples

SUITE: Suite[CodrepOptions, CodrepDetail] = Suite(
    "codrep", plan, attempt, samples, replay, report, case_digest=case_digest
)
