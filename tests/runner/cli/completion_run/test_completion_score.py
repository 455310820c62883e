"""Answers from elsewhere are judged one by one, and are a run that is reported, compared, shown and replayed."""

from pathlib import Path

import orjson
import pytest

from tests.completion import CODE, TASKS, rows, total
from tests.runner.cli.conftest import Call, Done

DOUBLE, LOW, NOTHING, COMMENT, SIGN = (task.task_id for task in TASKS)
RIGHT = {DOUBLE: "return x + x", LOW: "return low", NOTHING: "", SIGN: "return -1 if x < 0 else 1"}
OVER_RUN = "return 2 * x\n\n\ndef clamp(x, low, hi"
ANSWERS = [
    *({"task_id": task_id, "text": text, "model": "good"} for task_id, text in RIGHT.items()),
    {"task_id": COMMENT, "text": "# two", "model": "good"},
    {"task_id": DOUBLE, "text": OVER_RUN, "model": "long"},
    {"task_id": DOUBLE, "text": "return 3 * x", "model": "long"},
    {"task_id": LOW, "text": "return high"},
]
SECONDS = "SELECT DISTINCT json_extract(detail, '$.key'), json_extract(detail, '$.seconds') FROM scorings ORDER BY 1, 2"


@pytest.fixture
def answers(pair: Path) -> Path:
    path = pair.parent / "collected.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in ANSWERS))
    return path


def scored(call: Call, pair: Path, answers: Path, *more: object) -> Done:
    where = ("--answers", answers, "--repo", pair.parent / "repo", "--db", pair.parent / "e.db")
    return call("completion", "score", pair, *where, *more)


def test_each_answer_has_a_verdict_by_each_chain(pair: Path, answers: Path, call: Call) -> None:
    done = scored(call, pair, answers, "--json")

    found = orjson.loads(done.out)["answers"]
    verdicts = {(row["model"], row["task_id"], row["filling"], row["chain"]): row["verdict"] for row in found}
    assert done.code == 0
    assert len(found) == 2 * len(ANSWERS)
    assert all(verdicts["good", task_id, text, "raw"] == "pass" for task_id, text in RIGHT.items())
    assert verdicts["good", COMMENT, "# two", "raw"] is None
    assert verdicts["long", DOUBLE, OVER_RUN, "raw"] == "syntax"
    assert verdicts["long", DOUBLE, "return 2 * x", "repaired"] == "pass"
    assert verdicts["long", DOUBLE, "return 3 * x", "raw"] == "fail"
    assert next(row["failing"] for row in found if row["verdict"] == "fail") == "tests/test_pair.py::test_double"
    # The file's name stands for the model that a row does not name.
    assert verdicts["collected", LOW, "return high", "raw"] == "fail"


def test_they_are_a_run_of_the_database(pair: Path, answers: Path, call: Call) -> None:
    scored(call, pair, answers, "--name", "theirs")

    db = ("--db", pair.parent / "e.db")
    data = orjson.loads(call("report", "latest", "--json", *db).out)
    assert [(total(data, sut)["judged"], total(data, sut)["passed"]) for sut in ("good", "long", "collected")] == [
        (4, 4),
        (2, 0),
        (1, 0),
    ]
    assert total(data, "long", "repaired")["passed"] == 1
    assert "theirs" in call("runs", *db).out
    shown = call("show", "latest", DOUBLE, "--model", "long", "--full", *db)
    assert (shown.code, "def clamp(x, low, hi" in shown.out) == (0, True), shown.err
    assert call("compare", "latest", *db).code == 0
    assert rows(pair, "SELECT state FROM runs") == [("complete",)]
    assert rows(pair, "SELECT state, count(*) FROM lanes GROUP BY 1 ORDER BY 1") == [("capped", 6), ("full", 1)]


def test_a_replay_asks_the_judge_for_new_fillings_only(pair: Path, answers: Path, call: Call) -> None:
    scored(call, pair, answers)
    db = ("--db", pair.parent / "e.db", "--json")

    ((source,),) = rows(pair, "SELECT run_id FROM runs")
    again = orjson.loads(call("replay", "--run-id", "latest", *db).out)
    other = orjson.loads(call("replay", "--run-id", source, "--parser", "trimmed", *db).out)

    assert (again["answers"], again["judged"]) == (len(ANSWERS), 0)
    assert total(again["summary"], "good")["passed"] == 4
    assert total(other["summary"], "good", "trimmed")["passed"] == 4


def test_the_same_answers_are_judged_once(pair: Path, answers: Path, call: Call) -> None:
    first = orjson.loads(scored(call, pair, answers, "--json").out)["answers"]
    judged = rows(pair, SECONDS)

    second = orjson.loads(scored(call, pair, answers, "--json").out)["answers"]

    assert first == second
    # A test that ran again would have taken another time.
    assert rows(pair, SECONDS) == judged
    assert rows(pair, "SELECT count(*) FROM runs") == [(2,)]


def test_a_repository_of_other_files_is_refused_and_leaves_no_database(pair: Path, answers: Path, call: Call) -> None:
    (pair.parent / "repo" / "pair.py").write_text(CODE + "\n")

    done = scored(call, pair, answers)

    assert (done.code, done.out) == (2, "")
    assert "pair.py: not the text of the data set" in done.err
    assert not (pair.parent / "e.db").exists()
