"""Codev-Bench (Lingma, October 2024) as it is: its files, its parsing, its checks and its scores, defects included.

Its questions are a suite; its files in and out, its tests and its tables are made around that run (`program`).
"""

from runner.run.suite import Suite
from runner.suites.completion.codev.attempt import attempt
from runner.suites.completion.codev.options import CodevOptions
from runner.suites.completion.codev.plan import CodevDetail, plan
from runner.suites.completion.codev.replay import replay
from runner.suites.completion.codev.report import report
from runner.suites.completion.codev.score import samples

SUITE: Suite[CodevOptions, CodevDetail] = Suite("codev", plan, attempt, samples, replay, report)
