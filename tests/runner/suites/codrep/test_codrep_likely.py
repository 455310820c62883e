"""Which lines are likely to have been replaced, in the order in which they are shown."""

from runner.suites.codrep.dataset import CodrepTask
from runner.suites.codrep.ranker.measures import measure
from runner.suites.codrep.ranker.model import model_at
from runner.suites.codrep.ranker.program import lex
from runner.suites.codrep.ranker.ranking import LIKELY, likely_lines, ranking
from runner.suites.codrep.ranker.similarities import by_similarity
from tests.codrep import PROGRAM, task_of

TASK = task_of("sum += item.price() * rate;", *PROGRAM)


def similar(task: CodrepTask) -> list[int]:
    program = lex(task.new_line, task.lines)
    found: list[int] = by_similarity(program, measure(program)).tolist()
    return found


def test_the_most_similar_lines_come_first() -> None:
    lines = similar(TASK)

    assert lines[0] == 12
    assert PROGRAM[lines[1] - 1].strip() == "number += item.price();"


def test_blank_lines_and_the_new_line_itself_are_not_likely() -> None:
    task = task_of("return sum;", *PROGRAM)

    lines = similar(task)

    assert all(PROGRAM[line - 1].strip() not in ("", "return sum;") for line in lines)
    assert len(lines) == len(set(lines))


def test_the_candidates_of_the_ranker_come_before_those_that_are_only_similar() -> None:
    likely = likely_lines(model_at())(TASK)

    ranked = ranking(model_at())(TASK).lines.tolist()
    assert likely[: len(ranked)] == ranked
    assert set(likely) == set(similar(TASK))


def test_no_more_lines_than_can_be_shown_with_their_surroundings() -> None:
    task = task_of("int value;", *(f"int value{number} = {number};" for number in range(1000)))

    assert len(likely_lines(model_at())(task)) == LIKELY


def test_where_no_line_can_have_been_replaced_none_is_likely() -> None:
    assert likely_lines(model_at())(task_of("same", "same", "", " same ")) == []
