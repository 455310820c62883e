"""Asking models about pairs, with simulated ones, in a database of its own."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.run.options import AskOptions
from runner.suites.nextedit.order import order_graph
from runner.suites.nextedit.order.pairs import PairQuestion, Relation, open_pairs, pair_questions
from runner.suites.nextedit.relations.asking import PairAnswers, judge_pairs
from tests.nextedit import commit_of

FAST = "ttft_ms=0&gap_ms=0&time=virtual"
LINES = ("import colorsys", "while waiting: snooze(3)", "@cached", "print('done', end='!')")
FILES: dict[str, tuple[str | None, str | None]] = {
    f"{number}.txt": (f"{number}\n", f"{number}\n{line}\n") for number, line in enumerate(LINES)
}
COMMIT = commit_of(FILES)


def questions(related: frozenset[tuple[int, int]] | None = None) -> list[PairQuestion]:
    return list(pair_questions(COMMIT, "commit", open_pairs(COMMIT, order_graph(COMMIT)), related))


def options(db: Path, budget_usd: float | None = None) -> AskOptions:
    return AskOptions(db=db, max_concurrency=2, budget=budget_usd, yes=True, json=True)


def judged(db: Path, model: str = "sim/truth", budget_usd: float | None = None) -> PairAnswers:
    return judge_pairs(questions(frozenset({(0, 1)})), f"{model}?{FAST}", options(db, budget_usd))


def count(db: Path, sql: str) -> int:
    with closing(sqlite3.connect(db)) as connection:
        found: int = connection.execute(sql).fetchone()[0]
        return found


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "evals.db"


def test_every_open_pair_is_asked_about_and_answered(db: Path) -> None:
    found = judged(db)

    assert found.relations == {
        each.case_id: Relation.BOTH if each.pair == (0, 1) else Relation.NONE for each in questions()
    }
    assert (found.requests, found.known, found.left_open, found.exit_code) == (6, 0, 0, 0)


def test_the_questions_are_a_run_with_cost_clocks_and_streams(db: Path) -> None:
    found = judged(db)

    assert count(db, "SELECT count(*) FROM runs WHERE suite = 'relations' AND state = 'complete'") == 1
    assert count(db, "SELECT count(*) FROM attempts WHERE round_trip_ms IS NOT NULL AND cost_usd > 0 AND solved") == 6
    assert count(db, "SELECT count(*) FROM streams") == 6
    assert found.cost_usd > 0


def test_what_is_known_is_not_asked_again(db: Path) -> None:
    first, again = judged(db), judged(db)

    assert again.relations == first.relations
    assert (again.requests, again.known, again.cost_usd, again.run_id) == (0, 6, 0.0, "")
    assert count(db, "SELECT count(*) FROM answers") == 6


def test_another_model_is_asked_anew(db: Path) -> None:
    judged(db)

    assert judged(db, "sim/careful").known == 0


def test_one_question_of_two_commits_is_asked_once(db: Path) -> None:
    twice = [question for name in ("one", "two") for question in pair_questions(COMMIT, name, [(0, 1), (2, 3)])]

    found = judge_pairs(twice, f"sim/truth?{FAST}", options(db))

    assert found.requests == 2
    assert found.relations.keys() == {"one:0-1", "one:2-3", "two:0-1", "two:2-3"}


def test_answers_without_a_relation_leave_a_pair_open_for_good(db: Path) -> None:
    model = f"sim/truth?valid=0&{FAST}"

    first, again = judge_pairs(questions(), model, options(db)), judge_pairs(questions(), model, options(db))

    assert (first.left_open, first.exit_code) == (6, 0)
    assert (again.requests, again.left_open) == (0, 6)
    assert count(db, "SELECT count(*) FROM answers") == 18


def test_a_spent_budget_leaves_questions_for_another_time(db: Path) -> None:
    short = judged(db, budget_usd=0.009)

    assert short.exit_code == 3
    assert short.relations == {}
    assert judged(db).relations.keys() == {each.case_id for each in questions()}


def test_what_was_answered_before_an_interrupt_is_kept(db: Path) -> None:
    judged(db)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE answers SET outcome = 'lost' WHERE answer_id > 4")
        connection.execute("UPDATE runs SET state = 'incomplete'")

    again = judged(db)

    assert (again.known, again.requests, len(again.relations)) == (4, 2, 6)


def test_an_unknown_model_is_refused(db: Path) -> None:
    with pytest.raises(InputError, match=r"--order llm: .*nobody"):
        judge_pairs(questions(), "sim/nobody", options(db))

    assert not db.exists()
