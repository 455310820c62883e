"""Mutants of right fillings, and what they say about the tests of a hole."""

from dataclasses import replace

import pytest

from runner.execution.repository_judge import Judge
from runner.suites.completion.baseline import ExecutionTrace
from runner.suites.completion.blocks import blocks
from runner.suites.completion.choosing import Reach
from runner.suites.completion.dataset import Proof, TriedMutant
from runner.suites.completion.holes import EMPTY, WHOLE, Hole, holes_of
from runner.suites.completion.mutants import mutants_of
from runner.suites.completion.proving import prove_by_some
from runner.suites.completion.rates import ScoredAnswer
from runner.suites.completion.strength import strength_table, strengths_of
from tests.completion import CODE, DOUBLE, task

DATA = CODE.encode()


def hole_of(text: str, kind: str = WHOLE) -> tuple[Hole, bytes]:
    """The first hole of a kind in a function with this body."""
    data = f"def f(a, b):\n    {text}\n".encode()
    holes = (hole for block in blocks(data) for hole in holes_of("f.py", data, block, seed=0))
    return next(hole for hole in holes if (hole.type, hole.kind) == ("METHOD", kind)), data


def changes(text: str) -> set[tuple[str, str]]:
    return {(mutant.old, mutant.new) for mutant in mutants_of(*hole_of(text))}


@pytest.mark.parametrize(
    "text, expected",
    [
        pytest.param("return a + b", {("return", ""), ("+", "-"), ("a", "None"), ("b", "None")}, id="arithmetic"),
        pytest.param("a.x = 9", {("9", "10")}, id="attributes and targets stay"),
        pytest.param("a(b=b, *b)", {("b", "None")}, id="calls, keywords and stars stay"),
        pytest.param("return\n    # 1 == 2", set(), id="comments and bare returns stay"),
        pytest.param("raise E(f'{a} 1', r'x')", set(), id="prefixed texts stay"),
        pytest.param("x = not a.y <= 'it\\'s'", {("not", ""), ("<=", "<"), ("'it\\'s'", "'it\\'s_'")}, id="texts"),
        pytest.param("while True: break", {("True", "False"), ("break", "continue")}, id="loops"),
    ],
)
def test_one_thing_is_changed_at_a_time(text: str, expected: set[tuple[str, str]]) -> None:
    assert changes(text) == expected


def test_names_come_last_and_the_order_depends_on_the_hole_alone() -> None:
    hole, data = hole_of("x = a + b\n    return x == 1 and b")

    mutants = mutants_of(hole, data)

    names = [mutant.new == "None" for mutant in mutants]
    assert names == sorted(names)
    assert mutants == mutants_of(hole, data)
    assert {mutant.line for mutant in mutants} == {1, 2}
    assert all(mutant.text != data[hole.span.start : hole.span.end].decode() for mutant in mutants)


def test_where_nothing_is_missing_nothing_can_be_mutated() -> None:
    hole, data = hole_of("return a + b")

    assert mutants_of(replace(hole, kind=EMPTY), data) == []


def test_tests_are_tried_with_as_many_mutants_as_are_wanted_and_the_strong_refuse_them(judge: Judge) -> None:
    place = next(
        hole
        for block in blocks(DATA)
        for hole in holes_of("pair.py", DATA, block, seed=0)
        if (block.type, block.span.start_line, hole.kind) == ("STATEMENT", 5, WHOLE)
    )
    traces = [ExecutionTrace(DOUBLE[0], {"pair.py": frozenset({5})}, {}, 0.1)]

    _, result = prove_by_some(judge, place, DATA, Reach("pair.py", traces), mutants=2)

    assert isinstance(result, Proof)
    assert len(result.mutants) == 2
    assert {mutant.outcome for mutant in result.mutants} == {"fail"}


def answer_to(task_id: str, *, passes: bool, weak: bool | None) -> ScoredAnswer:
    scores = {"pass": float(passes), "exact": 0.0}
    verdict = "pass" if passes else "fail"
    return ScoredAnswer(task_id, "1.1", "IF", "a.py", missing=True, verdict=verdict, scores=scores, weak=weak)


def proof(*outcomes: str) -> Proof:
    return Proof("pass", "pass", "fail", None, tuple(TriedMutant(1, "a", "None", outcome) for outcome in outcomes))


@pytest.mark.parametrize(
    "outcomes, weak",
    [((), None), (("fail",), False), (("pass", "fail", "timeout"), False), (("pass", "fail"), True), (("pass",), True)],
)
def test_tests_are_weak_that_at_least_half_of_the_mutants_pass(outcomes: tuple[str, ...], weak: bool | None) -> None:
    assert replace(task("1.1", "pair.py", CODE, "return x + x", DOUBLE), proof=proof(*outcomes)).weak is weak


def test_planted_pass_rates_are_given_with_and_without_weak_tasks() -> None:
    answers = [
        *(answer_to(f"strong {number}", passes=number < 3, weak=False) for number in range(10)),
        *(answer_to(f"weak {number}", passes=True, weak=True) for number in range(5)),
        answer_to("unknown", passes=True, weak=None),
    ]

    (strength,) = strengths_of({("m", "p", "raw"): answers})

    assert (strength.weak, strength.unknown) == (5, 1)
    assert (strength.every.tasks, strength.every.pass_at_1) == (16, 9 / 16)
    assert (strength.without_weak.tasks, strength.without_weak.pass_at_1) == (11, 4 / 11)
    assert strength_table([strength]).rows[0][3:5] == ("16", "56.2")


def test_runs_whose_tests_were_not_tried_have_no_such_figures() -> None:
    assert [*strengths_of({("m", "p", "raw"): [answer_to("a", passes=True, weak=None)]})] == []
