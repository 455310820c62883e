"""`evals diagnose` counts the planted defects of recorded answers exactly, and asks nobody."""

import json
from pathlib import Path
from typing import Any

import pytest

from diff_apply.generate import diff_of
from runner.storage.store import Store
from tests.runner.cli.conftest import Call, call
from tests.runner.diagnosis.planted import (
    AFTER,
    BEFORE,
    DIFFS,
    FIRST,
    SECOND_BLOCK,
    block,
    edit,
    write_case,
    write_planted,
)
from tests.runner.diagnosis.planted import call as tool_call
from tests.runner.made_runs import make_run, plan, variant

__all__ = ["call"]

# Whether the file is the expected one once the cause is forgiven; v4 refuses the others in any case.
RIGHT = {
    "quotes and dashes",
    "invisible characters",
    "quotes and dashes + invisible characters",
    "elided lines",
    "a line off",
    "markers",
}
WRONG = {"several places"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cases"


def diagnosed(call: Call, *words: str) -> dict[str, Any]:
    done = call("diagnose", "latest", "--json", *words)
    assert done.code == 0, done.err
    data: dict[str, Any] = json.loads(done.out)
    return data


def score(call: Call, folder: Path, *words: str) -> None:
    done = call("diff", "--replay", "--cases", folder, "--json", *words)
    assert done.code in (0, 3), done.err


def causes(algorithm: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {" + ".join(row["cause"]): row for row in algorithm["causes"]}


def test_planted_defects_of_each_cause_are_counted_exactly(folder: Path, call: Call) -> None:
    counts = write_planted(folder, copies=lambda number: 1 + number % 3)
    for right in range(4):
        write_case(folder, f"right_{right}", tool_call(_right_diff()))
    score(call, folder)

    (v4,) = diagnosed(call)["algorithms"]

    assert {cause: row["answers"] for cause, row in causes(v4).items()} == counts
    assert (v4["answers"], v4["failed"]) == (sum(counts.values()) + 4, sum(counts.values()))


def _right_diff() -> str:
    return diff_of(BEFORE, AFTER)


def test_what_forgiving_a_cause_gives_is_right_wrong_or_no_result(folder: Path, call: Call) -> None:
    write_planted(folder, copies=lambda _number: 2)
    score(call, folder)

    (v4,) = diagnosed(call)["algorithms"]

    results = {cause: (row["right"], row["wrong"], row["unknown"]) for cause, row in causes(v4).items()}
    assert {cause for cause, result in results.items() if result == (2, 0, 0)} == RIGHT
    assert {cause for cause, result in results.items() if result == (0, 2, 0)} == WRONG
    assert all(result == (None, None, None) for cause, result in results.items() if cause not in RIGHT | WRONG)


def test_without_an_expected_file_a_result_is_unknown(folder: Path, call: Call) -> None:
    write_case(folder, "one", tool_call(DIFFS["markers"]), after=None)
    score(call, folder)

    row = causes(diagnosed(call)["algorithms"][0])["markers"]

    assert (row["right"], row["wrong"], row["unknown"]) == (0, 0, 1)


def test_what_an_algorithm_forgives_already_is_no_cause_for_it(folder: Path, call: Call) -> None:
    legacy = ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")
    write_case(folder, "legacy", tool_call(block(FIRST, edit(FIRST), legacy)), after=BEFORE.replace(FIRST, edit(FIRST)))
    write_case(folder, "reversed", tool_call(SECOND_BLOCK + block(FIRST, edit(FIRST))))
    score(call, folder, "--diff-apply", "v1,v3,v4")

    by_name = {algorithm["diff_algorithm"]: algorithm for algorithm in diagnosed(call)["algorithms"]}

    assert {name: algorithm["failed"] for name, algorithm in by_name.items()} == {"v1": 2, "v3": 0, "v4": 0}
    assert set(causes(by_name["v1"])) == {"markers", "block order"}


def test_nothing_is_asked_and_nothing_is_written(folder: Path, call: Call) -> None:
    write_planted(folder, copies=lambda _number: 1)
    score(call, folder)
    before = Path("evals.db").read_bytes()

    diagnosed(call)

    assert Path("evals.db").read_bytes() == before


def test_each_failure_names_its_blocks_and_where_they_would_match(folder: Path, call: Call) -> None:
    write_case(folder, "one", tool_call(DIFFS["quotes and dashes"]))
    score(call, folder)

    (failure,) = diagnosed(call)["failures"]

    assert failure["blocks"] == [{"block": 1, "cause": ["quotes and dashes"], "line": 2}]
    assert (failure["case_id"], failure["outcome"], failure["right"]) == ("one", "no_match", True)


def test_the_table_says_which_leniency_pays_or_that_none_does(folder: Path, call: Call) -> None:
    write_case(folder, "one", tool_call(DIFFS["quotes and dashes"]))
    write_case(folder, "two", tool_call(DIFFS["stale or imagined text"]))
    score(call, folder)
    score(call, folder, "--max-cases", "1")

    both = call("diagnose", "latest", "--markdown").out

    assert "| quotes and dashes | 1 | 1 | 1 | 1 | 0 | 0 |" in both
    assert "v4: forgiving quotes and dashes would gain 1 and break 0" in both


def test_no_leniency_that_gains_anything_is_one_line(folder: Path, call: Call) -> None:
    write_case(folder, "two", tool_call(DIFFS["stale or imagined text"]))
    score(call, folder)

    assert "v4: no leniency is known to gain an answer" in call("diagnose", "--markdown").out


@pytest.mark.parametrize("option", ["--model", "--prompt", "--diff"])
def test_an_unknown_name_to_choose_by_is_one_line_with_the_known_ones(folder: Path, call: Call, option: str) -> None:
    write_case(folder, "one", tool_call(DIFFS["markers"]))
    score(call, folder)

    done = call("diagnose", "latest", option, "nowhere")

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"{option}: run " in done.err
    assert {"--model": "recorded", "--prompt": "basic", "--diff": "v4"}[option] in done.err


def test_a_run_without_blocks_is_refused(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store.open(tmp_path / "evals.db")
    make_run(store, planned=plan(variants=[variant(algorithm="")], suite="codrep"))
    store.close()

    done = call("diagnose")

    assert done.code == 2
    assert "diagnose a run of `evals diff`" in done.err
