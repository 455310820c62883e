"""Holes, and what is wrong in them."""

import ast

import pytest

from runner.suites.completion.blocks import blocks
from runner.suites.completion.holes import EMPTY, INNER, WHOLE, Hole, fillings, holes_of

FILE = b"""\
import os


def walk(top, seen):
    try:
        names = os.listdir(top)
        kept = sorted(names, key=lambda name: name.lower())
        seen.append("\xe2\x82\xac")
    except OSError as error:
        raise ValueError(top) from error
    if kept:
        return kept
    return [names]
"""


def all_holes(seed: int = 0) -> list[Hole]:
    return [hole for block in blocks(FILE) for hole in holes_of("walk.py", FILE, block, seed)]


def text(hole: Hole) -> str:
    return FILE[hole.span.start : hole.span.end].decode()


def test_a_whole_hole_is_its_block() -> None:
    assert all(hole.span == hole.block.span for hole in all_holes() if hole.kind == WHOLE)


def test_an_inner_hole_of_several_statements_stays_in_the_block_of_the_first() -> None:
    one, two = (f"        a = {number}\n        b = {number}\n" for number in (1, 2))
    code = f"def sign(n):\n    if n > 0:\n{one}    else:\n{two}    return a\n".encode()

    inner = {
        code[hole.span.start : hole.span.end].decode()
        for seed in range(200)
        for block in blocks(code)
        for hole in holes_of("sign.py", code, block, seed)
        if hole.kind == INNER
    }

    assert {"a = 1\n        b = 1", "a = 2\n        b = 2"} <= inner
    assert not [text for text in inner if "else" in text]


@pytest.mark.parametrize("seed", range(20))
def test_an_inner_hole_is_a_part_of_its_block(seed: int) -> None:
    for hole in all_holes(seed):
        if hole.kind == INNER:
            assert hole.block.span.start <= hole.span.start < hole.span.end <= hole.block.span.end
            assert hole.span != hole.block.span
            assert text(hole).strip()


@pytest.mark.parametrize("seed", range(20))
def test_an_empty_hole_has_nothing_in_it_and_is_no_place_between_tokens(seed: int) -> None:
    for hole in all_holes(seed):
        if hole.kind == EMPTY:
            before, behind = FILE[: hole.span.start].decode(), FILE[hole.span.start :].decode()
            assert text(hole) == ""
            assert behind.startswith(("\n", ":")) or (before[-1] + behind[0]).isidentifier()


def test_the_same_seed_draws_the_same_holes_and_another_draws_others() -> None:
    assert all_holes(1) == all_holes(1)
    assert all_holes(1) != all_holes(2)


def test_lines_of_holes_are_counted_from_one() -> None:
    for hole in all_holes(3):
        assert hole.span.start_line == FILE.count(b"\n", 0, hole.span.start) + 1
        assert hole.span.end_line == FILE.count(b"\n", 0, hole.span.end) + 1


@pytest.mark.parametrize("seed", range(5))
def test_some_filling_of_every_whole_hole_compiles_and_differs(seed: int) -> None:
    for hole in all_holes(seed):
        if hole.kind == WHOLE:
            head, tail = FILE[: hole.span.start].decode(), FILE[hole.span.end :].decode()
            compiled = [one for one in fillings(hole, FILE) if _compiles(head + one.text + tail)]
            assert compiled, (hole.type, text(hole))
            assert all(one.text != text(hole) for one in compiled)


def _compiles(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def test_a_handler_keeps_its_header_in_a_wrong_filling() -> None:
    hole = next(hole for hole in all_holes() if hole.type == "CATCH" and hole.kind == WHOLE)

    assert [one.text for one in fillings(hole, FILE)] == [
        "except OSError as error:\n        pass",
        "except OSError as error:\n        raise NotImplementedError",
    ]


def test_where_nothing_is_missing_the_last_line_again_is_wrong() -> None:
    hole = next(
        hole for hole in all_holes() if hole.kind == EMPTY and FILE[: hole.span.end].endswith(b"return [names]")
    )

    assert [one.name for one in fillings(hole, FILE)] == ["again", "return", "rename"]
    assert fillings(hole, FILE)[0].text == "\n    return [names]"
