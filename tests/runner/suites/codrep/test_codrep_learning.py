"""What is learned: weights, the lexicon of edits, the forest; and that arrays alone give the same scores."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import InputError
from runner.suites.codrep.ranker.bag import fill
from runner.suites.codrep.ranker.candidates import CHOOSING, Chooser
from runner.suites.codrep.ranker.lexicon import GROUPS, Lexicon, Traits, find_traits
from runner.suites.codrep.ranker.model import Card, HeldOutLoss, Model, load, save
from runner.suites.codrep.ranker.program import lex
from runner.suites.codrep.ranker.statements import read_statements
from runner.suites.codrep.ranker.trees import STEPS, Forest, lay_out
from runner.suites.codrep.training.learn_lexicon import TraitRows, fit_lexicon, join
from runner.suites.codrep.training.logit import Choices, fit_weights

needs_lightgbm = pytest.mark.skipif(
    importlib.util.find_spec("lightgbm") is None, reason="LightGBM is not installed: the extra `train` brings it"
)
needs_scipy = pytest.mark.skipif(
    importlib.util.find_spec("scipy") is None, reason="SciPy is not installed: the extra `train` brings it"
)

# Two trees over two features: one of three leaves, one of a single leaf.
FOREST = Forest(
    feature=np.array([1, 0]),
    threshold=np.array([0.5, 2.0]),
    left=np.array([1, -1]),
    right=np.array([-3, -2]),
    nodes=np.array([2, 0]),
    leaves=np.array([3, 1]),
    values=np.array([1.0, 2.0, 4.0, 10.0]),
)
CARD = Card({"A": 3, "B": 4}, trees=2, seeds=(1,), rows=12, left_out=(), traits=2)


def test_a_row_walks_to_one_leaf_of_each_tree() -> None:
    rows = np.array([[2.0, 0.5], [2.1, 0.5], [0.0, 0.6]])

    assert lay_out(FOREST).scores(rows).tolist() == [11.0, 12.0, 14.0]


@given(
    depths=st.lists(st.integers(0, 3 * STEPS), min_size=1, max_size=4),
    rows=st.lists(st.lists(st.floats(-9, 9, width=32), min_size=3, max_size=3), min_size=1, max_size=5),
)
def test_trees_of_any_depth_are_walked_to_their_leaves(depths: list[int], rows: list[list[float]]) -> None:
    forest = chains(depths)

    scores = lay_out(forest).scores(np.array(rows))

    assert scores.tolist() == [
        sum(100 * tree + fallen(row, depth) for tree, depth in enumerate(depths)) for row in rows
    ]


def chains(depths: list[int]) -> Forest:
    """Trees that lead ever to the right: node k asks whether feature k % 3 is at most k - 5, and leaf k says yes."""
    places = [k for depth in depths for k in range(depth)]
    on = [k + 1 if k + 1 < depth else -depth - 1 for depth in depths for k in range(depth)]
    return Forest(
        feature=np.array([k % 3 for k in places], np.int64),
        threshold=np.array([k - 5 for k in places], np.float64),
        left=np.array([-k - 1 for k in places], np.int64),
        right=np.array(on, np.int64),
        nodes=np.array(depths),
        leaves=np.array(depths) + 1,
        values=np.array([100.0 * tree + k for tree, depth in enumerate(depths) for k in range(depth + 1)]),
    )


def fallen(row: list[float], depth: int) -> int:
    """The leaf of a chain that a row comes to, one node after the other."""
    return next((k for k in range(depth) if row[k % 3] <= k - 5), depth)


def choices_of(tasks: int, rows: int, seed: int) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float64]], Choices]:
    """Random candidates, of which the right one has the greatest sum of the first feature and half the second."""
    table = np.random.default_rng(seed).normal(size=(tasks * rows, 4))
    best = (table[:, 0] + table[:, 1] / 2).reshape(tasks, rows).argmax(axis=1)
    right = np.zeros(tasks * rows, np.bool_)
    right[np.arange(tasks) * rows + best] = True
    return table, Choices(np.full(tasks, rows), right)


def test_the_logit_finds_which_features_choose() -> None:
    table, choices = choices_of(200, 6, seed=1)

    weights = fit_weights(table, choices)

    assert weights[1] / weights[0] == pytest.approx(0.5, abs=0.15)
    assert np.abs(weights[2:]).max() < weights[0] / 4
    assert choices.likelihoods(table @ weights)[choices.right].mean() > 0.7


def test_tasks_without_the_right_candidate_teach_nothing() -> None:
    table, choices = choices_of(50, 5, seed=2)
    spoilt = np.concatenate([table, -100 * table[:5]])

    more = Choices(np.append(choices.sizes, 5), np.append(choices.right, np.zeros(5, np.bool_)))

    assert fit_weights(spoilt, more) == pytest.approx(fit_weights(table, choices), rel=1e-6)


def traits_of(new_line: str, *lines: str) -> Traits:
    program = lex(new_line, lines)
    at = np.arange(1, len(lines) + 1)
    return find_traits(program, at, fill(program, at), read_statements(program).kinds)


def test_traits_do_not_depend_on_the_rest_of_the_program() -> None:
    alone = traits_of("a(b);", "a(c);")
    among = traits_of("a(b);", "a(c);", "x y z")

    of_first = among.rows == 0
    words = alone.groups != GROUPS.index("neighbours")
    expected = set(zip(alone.groups[words].tolist(), alone.hashes[words].tolist(), strict=True))
    assert expected <= set(zip(among.groups[of_first].tolist(), among.hashes[of_first].tolist(), strict=True))


def test_all_strings_are_one_word_to_the_lexicon() -> None:
    group = GROUPS.index("word_pairs")
    told = [
        set(found.hashes[found.groups == group].tolist())
        for found in (traits_of('a("x");', "a(b);"), traits_of('a("y");', "a(b);"), traits_of("a(1);", "a(b);"))
    ]

    assert told[0] == told[1] != told[2]


def test_an_exchange_of_words_is_another_trait_than_the_reverse() -> None:
    group = GROUPS.index("word_pairs")
    there, back = traits_of("Exception", "Throwable"), traits_of("Throwable", "Exception")

    assert not set(there.hashes[there.groups == group]) & set(back.hashes[back.groups == group])


def test_a_lexicon_sums_the_weights_that_it_knows() -> None:
    traits = Traits(np.array([0, 0, 1]), np.array([0, 2, 2]), np.array([7, 9, 8], np.uint32))
    lexicon = Lexicon(np.array([7, 9], np.uint32), np.array([0.5, -1.0]))

    sums = lexicon.sums(traits, 2)

    assert (sums[0, 0], sums[0, 2], sums[1].any()) == (0.5, -1.0, False)


@needs_scipy
def test_the_lexicon_learns_a_substitution() -> None:
    traits = traits_of("catch (Throwable e) {", "catch (Exception e) {", "catch (Error e) {")
    one = TraitRows(Choices(np.array([2]), np.array([True, False])), np.zeros(2), traits)

    lexicon = fit_lexicon(join([one] * 40))

    sums = lexicon.sums(traits, 2).sum(axis=1)
    assert sums[0] > 1 > sums[1]


@needs_lightgbm
def test_arrays_score_as_lightgbm_does() -> None:
    from runner.suites.codrep.training.boost import boost, export

    table, choices = choices_of(400, 8, seed=3)
    table = table.astype(np.float32)
    boosters = [boost(table, choices, trees=20, seed=seed) for seed in (1, 2)]
    rows = np.random.default_rng(4).normal(size=(500, 4)).astype(np.float32)

    scores = lay_out(export(boosters)).scores(np.concatenate([table, rows]))

    expected = np.mean([booster.predict(np.concatenate([table, rows])) for booster in boosters], axis=0)
    assert scores == pytest.approx(expected, abs=1e-5)
    assert choices.likelihoods(scores[: len(table)])[choices.right].mean() > 1.5 / 8


def model_of(card: Card = CARD) -> Model:
    lexicon = Lexicon(np.array([5, 4_000_000_000], np.uint32), np.array([0.5, -0.25]))
    return Model(Chooser(np.arange(len(CHOOSING)) / 4, lexicon), ("indel", "outlook"), FOREST, card)


def test_a_saved_model_is_the_same_when_read(tmp_path: Path) -> None:
    card = replace(CARD, dated="2026-01-31", held_out={"A": HeldOutLoss(0.05, 0.04, 0.06, 0.94, 3)})
    save(model_of(card), tmp_path / "model.npz")

    found = load(tmp_path / "model.npz")

    assert found.card == card
    assert found.features == ("indel", "outlook")
    assert found.chooser.weights.tolist() == model_of().chooser.weights.tolist()
    assert found.chooser.lexicon.hashes.tolist() == [5, 4_000_000_000]
    assert found.chooser.lexicon.weights.tolist() == [0.5, -0.25]
    rows = np.array([[2.0, 0.5], [2.1, 0.5], [0.0, 0.6]])
    assert lay_out(found.forest).scores(rows).tolist() == [11.0, 12.0, 14.0]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="an empty file"),
        pytest.param(b"not a model", id="a text"),
        pytest.param(b"\x93NUMPY\x01\x00", id="one array"),
        pytest.param(b"PK\x03\x04 cut off", id="a broken archive"),
    ],
)
def test_a_file_that_is_no_model_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.npz").write_bytes(data)

    with pytest.raises(InputError, match="no model"):
        load(tmp_path / "model.npz")


def test_a_model_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        load(tmp_path / "model.npz")


def test_a_model_is_written_under_the_very_name_that_was_given(tmp_path: Path) -> None:
    save(model_of(), tmp_path / "mine")

    assert load(tmp_path / "mine").features == ("indel", "outlook")


def test_a_model_of_another_version_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "model.npz", layout=np.array(0), chooser=np.zeros(3))

    with pytest.raises(InputError, match="another version"):
        load(tmp_path / "model.npz")
