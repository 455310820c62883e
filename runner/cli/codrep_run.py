"""`evals codrep run`: predictors and models are asked which line was replaced, in a run that the database keeps."""

import os
from dataclasses import replace

from runner.cli.model_words import models_among
from runner.cli.running import run_suite
from runner.errors import InputError
from runner.suites.codrep.options import CodrepOptions

Options = CodrepOptions
_DEFAULT = "ranker"


def keep_to_one_core() -> None:
    """Keep numpy's linear algebra from starting threads: the arrays of the ranker are too small to be worth them."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def run(options: CodrepOptions) -> None:
    """Ask which line was replaced; score and report answers.

    Each task is asked again until it has its quota of valid attempts.
    """
    keep_to_one_core()
    run_suite("codrep", _with_models(options))


def _with_models(options: CodrepOptions) -> CodrepOptions:
    """Return the options with models and predictors among the folders in place of `--model-ids`.

    Raises InputError if no folder is left, or if the option names systems as well.
    """
    from runner.suites.codrep.predictors.predict import PREDICTORS

    folders, model_ids = models_among(options.folders, options.model_ids, _DEFAULT, PREDICTORS)
    if not folders:
        raise InputError("DIR: is missing; give a dataset folder before the models")
    return replace(options, folders=folders, model_ids=model_ids)
