"""The shipped model: its size, its card, and what it makes of tasks that it never saw."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from runner.suites.codrep.competition import score
from runner.suites.codrep.dataset import open_dataset
from runner.suites.codrep.predictors.predict import PREDICTORS, Choice, predict
from runner.suites.codrep.ranker.decide import best_line, likelihoods
from runner.suites.codrep.ranker.model import model_at
from runner.suites.codrep.ranker.ranking import ranking
from runner.suites.codrep.ranker.shipped import SHIPPED
from runner.suites.codrep.ranker.table import FEATURES
from tests.codrep import PROGRAM, SAMPLE, task_of, tasks_of


def test_the_shipped_model_is_small_and_has_a_card() -> None:
    path = Path(str(SHIPPED))
    card = model_at().card

    assert path.stat().st_size < 500_000
    assert set(card.datasets) == set(card.held_out) == {f"Dataset{number}" for number in (1, 2, 3, 4)}
    assert card.dated
    assert set(model_at().features) <= {one.name for one in FEATURES}
    assert all(math.isfinite(figure.loss) for figure in card.held_out.values())


def test_the_sample_is_in_the_competition_s_format() -> None:
    tasks = tasks_of(SAMPLE)

    assert [task.case_id for task in tasks] == [f"codrep/{number}" for number in range(1, len(tasks) + 1)]
    assert len(tasks) >= 20
    for task in tasks:
        old = task.lines[(task.answer or 0) - 1].strip()
        assert task.new_line == task.new_line.strip()
        assert old not in ("", task.new_line)


@pytest.mark.parametrize("name", PREDICTORS)
def test_every_predictor_answers_the_sample(name: str) -> None:
    dataset = open_dataset(SAMPLE)

    done = score((f"{path} {line}" for path, line in predict(dataset, Choice(name))), [dataset])

    assert not done.bad_lines
    assert None not in done.total.distances


def test_the_ranker_beats_the_similarities_on_the_sample() -> None:
    dataset = open_dataset(SAMPLE)
    losses = {
        name: score((f"{path} {line}" for path, line in predict(dataset, Choice(name))), [dataset]).total.loss
        for name in ("ranker", "formula", "trigram")
    }

    assert losses["ranker"] <= 0.25
    assert losses["ranker"] <= min(losses["formula"], losses["trigram"])


def test_several_processes_answer_as_one_does() -> None:
    dataset = open_dataset(SAMPLE)

    one, two = (list(predict(dataset, Choice("ranker"), jobs=jobs)) for jobs in (1, 2))

    assert one == two


def test_predicting_needs_no_training_library() -> None:
    code = (
        "import sys; from runner.suites.codrep.predictors.predict import *;"
        "from runner.suites.codrep.dataset import open_dataset;"
        f"list(predict(open_dataset(__import__('pathlib').Path({str(SAMPLE)!r})), Choice('ranker')));"
        "print({'lightgbm', 'scipy', 'sklearn', 'tree_sitter'} & set(sys.modules))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=SAMPLE.parents[1]
    )

    assert done.stdout == "set()\n"


def test_a_ranking_has_the_best_candidate_first() -> None:
    found = ranking(model_at())(task_of("sum += item.price() * item.quantity();", *PROGRAM))

    assert found.lines[0] == 12
    assert (np.diff(found.scores) <= 0).all()


def test_space_behind_the_lines_changes_no_answer() -> None:
    new_line = "sum += item.price() * item.quantity();"
    rank = ranking(model_at())

    plain, ended = (rank(task_of(new_line, *(line + end for line in PROGRAM))).answer for end in ("", "\r"))

    assert plain == ended == 12


def test_a_program_without_candidates_gets_line_1() -> None:
    assert ranking(model_at())(task_of("a;", "", "a;")).answer == 1


def test_likelihoods_add_up_to_one() -> None:
    assert likelihoods(np.array([1000.0, 999.0, -1000.0])).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "lines, scores, line",
    [
        pytest.param([10, 50], [2.0, 1.0], 10, id="the likelier of two that are far apart"),
        pytest.param([10, 50, 51], [1.0, 0.9, 0.9], 50, id="one of two neighbours that are likelier together"),
        pytest.param([7], [0.0], 7, id="the only one"),
        pytest.param([9, 3], [1.0, 1.0], 9, id="the first of equals"),
    ],
)
def test_the_line_with_the_least_expected_loss_is_chosen(lines: list[int], scores: list[float], line: int) -> None:
    assert best_line(np.array(lines), np.array(scores)) == line
