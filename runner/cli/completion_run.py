"""`evals completion run`: ask models for completions until every task has its answers, judge and score them."""

from runner.cli.running import run_suite
from runner.suites.completion.options import CompletionOptions

Options = CompletionOptions


def run(options: CompletionOptions) -> None:
    """Ask models for completions; judge and report them.

    Each answer is put into its hole, and judged by the tests that execute the hole.
    """
    run_suite("completion", options)
