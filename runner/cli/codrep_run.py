"""`evals codrep run`: predictors and models are asked which line was replaced, in a run that the database keeps."""

import os

from runner.cli.running import run_suite
from runner.suites.codrep.options import CodrepOptions

Options = CodrepOptions


def keep_to_one_core() -> None:
    """Keep numpy's linear algebra from starting threads: the arrays of the ranker are too small to be worth them."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def run(options: CodrepOptions) -> None:
    """Ask which line was replaced; score and report answers.

    Each task is asked again until it has its quota of valid attempts.
    """
    keep_to_one_core()
    run_suite("codrep", options)
