"""Going on with a run: a finished report stays what it was, and crashes of an earlier session still count."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.runner.cli.conftest import Call

CASES = Path(__file__).parents[3] / "cases" / "diff_edit"
ASK = ("diff", "--cases", CASES, "--max-cases", 3, "--model-ids", "sim/any?time=virtual", "--run-id", "one")
BROKEN = "def algorithm(original, diff):\n    raise ZeroDivisionError('a bug')\n"


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def shown(call: Call) -> str:
    return call("report", "one", "--json").out


def test_a_smaller_quota_changes_nothing_of_a_finished_run_and_says_so(call: Call) -> None:
    first = call(*ASK, "-n", 3, "--max-attempts-per-case", 40)
    before = shown(call)

    again = call(*ASK, "-n", 1)

    assert (first.code, again.code) == (0, 0)
    assert "run one keeps its quota of 3; this session asks for at most 1 at each case" in again.err
    assert shown(call) == before


def test_a_smaller_quota_asks_for_no_more_and_leaves_an_unfinished_run_unfinished(call: Call) -> None:
    call(*ASK, "-n", 1)
    with closing(sqlite3.connect("evals.db")) as connection:
        connection.execute("UPDATE runs SET config = json_set(config, '$.settings.valid_attempts_per_case', 2)")
        connection.commit()

    smaller, whole = call(*ASK, "-n", 1), call(*ASK, "-n", 2)

    assert (smaller.code, whole.code) == (3, 0)
    assert "incomplete" in smaller.err


def test_a_larger_quota_goes_on(call: Call) -> None:
    call(*ASK, "-n", 1)

    again = call(*ASK, "-n", 2)

    assert (again.code, "keeps its quota" in again.err) == (0, False)
    assert '"quota": 2' in shown(call)


def test_a_run_whose_scorings_all_crashed_ends_with_1_each_time(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_apply.py").write_text(BROKEN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    words = (*ASK, "--diff-apply", "broken_apply:algorithm", "--yes")

    codes = [call(*words).code for _ in range(3)]

    assert codes == [1, 1, 1]


@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--run-id", "another")], ids=["new", "dry", "beside another"])
def test_a_budget_below_one_call_is_refused_with_both_figures_and_no_run(call: Call, more: tuple[str, ...]) -> None:
    if "another" in more:
        call(*ASK)
    before = Path("evals.db").exists()

    done = call(*ASK, "--budget", 0.001, *more)

    assert done.code == 2
    assert re.fullmatch(
        r"evals: --budget: is \$0\.001, and a call of sim/any\?time=virtual may cost \$0\.\d{4} and more; lower .*\n",
        done.err,
    )
    assert Path("evals.db").exists() == before
    assert call("report", "another").code == 2


def test_a_small_budget_of_a_run_that_is_there_is_no_bad_input(call: Call) -> None:
    call(*ASK)
    again, more = call(*ASK, "--budget", 0.001), call(*ASK, "--budget", 0.001, "-n", 2)

    assert (again.code, more.code) == (0, 3)
    assert "of $0.001 left, the next call may cost $0." in more.err


def test_a_budget_that_the_prompt_exceeds_stops_the_run_and_names_both_figures(call: Call) -> None:
    done = call(*ASK, "--budget", 0.001, "--max-tokens", 1)

    assert done.code == 3
    assert "stopped: $0.0010 of $0.001 left, the next call may cost $0." in done.err
    assert "lower --max-tokens" in done.err
    with closing(sqlite3.connect("evals.db")) as connection:
        assert connection.execute("SELECT count(*) FROM answers").fetchone() == (0,)
