"""What is made of a completion run's answers later: by other chains, from their bytes, and by more metrics."""

from pathlib import Path

import orjson
import pytest

from tests.completion import FAST, rows, total, words
from tests.runner.cli.conftest import Call, Done

TRUE, WRONG = f"sim/truth?{FAST}", f"sim/wrong?{FAST}"


@pytest.fixture
def made(pair: Path, call: Call) -> Path:
    """The data set, of which the database holds the run `a` of right and of wrong answers."""
    call(*words(pair, "--sut", f"{TRUE},{WRONG}", "--run-id", "a"))
    return pair


def replayed(call: Call, pair: Path, *more: object) -> Done:
    return call("replay", "--run-id", "a", "--db", pair.parent / "e.db", "--json", *more)


def rescored(call: Call, pair: Path, *more: object) -> Done:
    return call("rescore", "a", "--db", pair.parent / "e.db", "--json", *more)


@pytest.mark.wide
def test_a_replay_without_chains_keeps_those_of_the_run(made: Path, call: Call) -> None:
    done = replayed(call, made)

    summary = orjson.loads(done.out)["summary"]
    assert done.code == 0
    assert [one["parser"] for one in summary["variants"]] == ["raw", "repaired"] * 2
    assert [total(summary, sut)["passed"] for sut in (TRUE, WRONG)] == [4, 0]


def test_a_replay_from_the_bytes_finds_what_was_recorded(made: Path, call: Call) -> None:
    done = replayed(call, made, "--parser", "block", "--from-stream")

    data = orjson.loads(done.out)
    assert (done.code, data["answers"], data["judged"]) == (0, 10, 0)
    assert total(data["summary"], TRUE, "block")["passed"] == 4


@pytest.mark.parametrize(
    "more, why",
    [
        pytest.param(["--parser", "nobody"], "--parser: 'nobody' is no chain", id="chain"),
        pytest.param(["--diff-apply", "v4"], "--diff-apply: completions are no diffs", id="algorithm"),
    ],
)
@pytest.mark.wide
def test_a_replay_that_cannot_be_is_one_line_and_no_run(made: Path, call: Call, more: list[str], why: str) -> None:
    done = replayed(call, made, *more)

    assert (done.code, done.out) == (2, "")
    assert why in done.err
    assert rows(made, "SELECT count(*) FROM runs") == [(1,)]


@pytest.mark.wide
def test_a_replay_that_needs_a_repository_that_is_gone_writes_nothing(made: Path, repo: Path, call: Call) -> None:
    repo.rename(repo.with_name("elsewhere"))

    done = replayed(call, made, "--parser", "whole")

    assert done.code == 2
    assert "fillings were never judged" in done.err
    assert "is no longer there" in done.err
    assert rows(made, "SELECT count(*) FROM runs") == [(1,)]


def test_metrics_are_added_to_what_is_tested_and_not_to_comments(made: Path, call: Call) -> None:
    done = rescored(call, made, "--metric", "es-line,ed")

    data = orjson.loads(done.out)
    right, wrong = total(data, TRUE), total(data, WRONG)
    assert done.code == 0
    assert (right["means"]["es-line"], right["means"]["ed"]) == (1, 0)
    assert wrong["means"]["es-line"] < 1
    assert wrong["means"]["ed"] < 0
    assert data["variants"][0]["scores"]["es-line"]["estimate"] == 1
    having = "SELECT count(*) FROM scores JOIN scorings USING (scoring_id) WHERE metric = 'ed' AND outcome = 'untested'"
    assert rows(made, having) == [(0,)]


@pytest.mark.wide
def test_a_metric_added_is_that_of_the_edit_which_the_run_has_measured(made: Path, call: Call) -> None:
    values = "SELECT scoring_id, value FROM scores WHERE metric = 'es-token' ORDER BY scoring_id"
    before = rows(made, values)

    rescored(call, made, "--metric", "es-token")

    assert rows(made, values) == before
