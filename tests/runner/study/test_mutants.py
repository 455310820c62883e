"""Mutants are variants of the reference edit, the same ones for the same seed."""

import ast
from pathlib import Path

import pytest

from runner.metrics.labelled_answers import Problem, read_problems
from runner.metrics.mutants import KINDS, Mutant, mutants

ORIGIN = """\
def total(values):
    result = 0
    for value in values:
        result += value
    return result
"""
REFERENCE = """\
def total(values, start=0):
    result = start
    for value in values:
        if value > 10:
            result += value
    return result + 1
"""
PROBLEM = Problem("total", "python", ORIGIN, (REFERENCE,), "assert total([]) == 1")


def made(kind: str, rounds: int = 12) -> list[str]:
    return [mutant.text for mutant in mutants(PROBLEM, rounds=rounds, seed=0) if mutant.kind == kind]


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_makes_something_else_than_the_reference(kind: str) -> None:
    texts = made(kind)

    assert texts
    assert REFERENCE not in texts


def test_a_seed_fixes_the_mutants() -> None:
    def drawn(seed: int) -> list[Mutant]:
        return list(mutants(PROBLEM, rounds=3, seed=seed))

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_no_text_comes_twice() -> None:
    texts = [mutant.text for mutant in mutants(PROBLEM, rounds=9, seed=0)]

    assert len(set(texts)) == len(texts)


def test_doing_nothing_is_the_origin() -> None:
    assert made("nothing") == [ORIGIN]


def test_some_hunks_are_neither_none_nor_all_of_them() -> None:
    lines = set(ORIGIN.splitlines()) | set(REFERENCE.splitlines())

    for text in made("some-hunks"):
        assert text not in {ORIGIN, REFERENCE}
        assert set(text.splitlines()) <= lines


def test_an_undone_token_leaves_the_rest_of_the_edit() -> None:
    assert REFERENCE.replace("result = start", "result = 0") in made("token-undone", 40)


def test_an_edit_of_one_hunk_has_no_part() -> None:
    one = Problem("one", "python", "a = 1\n", ("a = 2\n",), "")

    assert "some-hunks" not in {mutant.kind for mutant in mutants(one, rounds=3, seed=0)}


def test_mistakes_are_made_inside_or_outside_of_the_edit() -> None:
    inside, outside = made("wrong-in-edit"), made("wrong-elsewhere")

    assert any("result + 0" in text or "result - 1" in text or "value >= 10" in text for text in inside)
    assert all(piece in text for text in outside for piece in (", start=0", "> 10:", "+ 1"))


def test_a_renamed_name_is_renamed_throughout() -> None:
    for text in made("renamed"):
        names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        assert ("result" in names) != any(name.startswith("result_") for name in names) or "value_" in text


def test_a_needless_statement_keeps_the_program_sound() -> None:
    for text in made("superfluous"):
        ast.parse(text)
        assert len(text.splitlines()) == len(REFERENCE.splitlines()) + 1


def test_the_shipped_problems_give_mutants_of_every_kind() -> None:
    problems = read_problems(Path(__file__).parents[3] / "cases/mutants")

    made = [mutant for problem in problems.values() for mutant in mutants(problem, rounds=3, seed=0)]

    assert len(problems) >= 12
    assert {mutant.kind for mutant in made} == set(KINDS)
    assert len(made) >= 100
