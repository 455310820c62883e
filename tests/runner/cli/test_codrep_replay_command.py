"""Stored answers of a CodRep run: scored again by another parser, and measured as edits; options that every run has."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest

from runner.metrics import METRICS, Sample
from runner.suites.codrep.cases import read_cases
from runner.suites.codrep.competition import task_loss
from runner.suites.codrep.dataset import open_dataset
from tests.codrep import SAMPLE, write_dataset
from tests.runner.cli.conftest import Call

MODEL = "sim/any?valid=0.8&applied=0.7&time=virtual"
PLUG_IN = '''
from parsers.blocks import EditMarks, ToolCall

class Fixed:
    """Reads the same line from every answer, or fails."""

    marks = EditMarks()

    def __init__(self, number):
        self.number = number

    def start(self):
        return self

    def feed(self, piece):
        pass

    def snapshot(self):
        return self.parse("")

    def parse(self, text):
        if self.number is None:
            raise RuntimeError("no line to give")
        return (ToolCall("line", {"number": self.number}),)

FIRST, BROKEN = Fixed("1"), Fixed(None)
'''
SCORINGS = """
SELECT answer_id, s.outcome, s.valid, s.parser, s.detail, c.value FROM scorings s
JOIN scores c USING (scoring_id) WHERE s.run_id = ? AND c.metric = 'loss' ORDER BY answer_id"""


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database in the working folder, where a person's own parser stands, too."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_parsers.py").write_text(PLUG_IN)
    return tmp_path / "evals.db"


def rows(db: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(sql, values).fetchall()


def replayed(call: Call, *words: object) -> dict[str, Any]:
    done = call("replay", "--run-id", "r", "--json", *words)
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


class TestReplay:
    @pytest.fixture
    def made(self, call: Call, db: Path, tmp_path: Path) -> Path:
        """A run `r` of a predictor and a model, some of whose files are shown in part."""
        folder = write_dataset(tmp_path / "Made", 3, lines=400)
        words = ("--sut", f"formula,{MODEL}", "--max-context", 1500, "--run-id", "r", "--db", db)
        assert call("codrep", "run", folder, SAMPLE, *words).code == 0
        shown = {row[0] for row in rows(db, "SELECT json_extract(detail, '$.shown_whole') FROM scorings")}
        assert shown == {0, 1}
        return db

    @pytest.mark.parametrize("words", [(), ("--parser", "line-number"), ("--from-stream",)])
    def test_the_same_parser_gives_the_same_scorings_in_a_new_run(
        self, call: Call, made: Path, words: tuple[str, ...]
    ) -> None:
        found = replayed(call, *words)

        assert found["run_id"] != "r"
        assert found["answers"] == len(rows(made, SCORINGS, "r"))
        assert rows(made, SCORINGS, found["run_id"]) == rows(made, SCORINGS, "r")
        assert [one["flipped"] for one in found["comparisons"]] == [[], [], []]

    def test_a_parser_of_one_s_own_scores_the_stored_answers(self, call: Call, made: Path) -> None:
        answers = rows(made, "SELECT count(*) FROM answers")

        found = replayed(call, "--parser", "own_parsers:FIRST")

        scored = rows(made, SCORINGS, found["run_id"])
        assert rows(made, "SELECT count(*) FROM answers") == answers
        assert {row[3] for row in scored} == {"own_parsers:FIRST"}
        for _, _, valid, _, detail, loss in scored:
            known = orjson.loads(detail)
            assert (valid, known["line"]) == (1, 1)
            assert loss == task_loss(known["answer"] - 1)
        before, after = (
            [{**orjson.loads(row[4]), "line": None} for row in found_rows]
            for found_rows in (rows(made, SCORINGS, "r"), scored)
        )
        assert after == before

    def test_the_line_errors_of_a_replay_are_those_of_its_parser(self, call: Call, made: Path) -> None:
        found = replayed(call, "--parser", "own_parsers:FIRST")

        errors = found["summary"]["line_errors"]
        datasets = [open_dataset(made.parent / "Made"), open_dataset(SAMPLE)]
        losses = [task_loss(case.answer - 1) for case in read_cases(datasets)]
        assert [(one["sut"], one["tasks"], one["malformed"]) for one in errors] == [("formula", 23, 0), (MODEL, 23, 0)]
        assert [one["loss"]["estimate"] for one in errors] == pytest.approx([sum(losses) / 23] * 2)

    def test_a_replay_can_be_replayed(self, call: Call, made: Path) -> None:
        first = replayed(call, "--parser", "own_parsers:FIRST")

        again = json.loads(call("replay", "--run-id", first["run_id"], "--parser", "line-number", "--json").out)

        assert rows(made, SCORINGS, again["run_id"]) == rows(made, SCORINGS, "r")

    def test_a_parser_that_fails_is_the_outcome_of_each_scoring(self, call: Call, made: Path) -> None:
        found = replayed(call, "--parser", "own_parsers:BROKEN")

        told = rows(made, "SELECT DISTINCT outcome, valid, error_text FROM scorings WHERE run_id = ?", found["run_id"])
        ((outcome, valid, error),) = told
        assert (outcome, valid) == ("crashed", 0)
        assert "no line to give" in error

    @pytest.mark.parametrize(
        "words, message",
        [
            pytest.param(("--diff-apply", "v4"), "--diff-apply: answers of this run are line numbers", id="a diff"),
            pytest.param(("--parser", "nobody"), "--parser: 'nobody' is not known", id="no parser"),
            pytest.param(("--parser", "own_parsers:NONE"), "--parser: 'own_parsers:NONE' cannot be", id="no thing"),
        ],
    )
    def test_what_cannot_be_replayed_is_refused_in_one_line_and_writes_nothing(
        self, call: Call, made: Path, words: tuple[str, ...], message: str
    ) -> None:
        done = call("replay", "--run-id", "r", *words)

        assert done.code == 2
        assert message in done.err
        assert done.err.count("\n") == 1
        assert rows(made, "SELECT run_id FROM runs") == [("r",)]

    def test_a_live_run_takes_a_parser_of_one_s_own(self, call: Call, db: Path) -> None:
        good = call("codrep", "run", SAMPLE, "--sut", MODEL, "--limit", 3, "--parser", "own_parsers:FIRST", "--db", db)
        bad = call("codrep", "run", SAMPLE, "--sut", MODEL, "--limit", 3, "--parser", "own_parsers:BROKEN", "--db", db)

        assert (good.code, bad.code) == (0, 1)
        assert rows(db, "SELECT parser, outcome, count(*) FROM scorings WHERE outcome = 'crashed' GROUP BY 1") == [
            ("own_parsers:BROKEN", "crashed", 3)
        ]


class TestRescore:
    def test_a_scoring_is_measured_as_the_edit_that_its_line_makes(self, call: Call, db: Path) -> None:
        call("codrep", "run", SAMPLE, "--sut", f"first,{MODEL}", "--db", db, "--run-id", "r")

        done = call("rescore", "r", "--metric", "nes,exact,es-line", "--db", db)

        sql = """
            SELECT t.case_id, json_extract(s.detail, '$.line'), c.metric, c.value FROM attempts t
            JOIN scorings s USING (scoring_id) JOIN scores c USING (scoring_id) WHERE c.metric IN ('nes', 'es-line')"""
        assert done.code == 0
        assert done.err.startswith("40 scorings of run r scored")
        dataset = open_dataset(SAMPLE)
        tasks = {case.case_id: dataset.read(case.path) for case in read_cases([dataset])}
        measured = rows(db, sql)
        assert len(measured) == 80
        for case_id, line, metric, value in measured:
            task = tasks[case_id]

            def replaced(number: int, lines: tuple[str, ...] = task.lines, new_line: str = task.new_line) -> str:
                return "\n".join((*lines[: number - 1], new_line, *lines[number:])) + "\n"

            sample = Sample("\n".join(task.lines) + "\n", (replaced(task.answer or 0),), replaced(line))
            assert value == METRICS[metric](sample)
            assert metric == "nes" or (value == 1.0) == (line == task.answer)

    def test_files_that_are_shown_in_part_are_left_out(self, call: Call, db: Path, tmp_path: Path) -> None:
        folder, model = write_dataset(tmp_path / "Made", 3, lines=400), "sim/careful?time=virtual&valid=1"
        call("codrep", "run", folder, SAMPLE, "--sut", model, "--max-context", 1500, "--db", db)

        done = call("rescore", "latest", "--metric", "nes", "--db", db)

        sql = "SELECT count(*) FROM scorings WHERE json_extract(detail, '$.shown_whole')"
        assert rows(db, sql) == rows(db, "SELECT count(*) FROM scores WHERE metric = 'nes'") == [(20,)]
        assert done.err.startswith("20 scorings of run")

    def test_a_replay_is_rescored_by_the_lines_of_its_parser(self, call: Call, db: Path) -> None:
        call("codrep", "run", SAMPLE, "--sut", MODEL, "--limit", 4, "--db", db, "--run-id", "r")
        found = replayed(call, "--parser", "own_parsers:FIRST")

        done = call("rescore", found["run_id"], "--metric", "nes", "--db", db)

        assert done.code == 0
        assert done.err.startswith(f"{found['answers']} scorings of run {found['run_id']}")

    @pytest.mark.parametrize("words", [("--sut", "first"), ("--sut", MODEL, "--max-context", 700)])
    def test_a_run_without_a_whole_file_is_refused_with_the_reason(
        self, call: Call, db: Path, tmp_path: Path, words: tuple[object, ...]
    ) -> None:
        folder = write_dataset(tmp_path / "Made", 3, lines=200)
        call("codrep", "run", folder, *words, "--db", db, "--run-id", "r")

        done = call("rescore", "r", "--db", db)

        assert done.code == 2
        assert done.err.count("\n") == 1
        assert "run r: the database holds no whole file of it" in done.err


class TestOptions:
    def test_a_dry_run_tells_the_cost_and_its_bound_without_the_ranker(self, call: Call, db: Path) -> None:
        words = ("codrep", "run", SAMPLE, "--sut", f"first,{MODEL}", "--dry-run", "--json", "--max-tokens", 100)

        done = call(*words, "--db", db)

        told = json.loads(done.out)
        assert (done.code, told["dry_run"], told["suite"]) == (0, True, "codrep")
        assert (told["local"], told["cases"], told["attempts"], told["most_attempts"]) == (["first"], 20, 40, 400)
        assert 0 < told["estimated_usd"] < told["bound_usd"]
        assert not db.exists()

    def test_a_dry_run_takes_no_key(self, call: Call, db: Path) -> None:
        words = ("codrep", "run", SAMPLE, "--sut", "openai/computer-use-preview,anthropic/nobody", "--db", db)

        done, paid = call(*words, "--dry-run", "--json"), call(*words, "--yes")

        known, unknown = json.loads(done.out)["systems"]
        assert (done.code, paid.code) == (0, 2)
        assert 0 < known["estimated_usd"] < known["bound_usd"]
        assert unknown["bound_usd"] is None
        assert "no key" in paid.err
        assert not db.exists()

    def test_the_bound_holds_what_the_run_costs(self, call: Call, db: Path) -> None:
        words = ("codrep", "run", SAMPLE, "--sut", MODEL, "--db", db)
        bound = json.loads(call(*words, "--dry-run", "--json").out)["bound_usd"]

        call(*words)

        ((cost,),) = rows(db, "SELECT sum(cost_usd) FROM attempts")
        assert 0 < cost <= bound

    def test_predictors_alone_cost_nothing(self, call: Call) -> None:
        told = json.loads(call("codrep", "run", SAMPLE, "--sut", "ranker,first", "--dry-run", "--json").out)

        assert (told["estimated_usd"], told["bound_usd"], told["systems"]) == (0, 0, [])

    def test_what_every_run_takes_is_taken(self, call: Call, db: Path, tmp_path: Path) -> None:
        done = call(
            *("codrep", "run", SAMPLE, "--model-ids", f"first,{MODEL}", "--max-cases", 2, "--prompt", "codrep/basic"),
            *("--name", "try", "--note", "a note", "--budget", 5, "--rpm", 10_000, "--tpm", 10_000_000, "-j", 1),
            *("--first-byte-timeout", 5, "--idle-timeout", 5, "--total-timeout", 9, "--save-locally", tmp_path / "out"),
            *("--slots", 3, "--yes", "--db", db),
        )

        assert done.code == 0, done.err
        assert rows(db, "SELECT name, note, state FROM runs") == [("try", "a note", "complete")]
        assert len(list((tmp_path / "out").rglob("*.json"))) == 2

    def test_what_simulated_models_had_to_give_is_in_the_data(self, call: Call, db: Path) -> None:
        done = call("codrep", "run", SAMPLE, "--sut", f"first,{MODEL}", "--db", db, "--json")

        (expected,) = json.loads(done.out)["expected"]
        solved = rows(db, "SELECT sum(solved), sum(valid), count(*) FROM attempts WHERE sut != 'first'")
        assert solved == [(expected["right"], expected["answers"], sum(expected["outcomes"].values()))]
        assert (expected["sut"], expected["prompt"]) == (MODEL, "codrep/basic")

    def test_a_file_of_defaults_may_name_systems_either_way(self, call: Call, db: Path) -> None:
        for key in ("sut", "model-ids"):
            (db.parent / "evals.toml").write_text(f'[codrep.run]\n{key} = "last"\n')

            call("codrep", "run", SAMPLE, "--limit", 1, "--db", db)

        assert rows(db, "SELECT DISTINCT sut FROM lanes") == [("last",)]
