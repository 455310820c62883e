"""Further turns after refused edits: planted shares are found, the first turn is what it was, a stop costs no turn."""

import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Any

import pytest

from runner.calls import NATIVE, calls_of, plain_name
from runner.records import REPAIR
from runner.report.summary import summarize
from runner.storage.ledger import LaneKey, Question
from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.plan import plan
from runner.suites.diff_edit.sim_truth import truth_of
from runner.view.attempt_view import attempt_view
from runner.view.filters import ViewFilter
from runner.view.run_figures import run_figures
from suts.simulated.models import plan as answered
from suts.simulated.spec import parse_spec
from tests.in_process import Ended, evals
from tests.runner.suites.made_cases import case_json

MODEL = "sim/any?valid=.8&applied=.3&repairs=.6&bad_arguments=2&time=virtual"
VARIANTS = ("--calls", "xml,native", "--edit-tool", "replace-in-file,text-editor,hashline")
TURNS = 3
LINES = "".join(f"value_{at} = compute({at})\n" for at in range(12)) + "pass\npass\n"
SCORINGS = """
SELECT t.sut, t.prompt, t.case_id, t.number, t.diff_algorithm, t.outcome, s.detail
FROM attempts t JOIN scorings s USING (scoring_id) WHERE t.run_id = ? ORDER BY t.prompt, t.case_id, t.number"""
ENDED = "SELECT case_id, number, t.outcome, s.detail FROM attempts t JOIN scorings s USING (scoring_id) ORDER BY 1, 2"
ANSWERED = """
SELECT sum(outcome = 'answered'),
    count(DISTINCT iif(outcome = 'answered', lane_id * 1000 + number * 10 + step, NULL)),
    sum(outcome = 'lost' AND mode = 'repair') FROM answers"""
# What the reports and the export of a run count of a first turn.
FIRST_TURNS = """
SELECT prompt, parser, diff_algorithm, case_id, number, outcome, valid, solved, equals_expected, num_edits, lines_added,
    lines_removed, error_text, first_token_ms, first_edit_ms, first_line_ms, closed_ms, input_tokens, output_tokens
FROM attempts WHERE run_id = ? ORDER BY prompt, case_id, number"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with cases, and a run of them whose refused edits were sent back."""
    folder = tmp_path_factory.mktemp("recovery")
    (folder / "cases").mkdir()
    for at in range(4):
        expected = LINES.replace(f"compute({at + 2})", "compute(55)")
        (folder / "cases" / f"{at}.json").write_text(case_json(f"case{at}", LINES, expected_contents=expected))
    assert diff(folder, "--run-id", "further", "--recover", TURNS - 1).returncode == 0
    return folder


def diff(folder: Path, *words: object) -> Ended:
    return evals("diff", MODEL, "--cases", "cases", "-n", 3, "--seed", 7, "--parallel", *VARIANTS, *words, cwd=folder)


def rows_of(folder: Path, sql: str, *values: object) -> list[dict[str, Any]]:
    with closing(Store.open(folder / "evals.db", create=False)) as store:
        return [dict(row) for row in store.rows(sql, *values)]  # type: ignore[arg-type]  # values of columns


def found(row: dict[str, Any]) -> list[str]:
    """The outcomes of the turns of an attempt on record."""
    return [row["outcome"], *(turn["outcome"] for turn in json.loads(row["detail"] or "{}").get("turns", ()))]


def planted(folder: Path) -> Iterator[tuple[tuple[object, ...], list[str]]]:
    """The outcomes of the turns of each attempt on record, as its model is known to answer."""
    options = DiffOptions(cases=folder / "cases", model_ids=MODEL, calls="xml,native", edit_tool=VARIANTS[-1])
    detail = plan(options, lambda _line: None).detail
    truth, spec = truth_of(detail.cases, 7, detail.choice), parse_spec(MODEL)
    for row in rows_of(folder, SCORINGS, "further"):
        lane, turns = LaneKey(row["sut"], row["prompt"], row["case_id"]), list[str]()
        while len(turns) < TURNS and (not turns or is_refused(turns[-1])):
            question = Question(lane, len(turns), REPAIR if turns else "", row["number"])
            known = truth(question)
            assert known is not None
            prompt = plain_name(lane.prompt)
            made = answered(spec, replace(known, prompt=prompt), native=calls_of(lane.prompt) == NATIVE)
            turns.append(made.outcome)
        yield (row["prompt"], row["case_id"], row["number"]), turns


def is_refused(outcome: str) -> bool:
    return outcome in {"no_match", "ambiguous", "malformed_diff", "missing_diff", "truncated", "bad_arguments"}


def test_the_planted_share_of_repairs_is_found_turn_by_turn(folder: Path) -> None:
    expected = dict(planted(folder))

    turns = {(row["prompt"], row["case_id"], row["number"]): found(row) for row in rows_of(folder, SCORINGS, "further")}

    assert turns == expected
    lengths = Counter(len(outcomes) for outcomes in turns.values())
    assert set(lengths) == {1, 2, 3}
    assert {prompt for (prompt, _, _), outcomes in turns.items() if len(outcomes) > 1} == {
        "basic", "native/basic", "text-editor", "native/text-editor", "hashline", "native/hashline",
    }  # fmt: skip


def test_the_report_counts_each_turn_as_it_was_planted(folder: Path) -> None:
    valid = {"applied", "applied_nothing"}
    expected: Counter[tuple[str, int, str]] = Counter()
    for (prompt, _, _), outcomes in planted(folder):
        if is_refused(outcomes[0]) or outcomes[0] in valid:
            expected.update((str(prompt), turn, "requests") for turn in range(1, len(outcomes) + 1))
            expected[str(prompt), len(outcomes), "repaired"] += outcomes[-1] == "applied"

    report = json.loads(evals("report", "further", "--json", cwd=folder).stdout)

    counted = {
        (row["prompt"], row["turn"], name): row[name] for row in report["turns"] for name in ("requests", "repaired")
    }
    assert {key: count for key, count in counted.items() if count} == dict(+expected)
    shares = {(row["prompt"], row["turn"]): row["right"]["estimate"] for row in report["turns"]}
    assert all(shares[prompt, turn] <= shares[prompt, turn + 1] for prompt, turn in shares if turn < TURNS)
    assert all(row["stopped"] == 0 and row["ms"] > 0 for row in report["turns"] if row["requests"])


def test_the_first_turn_stays_what_it_was_and_without_the_option_there_is_no_other(folder: Path) -> None:
    assert diff(folder, "--run-id", "plain").returncode == 0

    assert rows_of(folder, FIRST_TURNS, "further") == rows_of(folder, FIRST_TURNS, "plain")
    plain, further = (json.loads(evals("report", run, "--json", cwd=folder).stdout) for run in ("plain", "further"))
    assert "turns" not in plain
    for one, other in zip(plain["variants"], further["variants"], strict=True):
        # Costs are summed in the order in which answers came.
        costs = {"cost_usd": pytest.approx(one["cost_usd"])}
        assert other | costs == one | costs
    modes = rows_of(folder, "SELECT DISTINCT run_id, mode FROM answers JOIN lanes USING (lane_id) ORDER BY 1, 2")
    assert [(row["run_id"], row["mode"]) for row in modes] == [("further", ""), ("further", REPAIR), ("plain", "")]
    assert rows_of(folder, "SELECT 1 FROM scorings WHERE run_id = 'plain' AND detail IS NOT NULL") == []


def test_a_replay_goes_on_while_its_message_is_the_one_that_was_sent(folder: Path) -> None:
    same = json.loads(evals("replay", "--run-id", "further", "--json", cwd=folder).stdout)["run_id"]
    other = json.loads(evals("replay", "--run-id", "further", "--diff-apply", "v2", "--json", cwd=folder).stdout)[
        "run_id"
    ]

    recorded = rows_of(folder, SCORINGS, "further")
    assert rows_of(folder, SCORINGS, same) == recorded
    by_v2 = [row for row in rows_of(folder, SCORINGS, other) if row["diff_algorithm"] == "v2"]
    known = {(row["prompt"], row["case_id"], row["number"]): row for row in recorded}
    stops = Counter[str]()
    for row in by_v2:
        before = known[row["prompt"], row["case_id"], row["number"]]
        stopped = json.loads(row["detail"] or "{}").get("stopped")
        assert len(found(row)) <= len(found(before))
        stops[stopped["why"] if stopped else ""] += 1
        if stopped:
            assert stopped["after"] == len(found(row))
    assert set(stops) == {"", "its message would have differed"}
    shown = evals("show", other, "--failed", "--diff", "v2", cwd=folder).stdout
    assert "after turn 1: stopped: its message would have differed" in shown


def test_a_turn_is_shown_with_its_end_its_time_and_its_error(folder: Path) -> None:
    shown = evals("show", "further", "--failed", "--prompt", "basic", cwd=folder).stdout

    assert "turn 2: right: applied, " in shown
    assert "turn 2: failed: " in shown


@pytest.mark.parametrize(
    "words, why",
    [
        pytest.param(("sim/careful", "--recover", "-1"), "--recover", id="negative"),
        pytest.param(("--replay", "--recover", "1"), "recorded messages", id="recorded"),
        pytest.param(("agent:true", "--recover", "1"), "is an agent", id="an-agent"),
    ],
)
def test_where_no_turn_can_follow_the_option_is_refused(folder: Path, words: tuple[str, ...], why: str) -> None:
    ended = evals("diff", "--cases", "cases", *words, cwd=folder)

    assert ended.returncode == 2
    assert why in ended.stderr


@pytest.mark.slow
def test_a_run_killed_between_turns_resumes_at_the_turn(folder: Path, tmp_path: Path) -> None:
    words = ["diff", "sim/any?applied=.1&repairs=.2&ttft_ms=200", "--cases", str(folder / "cases"), "--recover", "2"]
    words += ["-n", "3", "--run-id", "r", "--parallel", "--yes"]
    whole_run = evals(*words, "--db", "whole.db", cwd=tmp_path)
    command = [str(Path(sys.executable).parent / "evals"), *words, "--db", "killed.db"]
    flying = "SELECT count(*) FROM answers WHERE mode = 'repair' AND outcome = 'in_flight'"
    with Popen(command, cwd=tmp_path, stdout=DEVNULL, stderr=DEVNULL) as process:
        while not (count := counted(tmp_path / "killed.db", flying)):
            assert process.poll() is None
        process.kill()
    done = counted(tmp_path / "killed.db", "SELECT count(*) FROM answers WHERE outcome = 'answered'")
    resumed = evals(*words, "--db", "killed.db", cwd=tmp_path)

    assert (whole_run.returncode, resumed.returncode) == (0, 0)
    assert count > 0
    assert done > 0
    killed, whole_rows = (queried(tmp_path / f"{name}.db", ENDED) for name in ("killed", "whole"))
    assert killed == whole_rows
    ((answers, questions, lost),) = queried(tmp_path / "killed.db", ANSWERED)
    assert answers == questions
    assert lost > 0


def queried(db: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True, timeout=10)) as connection:
        return connection.execute(sql).fetchall()


def counted(db: Path, sql: str) -> int:
    """A count in a database that may still be in the making."""
    try:
        return int(queried(db, sql)[0][0])
    except sqlite3.OperationalError:
        return 0


@pytest.mark.slow
def test_turns_go_with_their_run_into_bundles_and_out_of_shards(folder: Path) -> None:
    bundled = [
        evals("bundle", "further", "--out", "further.bundle", cwd=folder),
        evals("verify", "further.bundle", cwd=folder),
        evals("import", "further.bundle", "--db", "copy.db", cwd=folder),
    ]
    shards = [diff(folder, "--recover", 2, "--run-id", "s", "--shard", f"{at}/2", "--db", f"{at}.db") for at in (1, 2)]
    merged = evals("merge", "merged.db", "1.db", "2.db", cwd=folder)

    assert [ended.returncode for ended in (*bundled, *shards, merged)] == [0] * 6
    expected = rows_of(folder, SCORINGS, "further")
    with closing(Store.open(folder / "copy.db", create=False)) as store:
        assert [dict(row) for row in store.rows(SCORINGS, "further")] == expected
    with closing(Store.open(folder / "merged.db", create=False)) as store:
        assert [dict(row) for row in store.rows(SCORINGS, "s")] == expected
        turns = json.loads(evals("report", "s", "--json", "--db", "merged.db", cwd=folder).stdout)["turns"]
    assert turns == json.loads(evals("report", "further", "--json", cwd=folder).stdout)["turns"]


def test_the_pages_count_first_turns_and_show_the_others_with_their_attempt(folder: Path) -> None:
    with closing(Store.open(folder / "evals.db", create=False)) as store:
        run = find_run(store, "further")
        pages = {variant.prompt: variant for variant in run_figures(store, run, ViewFilter({})).variants}
        for variant in summarize(store, run).variants:
            assert pages[variant.prompt].tokens["output_tokens"] == variant.tokens["output_tokens"]
        (row,) = store.rows("SELECT * FROM scorings WHERE run_id = 'further' AND detail LIKE '%\"turn\":3%' LIMIT 1")
        facts = dict(attempt_view(store, run, row).facts)

    assert {"turn 2", "turn 3"} <= facts.keys()
