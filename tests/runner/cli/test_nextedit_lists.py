"""Several prompts and several algorithms in one run of `evals nextedit`: lanes, readings, comparisons, resuming."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from runner.cli import app
from runner.cli.nextedit_variables import NAMES
from runner.errors import InputError
from tests.nextedit import cases_folder, few_cases

FAST = "ttft_ms=0&gap_ms=0&time=virtual&prose=2"
# Writes diffs without an end, or with one too many, which v1 and v3 read differently.
MODEL = f"sim/any?{FAST}&applied=.4&malformed_diff=20"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    few_cases(Path("cases"))


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def asked(*words: object, model: str = MODEL) -> dict[str, Any]:
    done = call("nextedit", "--cases", "cases", "--sut", f"{model},rules", "--json", *words)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def rows(sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect("evals.db")) as connection:
        return connection.execute(sql).fetchall()


def figures(systems: dict[str, Any], name: str) -> dict[str, Any]:
    """The figures of a system but for its clocks, which are never the same."""
    found: dict[str, Any] = systems[name]["figures"]
    return {key: value for key, value in found.items() if not key.endswith("_ms")}


LISTS = ("--prompts", "nextedit/basic,strict", "--diff-apply", "v3,v1")


def test_each_prompt_is_a_lane_and_each_algorithm_reads_its_answers() -> None:
    found = asked(*LISTS)

    lanes = rows("SELECT sut, prompt, count(*) FROM lanes GROUP BY sut, prompt")
    scored = rows("SELECT diff_algorithm, count(DISTINCT answer_id), count(*) FROM scorings GROUP BY 1")
    assert set(lanes) == {(MODEL, "nextedit/basic", 3), (MODEL, "strict", 3), ("rules", "", 3)}
    assert [*found["systems"]] == [
        *(f"{MODEL} {prompt} {algorithm}" for prompt in ("nextedit/basic", "strict") for algorithm in ("v3", "v1")),
        "rules",
    ]
    ((of_v1, once), (of_v3, again)) = [row[1:] for row in sorted(scored) if row[0]]
    assert of_v1 == once == of_v3 == again > 0


def test_a_list_reads_answers_as_a_replay_by_its_algorithms_does() -> None:
    lists = asked(*LISTS, "--run-id", "one")
    replayed = call("replay", "--run-id", "one", "--diff-apply", "v1,v3", "--json")
    again = json.loads(replayed.stdout)["summary"]["nextedit"]

    names = [name for name in lists["systems"] if name != "rules"]
    assert {name: figures(lists["systems"], name) for name in names} == {name: figures(again, name) for name in names}


def test_the_first_algorithm_decides_which_edits_are_made() -> None:
    alone = asked("--diff-apply", "v1", "--db", "alone.db")
    first = asked("--diff-apply", "v1,v3")
    second = asked("--diff-apply", "v3,v1", "--db", "other.db")

    assert figures(alone["systems"], MODEL) == figures(first["systems"], f"{MODEL} v1")
    assert figures(first["systems"], f"{MODEL} v1") != figures(second["systems"], f"{MODEL} v1")


@pytest.mark.wide
def test_prompts_are_compared_in_pairs_by_commit_and_algorithms_on_the_same_answers() -> None:
    model = f"sim/any?{FAST}&applied=1&strict.applied=.1"
    found = asked("--cases", cases_folder(), *LISTS, model=model)
    table = call("compare", "latest", "--by", "prompt", "--db", "evals.db").stdout
    page = call("report", "latest", "--db", "evals.db").stdout

    prompts, algorithms = (
        [each for each in found["comparisons"] if each["by"] == by] for by in ("prompt", "algorithm")
    )
    pairs = {(pair["first"]["prompt"], pair["second"]["prompt"], pair["first"]["algorithm"]) for pair in prompts}
    assert pairs == {("nextedit/basic", "strict", name) for name in ("v3", "v1")}
    assert all(pair["cases"] == 13 and pair["shown"] for pair in prompts)
    assert [pair["flips"] is not None for pair in algorithms] == [True, True]
    assert "nextedit/basic - strict" in table
    assert "right by prompt, paired on 13 cases" in page


@pytest.mark.wide
def test_a_run_goes_on_with_the_same_lists_and_with_no_other() -> None:
    asked(*LISTS, "--run-id", "one")
    before = rows("SELECT count(*) FROM answers")

    again = call("nextedit", "--cases", "cases", "--sut", f"{MODEL},rules", *LISTS, "--run-id", "one")
    other = call("nextedit", "--cases", "cases", "--sut", f"{MODEL},rules", "--run-id", "one")

    assert again.exit_code == 0
    assert rows("SELECT count(*) FROM answers") == before
    assert isinstance(other.exception, InputError)
    assert "prompts was " in str(other.exception)
    assert "diff_apply was " in str(other.exception)


def test_the_cost_that_is_told_beforehand_holds_every_prompt() -> None:
    words = ("nextedit", "--cases", "cases", "--sut", "openai/gpt-4o-mini", "--dry-run", "--json")

    one, two = (json.loads(call(*words, "--prompts", names).stdout) for names in ("strict", "strict,basic"))

    assert (one["attempts"], two["attempts"]) == (3, 6)
    assert 2 * one["bound_usd"] < two["bound_usd"]


@pytest.mark.wide
def test_a_run_of_before_the_lists_is_read_and_goes_on() -> None:
    words = ("--prompts", "basic", "--diff-apply", "v4")
    first = asked(*words, "--run-id", "old")
    with closing(sqlite3.connect("evals.db")) as connection, connection:
        connection.execute(
            "UPDATE runs SET config = json_remove(json_set(config,"
            " '$.identity.prompt', json_extract(config, '$.identity.prompts[0]'),"
            " '$.identity.question', json_extract(config, '$.identity.question[0]'),"
            " '$.identity.diff_apply', json_extract(config, '$.identity.diff_apply[0]')),"
            " '$.identity.prompts', '$.identity.context')"
        )
        connection.execute("UPDATE variants SET signature = replace(signature, '|context touched', '')")
        connection.execute("DELETE FROM _sqlite_migrations WHERE name = 'm012_context'")

    again = asked(*words, "--run-id", "old")

    assert again["systems"] == first["systems"]
    assert all(row[0].endswith("|context touched") for row in rows("SELECT signature FROM variants"))
