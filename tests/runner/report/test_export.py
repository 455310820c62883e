"""A run as flat records: every promised field, nothing that a spreadsheet would run."""

import csv
import io
import json
from pathlib import Path

import pytest

from runner.records import Outcome
from runner.report.export import as_csv, as_jsonl, records
from runner.storage.store import Store
from tests.runner.made_runs import SUT, Made, make_run, plan, variant
from tests.runner.real_runs import real_run
from tests.runner.suites.made_cases import AFTER, block, call

PROMISED = """run_id, variant, model_id, prompt, prompt_digest, parser, diff_algorithm, case_id, number, outcome, class,
    valid, applied, equals_expected, num_edits, error_text, parsed_calls, time_to_first_token_ms, time_to_first_edit_ms,
    round_trip_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_usd, raw_output"""
FIELDS = {name.strip() for name in PROMISED.split(",")}


@pytest.fixture
def made(store: Store) -> Made:
    make_run(store, planned=plan(variants=[variant(), variant(algorithm="v1")]))
    return Made(store)


def test_every_promised_field_is_there_for_scored_and_unscored_alike(made: Made) -> None:
    made.attempt("a", 1, Outcome.APPLIED)
    made.answer(made.lane("b"), 1, None, outcome="timeout")

    scored, unscored = records(made.store, "r1")

    assert (scored["outcome"], unscored["outcome"]) == ("applied", "timeout")
    assert scored.keys() >= FIELDS
    assert scored.keys() == unscored.keys()


def test_a_real_run_is_exported_as_it_was(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", {"one": [call(block("one\ntwo\nthrice")), call()]}, quota=2)

    failed, solved = records(store, "r1")

    assert (failed["outcome"], failed["valid"], failed["applied"], failed["solved"]) == ("no_match", True, False, False)
    assert failed["blocks"]["nearest"] is not None
    assert (failed["class"], solved["class"]) == ("failed", "applied ?")
    assert (solved["outcome"], solved["raw_output"], solved["edited_file"]) == ("applied", call(), AFTER)
    assert solved["parsed_calls"] == [
        {"name": "replace_in_file", "input": {"path": "src/a.txt", "diff": block().strip("\n")}}
    ]
    assert (solved["input_tokens"], solved["output_tokens"], solved["finish_reason"]) == (100, 20, "stop")
    assert solved["request"]["max_tokens"] == 8192
    assert solved["time_to_first_token_ms"] <= solved["time_to_first_edit_ms"] <= solved["round_trip_ms"]


def test_each_scoring_is_a_record_of_its_own_with_its_variant(made: Made) -> None:
    answer_id = made.answer(made.lane("a"), provider_cost_usd=0.5, list_cost_usd=9.0)
    made.scoring(answer_id, Outcome.APPLIED)
    made.scoring(answer_id, Outcome.NO_MATCH, diff_algorithm="v1", equals_expected=False)

    found = {record["diff_algorithm"]: record for record in records(made.store, "r1")}

    assert "|v4@" in found["v4"]["variant"]
    assert "|v1@" in found["v1"]["variant"]
    assert (found["v1"]["equals_expected"], found["v4"]["equals_expected"]) == (False, None)
    assert {record["cost_usd"] for record in found.values()} == {0.5}
    assert {record["prompt_digest"] for record in found.values()} == {"11111111"}


def test_an_infrastructure_outcome_counts_for_nothing_but_says_why(made: Made) -> None:
    made.answer(made.lane("a"), 3, None, outcome="sut_error", error_kind="server", error_text="500: sorry", retries=7)

    (record,) = records(made.store, "r1")

    assert (record["model_id"], record["number"], record["outcome"]) == (SUT, 3, "sut_error")
    assert (record["error_text"], record["retries"]) == ("500: sorry", 7)
    assert (record["valid"], record["applied"], record["raw_output"], record["cost_usd"]) == (False, False, None, None)


def test_records_of_one_case_are_those_of_the_run(made: Made) -> None:
    made.attempt("a", 1, Outcome.APPLIED)
    made.attempt("b", 1, Outcome.APPLIED)
    made.answer(made.lane("b"), 2, None, outcome="lost")

    assert [record["case_id"] for record in records(made.store, "r1", "b")] == ["b", "b"]
    assert list(records(made.store, "another")) == []


def test_a_call_that_is_still_under_way_is_no_record(made: Made) -> None:
    made.answer(made.lane("a"), 1, None, outcome="in_flight")

    assert list(records(made.store, "r1")) == []


def test_each_line_of_jsonl_is_a_record_whatever_the_model_wrote(made: Made) -> None:
    text = 'line\u2028separator, "quotes"\n\x00 and half a pair \ud83d'
    answer_id = made.answer(made.lane("a"), text=text)
    made.scoring(answer_id, Outcome.NO_CALL, edited=text)

    lines = "".join(as_jsonl(records(made.store, "r1"))).split("\n")

    assert lines[1:] == [""]
    assert json.loads(lines[0])["raw_output"] == text.replace("\ud83d", "?")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0"])
def test_no_cell_of_csv_begins_a_formula(made: Made, text: str) -> None:
    answer_id = made.answer(made.lane("a"), text=text)
    made.scoring(answer_id, Outcome.NO_CALL, error_text=text)

    (row,) = csv.DictReader(io.StringIO("".join(as_csv(records(made.store, "r1"))), newline=""))

    assert (row["raw_output"], row["error_text"]) == (f"'{text}", f"'{text}")


def test_csv_comes_back_as_it_was_written(made: Made) -> None:
    text = 'a, "quoted"\nsecond line; é🙂, half a pair \ud83d'
    made.scoring(made.answer(made.lane("a"), text=text), Outcome.NO_CALL, num_edits=-1)
    made.attempt("b", 1, Outcome.APPLIED)

    rows = list(csv.DictReader(io.StringIO("".join(as_csv(records(made.store, "r1"))), newline="")))

    assert len(rows) == 2
    assert rows[0]["raw_output"] == text.replace("\ud83d", "?")
    assert json.loads(rows[0]["request"]) == {"max_tokens": 8192}
    assert (rows[0]["num_edits"], rows[0]["valid"]) == ("-1", "False")
