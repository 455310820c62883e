import pytest

from runner.suites.nextedit.order import Edge, Graph, Reason
from runner.suites.nextedit.order.pairs import (
    Relation,
    answer_text,
    open_pairs,
    pair_questions,
    parse_relation,
    relation_edges,
    wording,
)
from tests.nextedit import commit_of

COMMIT = commit_of(
    {
        "a.py": ("import os\nlimit = 1\nx = 0\n", "import os\nlimit = 2\nx = 0\n"),
        "b.py": ("print(limit)\n", "print(limit + 1)\n"),
        "c.py": (None, "".join(f"line{number}\n" for number in range(100))),
    },
    message="Raise the limit",
)


def test_pairs_without_an_edge_are_open() -> None:
    assert open_pairs(COMMIT, Graph(3, (Edge(2, 0, Reason.CLONE, 1),))) == [(0, 1), (1, 2)]


def test_a_question_shows_both_edits_with_their_lines_around_and_the_message() -> None:
    (question,) = pair_questions(COMMIT, "tool-1", [(0, 1)])

    assert question.case_id == "tool-1:0-1"
    assert "Raise the limit" in question.text
    assert "in a.py at line 2:\n\n<edit>\n import os\n-limit = 1\n+limit = 2\n x = 0\n</edit>" in question.text
    assert "The second edit, in b.py at line 1:" in question.text


def test_of_a_long_edit_the_beginning_is_shown() -> None:
    (question,) = pair_questions(COMMIT, "tool-1", [(0, 2)])

    assert "+line59\n+... (40 more lines)\n</edit>" in question.text


def test_what_people_say_is_known_to_the_question() -> None:
    asked, unasked = (tuple(pair_questions(COMMIT, "t", [(0, 1), (0, 2)], related)) for related in ({(0, 1)}, None))

    assert [each.right for each in asked] == [Relation.BOTH, Relation.NONE]
    assert [each.right for each in unasked] == [None, None]


def test_questions_are_one_if_wording_and_text_are() -> None:
    one, two = (next(pair_questions(COMMIT, name, [(0, 1)])) for name in ("here", "there"))
    (other,) = pair_questions(COMMIT, "here", [(0, 2)])

    assert one.digest("w") == two.digest("w")
    assert len({one.digest("w"), one.digest("v"), other.digest("w")}) == 3


@pytest.mark.parametrize(
    "answer, relation",
    [
        ("<relation>both</relation>", Relation.BOTH),
        ("Since b uses it: <RELATION> First\n</RELATION>.", Relation.FIRST),
        ("<relation>none</relation>, or rather <relation>second</relation>", Relation.SECOND),
        ("both", None),
        ("<relation>maybe</relation>", None),
        ("<relation>both", None),
        ("", None),
    ],
)
def test_an_answer_names_a_relation_in_its_last_tag(answer: str, relation: Relation | None) -> None:
    assert parse_relation(answer) == relation


@pytest.mark.parametrize("relation", Relation)
def test_every_relation_can_be_said_and_is_explained(relation: Relation) -> None:
    assert parse_relation(answer_text(relation)) is relation
    assert f"- `{relation}`:" in wording()


@pytest.mark.parametrize(
    "relation, directions",
    [
        (Relation.BOTH, [(1, 4), (4, 1)]),
        (Relation.FIRST, [(1, 4)]),
        (Relation.SECOND, [(4, 1)]),
        (Relation.NONE, []),
    ],
)
def test_a_relation_gives_edges_in_its_directions(relation: Relation, directions: list[tuple[int, int]]) -> None:
    edges = list(relation_edges((1, 4), relation, "sim/x"))

    assert [(edge.source, edge.target) for edge in edges] == directions
    assert all((edge.reason, edge.detail) == (Reason.JUDGED, "sim/x") for edge in edges)
