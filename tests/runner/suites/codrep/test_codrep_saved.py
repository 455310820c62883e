"""Models on disk: what is written is read back, byte for byte when it is written again."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.errors import InputError
from runner.suites.codrep.dataset import open_dataset
from runner.suites.codrep.predictors.predict import Choice, predict
from runner.suites.codrep.ranker.candidates import CHOOSING, Chooser
from runner.suites.codrep.ranker.lexicon import Lexicon
from runner.suites.codrep.ranker.model import Card, HeldOutLoss, Model, load, model_at, save
from runner.suites.codrep.ranker.table import FEATURES
from runner.suites.codrep.ranker.trees import Forest, lay_out
from tests.codrep import SAMPLE

NAMES = [feature.name for feature in FEATURES]
HALVES = st.floats(-8, 8, width=16)


@st.composite
def cards(draw: st.DrawFn) -> Card:
    names = draw(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=3, unique=True))
    figures = st.builds(HeldOutLoss, *[st.floats(0, 1)] * 4, st.integers(0, 10**6))
    return Card(
        datasets={name: draw(st.integers(0, 10**6)) for name in names},
        trees=draw(st.integers(1, 500)),
        seeds=tuple(draw(st.lists(st.integers(0, 99), min_size=1, max_size=4))),
        rows=draw(st.integers(1, 40)),
        left_out=tuple(draw(st.lists(st.sampled_from(["text", "place", "scope"]), unique=True))),
        traits=draw(st.integers(0, 10**6)),
        dated=draw(st.dates()).isoformat(),
        held_out={name: draw(figures) for name in names},
    )


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Models of stumps: trees of one question each."""
    names = tuple(draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True)))
    stumps = draw(st.integers(1, 5))
    hashes = sorted(draw(st.sets(st.integers(0, 2**32 - 1), max_size=8)))
    weights = draw(st.lists(HALVES, min_size=len(hashes), max_size=len(hashes)))
    columns = draw(st.lists(st.integers(0, len(names) - 1), min_size=stumps, max_size=stumps))
    thresholds = draw(st.lists(st.floats(-9, 9, width=32), min_size=stumps, max_size=stumps))
    values = draw(st.lists(HALVES, min_size=2 * stumps, max_size=2 * stumps))
    chooser = draw(st.lists(st.floats(-9, 9, width=32), min_size=len(CHOOSING), max_size=len(CHOOSING)))
    forest = Forest(
        feature=np.array(columns),
        threshold=np.array(thresholds),
        left=np.full(stumps, -1),
        right=np.full(stumps, -2),
        nodes=np.ones(stumps, np.int64),
        leaves=np.full(stumps, 2),
        values=np.array(values),
    )
    lexicon = Lexicon(np.array(hashes, np.uint32), np.array(weights, np.float64))
    return Model(Chooser(np.array(chooser), lexicon), names, forest, draw(cards()))


@given(models())
@settings(max_examples=20)
def test_what_is_saved_is_read_back(model: Model) -> None:
    with TemporaryDirectory() as folder:
        save(model, Path(folder) / "m")
        found = load(Path(folder) / "m")

    assert (found.card, found.features) == (model.card, model.features)
    assert found.chooser.weights.tolist() == model.chooser.weights.tolist()
    assert found.chooser.lexicon.hashes.tolist() == model.chooser.lexicon.hashes.tolist()
    assert found.chooser.lexicon.weights.tolist() == model.chooser.lexicon.weights.tolist()
    table = np.random.default_rng(1).normal(0, 4, (20, len(model.features))).astype(np.float32)
    assert lay_out(found.forest).scores(table).tolist() == lay_out(model.forest).scores(table).tolist()


@given(models())
@settings(max_examples=20)
def test_a_model_is_written_the_same_each_time(model: Model) -> None:
    with TemporaryDirectory() as folder:
        first, again, copied = (Path(folder) / name for name in ("1.npz", "2.npz", "3.npz"))
        save(model, first)
        save(model, again)
        save(load(first), copied)

        assert first.read_bytes() == again.read_bytes() == copied.read_bytes()


def test_the_shipped_model_loses_nothing_when_it_is_written_again(tmp_path: Path) -> None:
    save(model_at(), tmp_path / "copy.npz")
    dataset = open_dataset(SAMPLE)

    shipped, copy = (list(predict(dataset, Choice("ranker", model=at))) for at in (None, tmp_path / "copy.npz"))

    assert copy == shipped
    assert load(tmp_path / "copy.npz").card == model_at().card


def test_a_model_is_read_once_in_a_process(tmp_path: Path) -> None:
    save(model_at(), tmp_path / "model.npz")

    first = model_at(tmp_path / "model.npz")
    (tmp_path / "model.npz").unlink()

    assert model_at(tmp_path / "model.npz") is first
    assert model_at() is model_at()


def test_weights_are_rounded_to_what_the_file_keeps(tmp_path: Path) -> None:
    shipped = model_at()
    fine = Lexicon(np.array([1, 2], np.uint32), np.array([0.1, 1 / 3]))

    chooser = Chooser(np.full(len(CHOOSING), 0.1), fine)
    save(replace(shipped, chooser=chooser), tmp_path / "m")

    found = load(tmp_path / "m")
    assert found.chooser.lexicon.weights.tolist() == pytest.approx([0.1, 1 / 3], rel=2**-11)
    assert found.chooser.lexicon.weights.astype(np.float16).tolist() == found.chooser.lexicon.weights.tolist()
    assert found.chooser.weights.tolist() == [float(np.float32(0.1))] * len(CHOOSING)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda data: data[: len(data) // 2], id="the first half"),
        pytest.param(lambda data: data[:-30], id="without its end"),
        pytest.param(lambda data: data[len(data) // 2 :], id="the second half"),
        pytest.param(lambda data: data[:4000] + bytes(200) + data[4200:], id="a stretch of zeros within"),
    ],
)
def test_a_damaged_model_is_refused_in_one_line(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    save(model_at(), tmp_path / "model.npz")
    (tmp_path / "bad.npz").write_bytes(spoil((tmp_path / "model.npz").read_bytes()))

    with pytest.raises(InputError, match=r"bad\.npz: no model: `evals codrep train` writes them"):
        load(tmp_path / "bad.npz")


@given(place=st.floats(0, 1), stretch=st.binary(min_size=1, max_size=30))
@settings(max_examples=30)
def test_a_file_with_wrong_bytes_is_read_or_refused(place: float, stretch: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        save(model_at(), path)
        data = path.read_bytes()
        at = int(place * (len(data) - len(stretch)))
        path.write_bytes(data[:at] + stretch + data[at + len(stretch) :])

        told: object
        try:
            told = load(path).features
        except InputError as error:
            told = str(error)

    assert told == model_at().features or str(told).startswith(f"{path}: ")
