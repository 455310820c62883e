"""`evals diff`: ask models for edits; apply, score and report them."""

from runner.cli.running import run_suite
from runner.suites.diff_edit.options import DiffOptions


def diff(options: DiffOptions) -> None:
    """Ask models for edits; apply, score and report them.

    Each case is asked again until it has its quota of valid attempts.
    """
    run_suite("diff_edit", options)
