"""`evals codrep run`: predictors and models side by side, through the database, from the command line."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from runner.suites.codrep.cases import read_cases
from runner.suites.codrep.dataset import open_dataset
from runner.suites.codrep.predictors.predict import Choice, predict
from runner.suites.codrep.sim_truth import case_truth
from suts.simulated.models import expected_counts
from suts.simulated.spec import parse_spec
from tests.codrep import SAMPLE, write_dataset
from tests.runner.cli.conftest import Call

EVALS = Path(sys.executable).parent / "evals"
MODEL = "sim/any?valid=0.8&applied=0.7&time=virtual"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "evals.db"


def rows(db: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(sql).fetchall()


def errors(out: str) -> dict[str, dict[str, Any]]:
    """The line errors of a report by system."""
    return {one["sut"]: one for one in json.loads(out)["line_errors"]}


class TestPredictors:
    def test_they_stand_side_by_side_with_a_model_without_clocks_and_cost(self, call: Call, db: Path) -> None:
        done = call("codrep", "run", SAMPLE, "--sut", f"ranker,formula,first,{MODEL}", "--db", db)

        told = rows(
            db,
            "SELECT sut, prompt, count(*), count(round_trip_ms), sum(cost_usd) FROM attempts GROUP BY sut, prompt",
        )
        assert done.code == 0
        assert [one[0] for one in told] == ["first", "formula", "ranker", MODEL]
        assert [(one[1], one[2], one[3], one[4]) for one in told[:3]] == [("", 20, 0, 0.0)] * 3
        assert told[3][3] == told[3][2] >= 20
        assert told[3][4] > 0
        assert "line errors" in done.out
        assert "first: predicting 20 tasks" in done.err

    @pytest.mark.parametrize("name", ["ranker", "ranker+siblings", "formula", "trigram", "middle", "random", "worst"])
    def test_they_answer_as_they_predict(self, call: Call, db: Path, name: str) -> None:
        call("codrep", "run", SAMPLE, "--sut", name, "--db", db, "--seed", 3)

        found = dict(
            rows(db, "SELECT case_id, json_extract(detail, '$.line') FROM attempts JOIN scorings USING (scoring_id)")
        )
        dataset = open_dataset(SAMPLE)
        assert found == {dataset.case_id(path): line for path, line in predict(dataset, Choice(name, seed=3))}

    def test_processes_change_nothing(self, call: Call, tmp_path: Path) -> None:
        folder = write_dataset(tmp_path / "Made", 70)
        words = ("codrep", "run", folder, "--sut", "formula,random", "--json")

        alone, shared = (call(*words, "--db", tmp_path / f"{jobs}.db", "--jobs", jobs) for jobs in (1, 2))

        assert errors(alone.out) == errors(shared.out)

    def test_the_loss_is_that_of_the_scorer(self, call: Call, db: Path) -> None:
        done = call("codrep", "run", SAMPLE, "--sut", "formula", "--db", db, "--json")

        guesses = "".join(f"{path} {line}\n" for path, line in predict(open_dataset(SAMPLE), Choice("formula")))
        scored = subprocess.run(
            [EVALS, "codrep", "score", "-d", SAMPLE], input=guesses, capture_output=True, text=True, check=True
        )
        found = errors(done.out)["formula"]
        assert f"Average line error: {found['loss']['estimate']} " in scored.stdout
        assert f"Recall@1: {found['exact']['estimate']} " in scored.stdout


class TestModels:
    def test_two_hundred_tasks_give_the_planted_counts_with_clocks_and_cost(
        self, call: Call, db: Path, tmp_path: Path
    ) -> None:
        folder = write_dataset(tmp_path / "Made", 200)

        done = call("codrep", "run", folder, "--sut", MODEL, "--db", db, "--parallel", "--json")

        truths = [case_truth(case) for case in read_cases([open_dataset(folder)])]
        planted = expected_counts(parse_spec(MODEL), truths, quota=1, cap=10)
        outcomes = rows(db, "SELECT outcome FROM attempts")
        assert done.code == 0
        assert Counter(outcome for (outcome,) in outcomes) == dict(planted.outcomes)
        assert set(planted.outcomes) == {"solved", "unsolved", "no_answer", "out_of_range"}
        (whole,) = rows(db, "SELECT count(*), count(first_token_ms), count(closed_ms), count(cost_usd) FROM attempts")
        assert whole[0] == whole[1] == whole[3] == planted.attempts
        assert planted.valid <= whole[2] < planted.attempts

    def test_the_line_errors_count_first_answers_and_malformed_ones_at_one(
        self, call: Call, db: Path, tmp_path: Path
    ) -> None:
        done = call("codrep", "run", write_dataset(tmp_path / "Made", 60), "--sut", MODEL, "--db", db, "--json")

        first = rows(
            db,
            "SELECT outcome, value FROM attempts JOIN scores USING (scoring_id) WHERE number = 1 AND metric = 'loss'",
        )
        found = errors(done.out)[MODEL]
        malformed = [loss for outcome, loss in first if outcome in {"no_answer", "out_of_range"}]
        assert set(malformed) == {1.0}
        assert (found["tasks"], found["malformed"]) == (60, len(malformed))
        assert found["loss"]["estimate"] == pytest.approx(sum(loss for _, loss in first) / 60)
        assert found["exact"]["estimate"] == pytest.approx(sum(outcome == "solved" for outcome, _ in first) / 60)
        assert found["loss"]["low"] < found["loss"]["estimate"] < found["loss"]["high"]

    def test_the_quota_asks_for_so_many_valid_answers(self, call: Call, db: Path) -> None:
        done = call("codrep", "run", SAMPLE, "--sut", MODEL, "--limit", 5, "-n", 3, "--db", db, "--json")

        assert (
            rows(db, "SELECT case_id, count(*) FROM attempts WHERE valid GROUP BY case_id HAVING count(*) != 3") == []
        )
        assert errors(done.out)[MODEL]["tasks"] == 5

    def test_a_long_file_is_shown_in_parts_and_the_parts_are_recorded(
        self, call: Call, db: Path, tmp_path: Path
    ) -> None:
        folder = write_dataset(tmp_path / "Made", 3, lines=2000)

        call("codrep", "run", folder, "--sut", "sim/any?time=virtual", "--db", db, "--max-context", 1500)

        details = rows(db, "SELECT detail FROM scorings")
        questions = rows(db, "SELECT tokens, input_tokens FROM cases JOIN attempts USING (run_id, case_id)")
        for (detail,) in details:
            told = orjson.loads(detail)
            assert not told["shown_whole"]
            assert told["answer_shown"]
            assert any(first <= told["answer"] <= last for first, last in told["shown"])
            assert sum(last - first + 1 for first, last in told["shown"]) < 300
        assert all(0 < tokens <= 1500 for tokens, _ in questions)

    def test_what_was_asked_can_be_shown_again(self, call: Call, db: Path) -> None:
        call("codrep", "run", SAMPLE, "--sut", MODEL, "--limit", 1, "--db", db)
        (case_id,) = rows(db, "SELECT case_id FROM cases")[0]

        shown = call("show", "latest", case_id, "--full", "--db", db)

        assert "The new line:" in shown.out
        assert "You find the place of an edit." in shown.out

    def test_a_budget_ends_the_run_and_it_goes_on(self, call: Call, db: Path) -> None:
        words = ("codrep", "run", SAMPLE, "--sut", f"first,{MODEL}", "--db", db, "--run-id", "r", "--max-tokens", 100)

        poor = call(*words, "--budget", 0.01)
        rich = call(*words, "--budget", 10)

        assert (poor.code, rich.code) == (3, 0)
        assert rows(db, "SELECT count(*) FROM lanes WHERE state = 'full'") == [(40,)]

    def test_a_finished_run_is_shown_again_without_asking(self, call: Call, db: Path) -> None:
        words = ("codrep", "run", SAMPLE, "--sut", f"formula,{MODEL}", "--db", db, "--json")

        first = call(*words, "--run-id", "r")
        again = call(*words, "--resume", "latest")

        assert (first.code, again.code) == (0, 0)
        assert first.out == again.out
        assert "predicting" not in again.err

    def test_another_configuration_is_refused(self, call: Call, db: Path) -> None:
        call("codrep", "run", SAMPLE, "--sut", MODEL, "--db", db, "--run-id", "r", "--limit", 3)

        other = call("codrep", "run", SAMPLE, "--sut", MODEL, "--db", db, "--run-id", "r", "--limit", 4)
        narrow = call(
            *("codrep", "run", SAMPLE, "--sut", MODEL, "--db", db, "--run-id", "r", "--limit", 3),
            *("--max-context", 700),
        )

        assert other.code == narrow.code == 2
        assert "cases was" in other.err
        assert "max_context was 8000, is 700" in narrow.err

    def test_nothing_is_asked_in_a_dry_run(self, call: Call, db: Path) -> None:
        done = call("codrep", "run", SAMPLE, "--sut", f"first,{MODEL}", "--db", db, "--dry-run")

        assert done.code == 0
        assert not db.exists()
        assert "2 systems, 20 cases: 40 valid attempts, at most 400 attempts, 1 at once" in done.err
        assert "estimated cost $" in done.err


@pytest.mark.wide
class TestServed:
    def test_over_loopback_the_answers_are_those_of_the_same_model_in_process(self, call: Call, tmp_path: Path) -> None:
        told = "SELECT case_id, number, outcome, output_tokens FROM attempts ORDER BY 1, 2"
        served, inside = tmp_path / "served.db", tmp_path / "inside.db"

        with self._server() as url:
            words = ("--provider", "openai-sdk", "--base-url", f"{url}/v1", "--parallel", "--yes")
            done = call("codrep", "run", SAMPLE, "--sut", "sloppy", *words, "--db", served)
        call("codrep", "run", SAMPLE, "--sut", "sim/sloppy?time=virtual", "--db", inside)

        assert done.code == 0
        assert rows(served, told) == rows(inside, told)
        assert rows(served, "SELECT count(*) FROM attempts WHERE round_trip_ms IS NULL") == [(0,)]

    @staticmethod
    @contextmanager
    def _server() -> Iterator[str]:
        words = [str(EVALS), "serve-sim", "--cases", str(SAMPLE), "--ttft-ms", "5", "--gap-ms", "1"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                yield process.stdout.readline().removeprefix("listening on ").strip()
            finally:
                process.kill()


class TestKilled:
    ROWS = "SELECT sut, case_id, number, outcome, cost_usd, input_tokens, output_tokens FROM attempts ORDER BY 1, 2, 3"

    @pytest.mark.wide
    def test_a_killed_run_goes_on_to_the_rows_of_an_uninterrupted_one(self, tmp_path: Path) -> None:
        folder = write_dataset(tmp_path / "Made", 40)
        killed, whole = tmp_path / "killed.db", tmp_path / "whole.db"

        with self._run(folder, killed) as process:
            self._wait_for(killed, 15)
            process.send_signal(signal.SIGKILL)
        with self._run(folder, killed) as process:
            assert process.wait(60) == 0
        with self._run(folder, whole) as process:
            assert process.wait(60) == 0

        assert rows(killed, "SELECT count(*) FROM answers WHERE outcome = 'lost'")[0][0] <= 4
        assert rows(killed, self.ROWS) == rows(whole, self.ROWS)

    @staticmethod
    def _run(folder: Path, db: Path) -> "subprocess.Popen[bytes]":
        words: Sequence[object] = (
            *("codrep", "run", folder, "--sut", "formula,sim/sloppy?ttft_ms=60&gap_ms=2"),
            *("--db", db, "--run-id", "r", "--slots", 4),
        )
        environment = {name: value for name, value in os.environ.items() if not name.startswith("EVALS_")}
        return subprocess.Popen([EVALS, *map(str, words)], stderr=subprocess.DEVNULL, env=environment)

    @staticmethod
    def _wait_for(db: Path, answers: int) -> None:
        """Until so many answers of the model are on record."""
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            time.sleep(0.02)
            if not db.with_name(db.name + "-wal").exists():
                continue
            with closing(sqlite3.connect(db, timeout=10)) as connection:
                try:
                    sql = "SELECT count(*) FROM attempts WHERE sut LIKE 'sim/%'"
                    (count,) = connection.execute(sql).fetchone()
                except sqlite3.OperationalError:
                    continue
            if count >= answers:
                return
        pytest.fail("the run came to nothing within a minute")


class TestSamples:
    def test_a_smaller_limit_draws_a_part_of_what_a_larger_one_draws(self) -> None:
        datasets = [open_dataset(SAMPLE)]

        few, more = (read_cases(datasets, limit) for limit in (4, 9))
        others = read_cases(datasets, 9, sample_seed=1)

        assert set(few) < set(more)
        assert set(others) != set(more)
        order = [case.case_id for case in read_cases(datasets)]
        assert [case.case_id for case in more] == [one for one in order if one in {case.case_id for case in more}]

    def test_a_limit_above_all_takes_all(self) -> None:
        assert len(read_cases([open_dataset(SAMPLE)], 1000)) == 20


class TestReports:
    @pytest.fixture
    def made(self, call: Call, db: Path) -> Path:
        call("codrep", "run", SAMPLE, "--sut", f"formula,{MODEL}", "--db", db, "--run-id", "r")
        return db

    def test_a_report_has_the_losses_in_front(self, call: Call, made: Path) -> None:
        done = call("report", "--db", made, "--markdown")

        assert done.out.index("## line errors") < done.out.index("## results") < done.out.index("## clocks")
        assert "| formula |" in done.out
        assert f"| {MODEL} (simulated) | codrep/basic | 20 |" in done.out


@pytest.mark.parametrize(
    "words, message",
    [
        pytest.param(("nowhere",), "nowhere: there is no such folder", id="no folder"),
        pytest.param((".",), "no folder Tasks", id="no dataset"),
        pytest.param((SAMPLE, "--sut", "nobody"), "--model-ids: 'nobody' is not known; there are", id="no system"),
        pytest.param((SAMPLE, "--sut", " , "), "--model-ids: names nothing", id="no name"),
        pytest.param((SAMPLE, "--sut", "openai/gpt"), "--model-ids: openai: no key", id="no key"),
        pytest.param((SAMPLE, "--sut", "sim/nobody"), "--model-ids: sim/nobody", id="no such simulated model"),
        pytest.param((SAMPLE, "--sut", MODEL, "--max-context", 100), "--max-context: is 100, too little", id="no room"),
        pytest.param((SAMPLE, "--prompts", "poetic"), "--prompts: no prompt", id="no prompt"),
        pytest.param((SAMPLE, "--parser", "none"), "--parser: 'none' is not known", id="no parser"),
        pytest.param(
            (SAMPLE, "-n", 3, "--max-attempts-per-case", 2), "less than the quota", id="a cap below the quota"
        ),
        pytest.param((SAMPLE, "--run-id", "a", "--resume", "b"), "--resume: cannot be combined", id="two runs"),
        pytest.param((SAMPLE, "--limit", 0), "--limit", id="no tasks wanted"),
    ],
)
def test_bad_input_is_one_line(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)

    done = call("codrep", "run", *words, "--db", tmp_path / "evals.db")

    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "evals.db").exists()


@pytest.mark.parametrize(
    "broken, content, message",
    [
        pytest.param("Tasks/2.txt", "one line", "2.txt: a task has a new line", id="a task of one line"),
        pytest.param("Tasks/2.txt", "new\nnot empty\nold\n", "2.txt: line 2 must be empty", id="no empty line"),
        pytest.param("Solutions/2.txt", "many", "2.txt: a solution is one line number", id="no number"),
        pytest.param("Solutions/2.txt", "999", "2.txt: line 999 is not in the program", id="out of range"),
        pytest.param("Solutions/2.txt", None, "2.txt: the solution is missing", id="no solution"),
        pytest.param("Solutions", None, "has no folder Solutions", id="no solutions"),
        pytest.param("Tasks/*.txt", None, "has no tasks", id="no tasks"),
    ],
)
def test_a_bad_folder_is_named_with_what_is_wrong(
    call: Call, tmp_path: Path, broken: str, content: str | None, message: str
) -> None:
    folder = write_dataset(tmp_path / "Made", 3)
    for path in sorted(folder.glob(f"{broken}/*")) + sorted(folder.glob(broken)):
        path.rmdir() if path.is_dir() else path.unlink()
    if content is not None:
        (folder / broken).write_text(content)

    done = call("codrep", "run", folder, "--sut", "first", "--db", tmp_path / "evals.db")

    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
