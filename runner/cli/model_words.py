"""Models among the words of an argument that takes paths, as in `evals codrep run cases/codrep sim/careful`."""

from collections.abc import Collection, Sequence
from pathlib import Path

from runner.errors import InputError


def models_among(
    words: Sequence[Path], model_ids: str, default: str = "", names: Collection[str] = ()
) -> tuple[list[Path], str]:
    """Return the paths among the words, and the models: those among the words in place of `model_ids`.

    A word is a model if it begins with a provider or is one of `names`, and no file has its name. Raises InputError if
    `model_ids` names models as well, other than its default.
    """
    from suts import PROVIDERS

    missing = [str(word) for word in words if not word.exists()]
    models = [word for word in missing if word in names or word.partition("/")[0] in PROVIDERS]
    if models and model_ids != default:
        raise InputError(
            f"--model-ids: models are also given as arguments ({' '.join(models)}); give them in one place"
        )
    return [word for word in words if str(word) not in models], ",".join(models) or model_ids
