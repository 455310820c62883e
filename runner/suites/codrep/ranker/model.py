"""The ranker's model: what was learned, as arrays in one file that numpy alone can read."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import as_file
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from runner.errors import InputError
from runner.input_files import MEGABYTE, in_megabytes, open_input
from runner.suites.codrep.ranker.candidates import CHOOSING, Chooser
from runner.suites.codrep.ranker.lexicon import Lexicon
from runner.suites.codrep.ranker.shipped import SHIPPED
from runner.suites.codrep.ranker.table import FEATURES
from runner.suites.codrep.ranker.trees import Forest

LAYOUT = 1
LARGEST_ARRAYS = 256 * MEGABYTE
# What reading a file that is no archive, or a damaged one, raises.
DAMAGED = (OSError, ValueError, EOFError, KeyError, RuntimeError, MemoryError, BadZipFile, zlib.error)


@dataclass(frozen=True, slots=True)
class HeldOutLoss:
    """How models trained without a dataset did on it: loss with its 95 % interval, recall, number of tasks."""

    loss: float
    low: float
    high: float
    recall: float
    tasks: int


@dataclass(frozen=True, slots=True)
class Card:
    """What a model is: `datasets` with their numbers of tasks, the recipe, sizes, and `held_out` figures by dataset.

    `dated` is the day of training, "" where it is unknown; `left_out` are groups of features.
    """

    datasets: Mapping[str, int]
    trees: int
    seeds: tuple[int, ...]
    rows: int
    left_out: tuple[str, ...]
    traits: int
    dated: str = ""
    held_out: Mapping[str, HeldOutLoss] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What chooses candidates, the features of the forest's columns, the forest, and the model's card."""

    chooser: Chooser
    features: tuple[str, ...]
    forest: Forest
    card: Card


def save(model: Model, path: Path) -> None:
    """Write a model; the weights of the lexicon and the values of leaves are rounded to 16 bits."""
    forest, lexicon = model.forest, model.chooser.lexicon
    columns = {feature.name: number for number, feature in enumerate(FEATURES)}
    arrays = {
        "layout": np.array(LAYOUT),
        "card": np.array(json.dumps(asdict(model.card))),
        "chooser": model.chooser.weights.astype(np.float32),
        "hashes": np.diff(lexicon.hashes.astype(np.int64), prepend=0).astype(np.uint32),
        "weights": lexicon.weights.astype(np.float16),
        "features": np.array([columns[name] for name in model.features], np.uint16),
        "feature": forest.feature.astype(np.uint8),
        "threshold": forest.threshold.astype(np.float32),
        "left": forest.left.astype(np.int8),
        "right": forest.right.astype(np.int8),
        "nodes": forest.nodes.astype(np.uint8),
        "leaves": forest.leaves.astype(np.uint8),
        "values": forest.values.astype(np.float16),
    }
    # A file, not its name: to a name numpy would add `.npz`.
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load(path: Path) -> Model:
    """Read a model. Raises InputError when the file is not one or is of another layout."""
    try:
        file = open_input(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    try:
        with file, np.lib.npyio.NpzFile(file, allow_pickle=False) as stored:
            _refuse_large(stored, path)
            arrays = {name: stored[name] for name in stored.files}
    except DAMAGED:
        raise InputError(f"{path}: no model: `evals codrep train` writes them") from None
    if int(arrays.get("layout", -1)) != LAYOUT or len(arrays["chooser"]) != len(CHOOSING):
        raise InputError(f"{path}: a model of another version: train it again")
    hashes = np.cumsum(arrays["hashes"], dtype=np.uint64).astype(np.uint32)
    return Model(
        chooser=Chooser(arrays["chooser"], Lexicon(hashes, arrays["weights"].astype(np.float32))),
        features=tuple(FEATURES[number].name for number in arrays["features"].tolist()),
        forest=Forest(
            feature=arrays["feature"],
            threshold=arrays["threshold"],
            left=arrays["left"],
            right=arrays["right"],
            nodes=arrays["nodes"].astype(np.int64),
            leaves=arrays["leaves"].astype(np.int64),
            values=arrays["values"].astype(np.float32),
        ),
        card=_card(str(arrays["card"])),
    )


def _refuse_large(stored: "np.lib.npyio.NpzFile", path: Path) -> None:
    """Raise InputError for an archive whose arrays are larger than those of any model: no more of them is unpacked."""
    assert stored.zip is not None
    if sum(about.file_size for about in stored.zip.infolist()) > LARGEST_ARRAYS:
        raise InputError(f"{path}: its arrays are larger than {in_megabytes(LARGEST_ARRAYS)}, the limit for a model")


def _card(text: str) -> Card:
    fields = json.loads(text)
    fields["seeds"], fields["left_out"] = tuple(fields["seeds"]), tuple(fields["left_out"])
    fields["held_out"] = {name: HeldOutLoss(**figure) for name, figure in fields["held_out"].items()}
    return Card(**fields)


@cache
def model_at(path: Path | None = None) -> Model:
    """The model in a file, or the one that the package carries. Raises InputError."""
    if path is not None:
        return load(path)
    with as_file(SHIPPED) as shipped:
        return load(shipped)
