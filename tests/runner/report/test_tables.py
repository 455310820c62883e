"""A report in words: what a model wrote stays in its cell, and simulated numbers are called so."""

import re

import pytest

from runner.document import Document, Table, markdown
from runner.records import Outcome
from runner.report.summary import summarize
from runner.report.tables import SIMULATED, document, number, percent, usd
from runner.stats.intervals import Interval
from runner.storage.runs import CaseRow, find_run
from runner.storage.store import Store
from tests.runner.made_runs import Made, make_run, plan, variant


def shown(store: Store) -> Document:
    return document(summarize(store, find_run(store, "r1")))


def column(table: Table, name: str) -> list[str]:
    index = table.columns.index(name)
    return [row[index] for row in table.rows]


def test_a_report_has_results_outcomes_and_costs(store: Store) -> None:
    make_run(store)
    made = Made(store)
    answer = made.answer(made.lane("a"), list_cost_usd=0.5, first_token_ms=120.0, round_trip_ms=2500.0)
    made.scoring(answer, Outcome.APPLIED, equals_expected=True)
    made.scoring(made.answer(made.lane("b"), list_cost_usd=0.25), Outcome.NO_MATCH, equals_expected=False)

    results, outcomes, costs = shown(store).tables

    assert re.fullmatch(r"50\.0 \[\d+\.\d, \d+\.\d\]", column(results, "right [95 %]")[0])
    assert [column(results, name) for name in ("wrong", "applied", "valid")] == [["0.0"], ["50.0"], ["100.0"]]
    assert (column(outcomes, "cases"), column(outcomes, "attempts")) == (["2"], ["2"])
    assert (column(outcomes, "applied"), column(outcomes, "no_match")) == (["1"], ["1"])
    assert column(costs, "first token") == ["120 ms / 120 ms"]
    assert column(costs, "round trip") == ["2.50 s / 2.50 s"]
    assert (column(costs, "cost"), column(costs, "per valid")) == (["$0.7500"], ["$0.3750"])


def test_the_algorithm_that_writes_the_answer_into_the_file_is_applied_and_never_right(store: Store) -> None:
    make_run(store, planned=plan(variants=[variant(), variant(algorithm="v1")]))
    made = Made(store)
    answer = made.answer(made.lane("a"))
    made.scoring(answer, Outcome.APPLIED, equals_expected=True)
    made.scoring(answer, Outcome.APPLIED, diff_algorithm="v1", equals_expected=False)

    results, *_ = shown(store).tables

    assert column(results, "diff") == ["v4", "v1"]
    assert [cell.split(" ")[0] for cell in column(results, "right [95 %]")] == ["100.0", "0.0"]
    assert column(results, "wrong") == ["0.0", "100.0"]
    assert column(results, "applied") == ["100.0", "100.0"]


def test_without_an_expected_file_nothing_is_right_or_wrong(store: Store) -> None:
    make_run(store)
    Made(store).attempt("a", 1, Outcome.APPLIED)

    results, *_ = shown(store).tables

    assert [column(results, name) for name in ("right [95 %]", "wrong", "applied")] == [["-"], ["-"], ["100.0"]]


def test_algorithms_share_their_answers_clocks_and_costs(store: Store) -> None:
    make_run(store, planned=plan(variants=[variant(), variant(algorithm="v1")]))

    results, _, costs = shown(store).tables

    assert (len(results.rows), len(costs.rows)) == (2, 1)


@pytest.mark.parametrize("simulated", [True, False])
def test_simulated_numbers_are_called_simulated(store: Store, simulated: bool) -> None:
    make_run(store, planned=plan(variants=[variant(simulated=simulated)]))

    report = shown(store)

    assert (SIMULATED in report.notes) == simulated
    assert ("(simulated)" in report.tables[0].rows[0][0]) == simulated


def test_what_is_missing_is_said_in_notes(store: Store) -> None:
    cases: list[str | CaseRow] = [*(f"c{index:02}" for index in range(23)), CaseRow("long", "d", skipped="too long")]
    make_run(store, planned=plan(cases=cases))
    made = Made(store)
    made.lane("c00", state="capped")
    made.answer(made.lane("c01", state="abandoned"), 1, None, outcome="timeout")
    made.attempt("c02", 1, Outcome.CRASHED)

    notes = "\n".join(shown(store).notes)

    assert "infrastructure, in no rate: test/scripted: 1 timeout" in notes
    assert "capped before the quota of 1: c00 (test/scripted, basic)" in notes
    assert "abandoned before the quota of 1: c01" in notes
    assert "c06 (test/scripted, basic) and 16 more" in notes
    assert "1 scorings crashed" in notes
    assert "skipped: too long: long" in notes


@pytest.mark.parametrize(
    "text, cell",
    [
        pytest.param("a | b", r"a \| b", id="a bar"),
        pytest.param("a \\| b", r"a \\\| b", id="a bar that is escaped already"),
        pytest.param("<script>", "&lt;script>", id="a tag"),
        pytest.param("one\ntwo\r\nthree\rfour\x0bfive\u2028six", "one two three four five six", id="line ends"),
    ],
)
def test_nothing_breaks_out_of_a_cell(text: str, cell: str) -> None:
    written = markdown(Document("title", (Table("table", ("model",), ((text,),)),), (text,)))

    assert f"| {cell} |" in written
    assert written.endswith(f"- {cell}\n")
    assert all(line.count("|") - line.count("\\|") in {0, 2} for line in written.split("\n"))


@pytest.mark.parametrize(
    "amount, words",
    [(None, "unknown"), (0.0, "$0.0000"), (0.01234, "$0.0123"), (123.456, "$123.46")],
)
def test_money_has_the_digits_that_matter(amount: float | None, words: str) -> None:
    assert usd(amount) == words


def test_an_interval_is_shown_or_a_dash() -> None:
    found = Interval(0.935, 0.89, 0.963)

    assert (percent(found), percent(None)) == ("93.5% [89.0, 96.3]", "-")
    assert (number(found), number(None)) == ("0.935 [0.890, 0.963]", "-")
