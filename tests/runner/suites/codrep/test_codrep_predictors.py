"""What holds of every predictor: an answer for any text, and nothing but the task in it."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.suites.codrep.dataset import CodrepTask, open_dataset
from runner.suites.codrep.predictors.predict import PREDICTORS, WORST, Choice, predict
from runner.suites.codrep.ranker.candidates import CHOOSING, LONG_LIST, SHORT_LIST, choose, eligible, long_list
from runner.suites.codrep.ranker.measures import measure
from runner.suites.codrep.ranker.model import model_at
from runner.suites.codrep.ranker.program import LONGEST, lex
from runner.suites.codrep.ranker.ranking import LIKELY, likely_lines, ranking
from runner.suites.codrep.ranker.similarities import formula, trigram
from tests.codrep import PROGRAM, SAMPLE, task_of

ANY = st.text(st.characters(exclude_characters="\n"), max_size=25)
CODE = st.sampled_from(
    [
        *PROGRAM,
        "",
        "   ",
        "}",
        "return sum;",
        "/* open",
        "*/ close",
        'say("a \\" b',
        "x = '\\''; // y",
        "@A(b = {1, 2})",
        "\ufeffint é = 1;",
    ]
)
TASKS = st.builds(lambda new, lines: task_of(new, *lines), CODE | ANY, st.lists(CODE | ANY, min_size=1, max_size=15))
RANKED = ranking(model_at())
LIKELY_LINES = likely_lines(model_at())
SIMILAR: list[Callable[[CodrepTask], int]] = [trigram, formula, lambda task: RANKED(task).answer]
SIMILAR_NAMES = ["trigram", "formula", "ranker"]


def can_be_replaced(task: CodrepTask) -> list[int]:
    """The lines that are neither blank nor, spaces aside, the new line, by the letters alone."""
    new = "".join(task.new_line.split())
    return [number for number, line in enumerate(task.lines, 1) if "".join(line.split()) not in ("", new)]


@pytest.mark.parametrize("name", PREDICTORS)
@given(task=TASKS, seed=st.integers(0, 99))
@settings(max_examples=25)
def test_every_predictor_answers_any_task_with_a_line_of_it(name: str, task: CodrepTask, seed: int) -> None:
    told = replace(task, answer=len(task.lines)) if name == WORST else task

    line = PREDICTORS[name](Choice(name, seed))(told)

    assert type(line) is int
    assert 1 <= line <= len(task.lines)


@pytest.mark.parametrize("predictor", SIMILAR, ids=SIMILAR_NAMES)
@given(task=TASKS)
@settings(max_examples=25)
def test_a_line_that_cannot_have_been_replaced_is_not_named(
    predictor: Callable[[CodrepTask], int], task: CodrepTask
) -> None:
    possible = can_be_replaced(task)

    assert predictor(task) in (possible or [1])


@pytest.mark.parametrize("predictor", SIMILAR, ids=SIMILAR_NAMES)
@given(task=TASKS)
@settings(max_examples=15)
def test_what_was_answered_before_changes_no_answer(predictor: Callable[[CodrepTask], int], task: CodrepTask) -> None:
    first = predictor(task)
    predictor(task_of("sum += 1;", *PROGRAM))

    assert predictor(replace(task, case_id="Other/7")) == first


@pytest.mark.parametrize("predictor", [trigram, formula], ids=SIMILAR_NAMES[:2])
@given(task=TASKS, indent=st.sampled_from(["  ", "\t", "        "]))
@settings(max_examples=25)
def test_indentation_is_nothing_to_a_similarity(
    predictor: Callable[[CodrepTask], int], task: CodrepTask, indent: str
) -> None:
    moved = replace(task, lines=tuple(indent + line for line in task.lines))

    assert predictor(moved) == predictor(task)


@given(TASKS)
@settings(max_examples=25)
def test_a_ranking_names_lines_that_can_have_been_replaced_each_once(task: CodrepTask) -> None:
    found = RANKED(task)

    lines = found.lines.tolist()
    assert len(lines) == len(set(lines)) == min(len(can_be_replaced(task)), SHORT_LIST)
    assert set(lines) <= set(can_be_replaced(task))
    assert np.isfinite(found.scores).all()
    assert (np.diff(found.scores) <= 0).all()
    assert found.answer in (lines or [1])


@given(TASKS)
@settings(max_examples=25)
def test_likely_lines_begin_with_the_ranking_and_miss_none(task: CodrepTask) -> None:
    likely = LIKELY_LINES(task)

    ranked = RANKED(task).lines.tolist()
    assert likely[: len(ranked)] == ranked
    assert sorted(likely) == can_be_replaced(task)[:LIKELY]


@given(TASKS, st.integers(1, 12))
@settings(max_examples=25)
def test_a_shorter_list_is_the_beginning_of_a_longer_one(task: CodrepTask, most: int) -> None:
    chooser = model_at().chooser

    few, many = choose(task, chooser, most), choose(task, chooser, LONG_LIST)

    assert few.at.tolist() == many.at.tolist()[:most]
    assert few.habits.tolist() == many.habits.tolist()[:most]
    assert few.bag.old.tolist() == many.bag.old.tolist()[:most]


@given(TASKS, st.integers(0, 20))
def test_the_long_list_has_the_greatest_sums(task: CodrepTask, most: int) -> None:
    program = lex(task.new_line, task.lines)
    measures = measure(program)
    weights = model_at().chooser.weights

    at, scores = long_list(program, measures, weights, most)

    possible = np.flatnonzero(eligible(program, measures))
    table = np.abs(np.stack([measures.by_name[name][possible] for name in CHOOSING], axis=1))
    assert scores.tolist() == pytest.approx(sorted((table @ weights).tolist(), reverse=True)[:most], abs=1e-6)
    assert set(at.tolist()) <= set(possible.tolist())


@given(TASKS)
def test_a_line_may_be_chosen_if_letters_and_order_of_its_words_differ(task: CodrepTask) -> None:
    program = lex(task.new_line, task.lines)

    found = np.flatnonzero(eligible(program, measure(program))).tolist()

    words = [program.words_of(number) for number in range(len(program.raw))]
    assert found == [number for number in range(1, len(words)) if words[number] and words[number] != words[0]]


@pytest.mark.parametrize("predictor", SIMILAR, ids=SIMILAR_NAMES)
@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param("f(); x = 1;", "f(); x = 2;", id="changed far behind"),
        pytest.param("", "x", id="grown there"),
        pytest.param("x", "", id="shortened there"),
    ],
)
def test_a_line_that_was_changed_past_what_is_compared_is_found(
    predictor: Callable[[CodrepTask], int], old: str, new: str
) -> None:
    minified = "var a=function(b,c){return b+c};" * (LONGEST // 32)
    lines = ("/* a bundle */", minified + old, "//# sourceMappingURL=a.js.map")

    assert len(minified) == LONGEST
    assert predictor(task_of(minified + new, *lines)) == 2
    assert predictor(task_of(minified + old, *lines)) != 2


def test_predictions_are_the_same_in_a_process_with_other_hashes() -> None:
    code = (
        "from pathlib import Path;"
        "from runner.suites.codrep.dataset import open_dataset;"
        "from runner.suites.codrep.predictors.predict import Choice, predict;"
        f"print([line for _, line in predict(open_dataset(Path({str(SAMPLE)!r})), Choice('ranker'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "12345", "PYTHONPATH": ":".join(sys.path)},
    )

    here = [line for _, line in predict(open_dataset(SAMPLE), Choice("ranker"))]
    assert done.stdout == f"{here}\n"


@pytest.mark.parametrize(
    "new_line, line",
    [
        pytest.param("private long sum;", 7, id="a field's type"),
        pytest.param("for (Item each : items) {", 11, id="a loop of two"),
        pytest.param("for (Item item : stock.sorted()) {", 23, id="the other loop"),
        pytest.param("public boolean isEmpty() {", 17, id="a method's name"),
        pytest.param("return sum <= 0;", 18, id="a comparison"),
        pytest.param("import java.util.Collection;", 3, id="an import"),
        pytest.param("public final class Till {", 6, id="a modifier"),
        pytest.param("package shop.till;", 1, id="a package"),
        pytest.param("return number + 1;", 26, id="what is returned of two"),
        pytest.param("public int count(SortedMap<String, Item> stock) {", 21, id="a parameter"),
    ],
)
def test_the_ranker_finds_the_place_of_a_plain_edit(new_line: str, line: int) -> None:
    assert RANKED(task_of(new_line, *PROGRAM)).answer == line
