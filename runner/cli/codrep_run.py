"""`evals codrep run`: predictors and models are asked which line was replaced, in a run that the database keeps."""

import os
from dataclasses import replace

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
    """Return the options with models among the folders in place of `--model-ids`: names of systems, but of no file.

    Raises InputError if no folder is left, or if the option names systems as well.
    """
    from runner.suites.codrep.predictors.predict import PREDICTORS
    from suts import PROVIDERS

    words = [str(folder) for folder in options.folders if not folder.exists()]
    models = [word for word in words if word in PREDICTORS or word.partition("/")[0] in PROVIDERS]
    if not models:
        return options
    folders = [folder for folder in options.folders if str(folder) not in models]
    if not folders:
        raise InputError("DIR: is missing; give a dataset folder before the models")
    if options.model_ids != _DEFAULT:
        raise InputError(
            f"--model-ids: models are also given as arguments ({' '.join(models)}); give them in one place"
        )
    return replace(options, folders=folders, model_ids=",".join(models))
