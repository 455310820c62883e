"""Which tests judge a hole."""

import pytest

from runner.suites.completion.baseline import ExecutionTrace
from runner.suites.completion.blocks import Block, Function
from runner.suites.completion.choosing import MOST, Chosen, Reach, choose
from runner.suites.completion.dataset import ByteSpan

FUNCTION = Function("f", ByteSpan(0, 100, 1, 10))
HOLE = ByteSpan(20, 30, 5, 6)
BLOCK = Block("IF", HOLE, FUNCTION)


def trace(name: str, *lines: int, fixture: tuple[int, ...] = (), seconds: float = 0.1) -> ExecutionTrace:
    return ExecutionTrace(name, {"a.py": frozenset(lines)}, {"a.py": frozenset(fixture)}, seconds)


def chosen(*traces: ExecutionTrace, block: Block = BLOCK) -> Chosen:
    return choose(block, HOLE, Reach("a.py", traces))


def test_tests_that_execute_a_line_of_the_hole_judge_it() -> None:
    found = chosen(trace("before", 4), trace("in", 6, seconds=2.5), trace("behind", 7))

    assert found == Chosen(("in",), 1, 4)


def test_light_tests_come_before_heavy_ones_and_those_by_fixture_last() -> None:
    found = chosen(trace("fixture", 1, fixture=(5,)), trace("heavy", 5, 6, 7, 8), trace("light", 5, 9))

    assert found.tests == ("light", "heavy", "fixture")


def test_other_ways_through_the_function_come_first() -> None:
    same = [trace(f"same-{number:02}", 5) for number in range(MOST + 3)]

    found = chosen(*same, trace("other", 5, 6, 7))

    assert len(found.tests) == MOST
    assert found.tests[:2] == ("same-00", "other")
    assert found.total == MOST + 4


def test_lines_of_another_file_do_not_count() -> None:
    other = ExecutionTrace("other", {"b.py": frozenset({5})}, {}, 1)

    assert chosen(other).tests == ()


def test_a_modules_import_is_judged_by_the_tests_of_its_file() -> None:
    found = chosen(
        trace("uses", 50), ExecutionTrace("other", {"b.py": frozenset({5})}, {}, 1), block=Block("IMPORT", HOLE, None)
    )

    assert found.tests == ("uses",)


def test_tests_can_be_left_out() -> None:
    reach = Reach("a.py", [trace("one", 5), trace("two", 5), trace("three", 5)])

    assert choose(BLOCK, HOLE, reach, {"two"}) == Chosen(("one", "three"), 2, 1)


@pytest.mark.parametrize(
    "seconds, told",
    [pytest.param(0.01, 1, id="fast"), pytest.param(2.0, 16, id="slow"), pytest.param(99.5, 598, id="very slow")],
)
def test_how_long_tests_take_is_told_roughly(seconds: float, told: int) -> None:
    found = chosen(
        *(trace(f"{number}", 5, seconds=seconds) for number in range(MOST - 2)), trace("a", 5), trace("b", 5)
    )

    assert (found.seconds, found.total) == (told, MOST)
