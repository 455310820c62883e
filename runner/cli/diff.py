"""`evals diff`: ask models for edits until every case has its quota of valid attempts, apply and score them."""

from runner.cli.running import run_suite
from runner.suites.diff_edit.options import DiffOptions

Options = DiffOptions


def diff(options: DiffOptions) -> None:
    """Ask models for edits until every case has its quota of valid attempts; apply, score and report them."""
    run_suite("diff_edit", options)
