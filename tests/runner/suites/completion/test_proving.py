"""Proofs that tests see a hole, and what is said where there is none."""

from dataclasses import replace
from pathlib import Path

import pytest

from runner.execution.repository_judge import Judge
from runner.suites.completion.baseline import ExecutionTrace
from runner.suites.completion.blocks import blocks
from runner.suites.completion.choosing import Chosen, Reach
from runner.suites.completion.dataset import Dataset, DatasetOrigin, Proof, Survivor, Task
from runner.suites.completion.holes import INNER, WHOLE, Hole, holes_of
from runner.suites.completion.proving import Refuted, Unproved, prove, prove_again, prove_by_some
from tests.completion import CODE

DATA = CODE.encode()
DOUBLE = Chosen(("tests/test_pair.py::test_double",), 1, 1)
LOW = Chosen(("tests/test_pair.py::test_low",), 1, 1)


def hole(kind: str, line: int) -> Hole:
    return next(
        hole
        for block in blocks(DATA)
        for hole in holes_of("pair.py", DATA, block, seed=0)
        if (block.type, block.span.start_line, hole.kind) == (kind, line, WHOLE)
    )


def task(proof: Proof) -> tuple[Dataset, Task]:
    place = hole("STATEMENT", 5)
    made = Task(
        task_id="x",
        file="pair.py",
        scene="1.1",
        with_evidence=False,
        block_type="STATEMENT",
        span=place.span,
        function="double",
        function_end=place.span.end,
        tests=DOUBLE.tests,
        tests_total=1,
        seconds=1,
        proof=proof,
    )
    return Dataset(DatasetOrigin("pair", "", "3.11", (), 3, 0), {"pair.py": CODE}, (made,)), made


def test_the_first_wrong_filling_that_is_refused_is_recorded(judge: Judge) -> None:
    found = prove(judge, hole("STATEMENT", 5), DATA, DOUBLE)

    assert found == Proof("pass", "pass", "fail", DOUBLE.tests[0])


def test_a_hole_that_its_tests_pass_by_is_untested(judge: Judge) -> None:
    # The loop behind what this test looks at.
    found = prove(judge, hole("WHILE", 11), DATA, LOW)

    assert isinstance(found, Survivor)
    # Nothing in its place compiles as well, for a line follows.
    assert found.fillings == ("pass", "raise NotImplementedError", "")


def test_what_stands_there_anyhow_is_no_wrong_filling(judge: Judge) -> None:
    loop = hole("WHILE", 11)
    data = DATA[: loop.span.start] + b"pass" + DATA[loop.span.end :]

    found = prove(judge, replace(loop, span=replace(loop.span, end=loop.span.start + 4)), data, LOW)

    assert isinstance(found, Survivor)
    assert found.fillings == ("raise NotImplementedError", "")


def test_fillings_that_do_not_compile_prove_nothing(judge: Judge) -> None:
    whole = hole("STATEMENT", 5)
    plus = DATA.index(b"+", whole.span.start)

    found = prove(judge, replace(whole, kind=INNER, span=replace(whole.span, start=plus, end=plus + 1)), DATA, DOUBLE)

    assert isinstance(found, Unproved)
    assert found.reason == "no wrong filling could be tried"


def test_nothing_is_proved_by_tests_that_the_truth_fails(judge: Judge, repo: Path) -> None:
    (repo / "tests" / "test_pair.py").write_text("def test_double(): assert 0\n")

    with Judge(repo, judge.target, judge.isolation) as other:
        found = prove(other, hole("STATEMENT", 5), DATA, DOUBLE)

    assert isinstance(found, Unproved)
    assert found.reason == "the truth ends as fail by these tests alone"


ORDERED = """
from pair import double
SEEN = []
def test_before(): SEEN.append(1)
def test_behind(): assert SEEN and double(3) == 6
def test_longer(): assert [double(number) for number in range(3)] == [0, 2, 4]
"""


def test_a_test_that_needs_others_before_it_is_exchanged_for_one_that_does_not(judge: Judge, repo: Path) -> None:
    (repo / "tests" / "test_pair.py").write_text(ORDERED)
    lines = {"pair.py": frozenset({5})}
    behind, longer = "tests/test_pair.py::test_behind", "tests/test_pair.py::test_longer"
    traces = [ExecutionTrace(behind, lines, {}, 0.1), ExecutionTrace(longer, lines, {}, 0.1)]

    with Judge(repo, judge.target, judge.isolation) as other:
        chosen, found = prove_by_some(other, hole("STATEMENT", 5), DATA, Reach("pair.py", traces))
        alone, lost = prove_by_some(other, hole("STATEMENT", 5), DATA, Reach("pair.py", traces[:1]))

    assert (chosen.tests, found) == ((longer,), Proof("pass", "pass", "fail", longer))
    assert alone.tests == (behind,)
    assert isinstance(lost, Unproved)


SOMETIMES = """
from pathlib import Path
from random import SystemRandom

def test_double():
    from pair import double
    assert double(3) == 6
    assert SystemRandom().random() < 0.001
"""


def test_the_truth_must_pass_twice(judge: Judge, repo: Path) -> None:
    (repo / "tests" / "test_pair.py").write_text(SOMETIMES)

    with Judge(repo, judge.target, judge.isolation) as other:
        found = prove(other, hole("STATEMENT", 5), DATA, DOUBLE)

    assert isinstance(found, Unproved)


@pytest.mark.parametrize(
    "filling, reason",
    [
        pytest.param("return x", None, id="holds"),
        pytest.param("return x * 2", "the filling 'pass' ends as pass", id="a filling that is right"),
        pytest.param("return (", "the filling 'pass' ends as syntax", id="a filling that does not compile"),
    ],
)
def test_a_proof_holds_or_is_refuted_with_a_reason(judge: Judge, filling: str, reason: str | None) -> None:
    dataset, one = task(Proof("pass", filling, "fail"))

    found = prove_again(judge, dataset, one)

    assert found == (None if reason is None else Refuted("x", reason))


def test_a_proof_by_tests_that_are_gone_is_refuted(judge: Judge) -> None:
    dataset, one = task(Proof("pass", "pass", "fail"))

    found = prove_again(judge, dataset, replace(one, tests=("tests/test_pair.py::test_absent",)))

    assert found == Refuted("x", "the truth ends as infra")


def test_what_has_no_proof_is_not_proved_again(judge: Judge) -> None:
    dataset, one = task(Proof("pass", "pass", "fail"))

    assert prove_again(judge, dataset, replace(one, proof=None)) is None
