"""The page of a run: its sections, what they say, and that all of it can be read without scripts."""

from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.pages import causes, rendering
from runner.pages.rendering import MOST_BYTES, rendered, write_page
from runner.records import Outcome
from runner.storage.ledger import LaneKey
from runner.storage.overflows import put_overflows
from runner.storage.runs import CaseRow
from runner.storage.store import Store
from tests.runner.made_runs import SUT, Made, make_run, plan, variant
from tests.runner.pages.html_reading import Node
from tests.runner.pages.made_pages import CASES, document, page, three_models
from tests.runner.real_runs import real_run
from tests.runner.suites.made_cases import block, call

SECTIONS = (
    "ranking",
    "differences",
    "cost",
    "outcomes",
    "causes",
    "algorithms",
    "cases",
    "failures",
    "tables",
    "method",
)


def cells(section: Node) -> list[list[str]]:
    return [[cell.text.strip() for cell in row.all() if cell.tag in {"th", "td"}] for row in section.all("tr")]


def verdict(root: Node) -> str:
    (node,) = [node for node in root.all("p") if node.attributes.get("class") == "verdict"]
    return node.text


def test_every_section_is_there_and_every_link_leads_to_one(store: Store) -> None:
    three_models(store)

    root = document(store)

    ids = [node.attributes["id"] for node in root.all() if "id" in node.attributes]
    assert len(ids) == len(set(ids))
    assert set(SECTIONS) <= set(ids)
    assert {node.attributes["href"][1:] for node in root.all("a")} <= set(ids)
    assert {node.attributes["aria-labelledby"] for node in root.all() if "aria-labelledby" in node.attributes} <= set(
        ids
    )


def test_charts_have_a_sentence_and_scroll_boxes_a_name(store: Store) -> None:
    three_models(store)

    root = document(store)

    pictures = [node for node in root.all("svg") if "aria-hidden" not in node.attributes]
    assert pictures
    assert all(node.attributes["role"] == "img" and node.attributes["aria-label"].strip() for node in pictures)
    boxes = [node for node in root.all() if "tabindex" in node.attributes]
    assert all(node.attributes["role"] == "region" and node.attributes["aria-label"] for node in boxes)


def test_the_ranking_has_the_figures_of_the_report(store: Store) -> None:
    three_models(store)

    head, *rows = cells(document(store).by_id("ranking"))

    columns = {name: at for at, name in enumerate(head)}
    assert [row[0] for row in rows] == ["1=", "", "1=", "", "3", ""]
    shown = [(row[columns["model"]], row[columns["diff"]], row[columns["right"]]) for row in rows]
    assert shown == [
        ("test/a", "v4", "100.0"), ("test/a, same answers", "v1", "91.7"),
        ("test/b", "v4", "75.0"), ("test/b, same answers", "v1", "66.7"),
        ("test/c", "v4", "16.7"), ("test/c, same answers", "v1", "8.3"),
    ]  # fmt: skip
    assert rows[0][columns["first edit, ms"]] == "155"
    assert rows[0][columns["$ per valid"]] == "$0.1200"


@pytest.mark.parametrize(
    "right, sentence",
    [
        pytest.param((12, 2, 1), "test/a, basic, v4 is right most often: 100.0%", id="best"),
        pytest.param((12, 11, 1), "No difference shown to test/b.", id="tied"),
    ],
)
def test_the_page_says_who_is_best_only_where_it_is_shown(
    store: Store, right: tuple[int, int, int], sentence: str
) -> None:
    three_models(store, right=right)

    assert sentence in verdict(document(store))


def test_each_comparison_has_its_sentence(store: Store) -> None:
    three_models(store)

    section = document(store).by_id("differences").text

    assert "right by model, paired on 12 cases; Holm over 6" in section
    assert "test/a is better than test/c by 83.3 points" in section
    assert "no difference shown" in section


def test_the_frontier_holds_what_nothing_beats_on_both_axes(store: Store) -> None:
    three_models(store, right=(12, 12, 2))

    section = document(store).by_id("cost").text

    # The two best cost as much; the worst costs least.
    assert "On the frontier: test/c, test/a, test/b." in section
    assert "USD per valid attempt, log" in section


def test_simulated_models_are_said_to_be_simulated_everywhere(store: Store) -> None:
    three_models(store, simulated=True)

    root = document(store)

    assert next(root.all("title")).text == "diff_edit run r1 (simulated)"
    assert "All models of this run are simulated: no number is a real model's." in root.text
    assert "output tokens per valid attempt, log (simulated)" in root.by_id("cost").text
    tags = [node.text for node in root.by_id("ranking").all("span") if node.attributes.get("class") == "tag"]
    assert tags == ["simulated"] * 3


def test_outcomes_count_what_the_report_counts(store: Store) -> None:
    three_models(store)

    head, *rows = cells(document(store).by_id("outcomes"))

    assert head == ["variant", "share", "right", "wrong", "crashed", "of"]
    assert [row[2:] for row in rows][:2] == [["12", "0", "0", "12"], ["11", "1", "0", "12"]]


def test_algorithms_are_compared_on_the_same_answers(store: Store) -> None:
    three_models(store)

    section = document(store).by_id("algorithms").text

    assert section.count("1 gained and 0 lost by v4 against v1; ") == 3
    assert "11 right by both, 0 by neither" in section
    assert "evals show r1 --flip v1:v4" in section


def test_cases_stand_hardest_first_with_their_counts(store: Store) -> None:
    three_models(store)

    head, *rows = cells(document(store).by_id("cases"))

    assert head == ["case", "right, %", "test/a", "test/b", "test/c"]
    assert rows[0] == ["c09", "33", "1/1", "0/1", "0/1"]
    assert rows[-1] == ["c01", "100", "1/1", "1/1", "1/1"]


def test_many_cases_are_drawn_as_squares(store: Store) -> None:
    cases = [f"case {number}" for number in range(70)]
    make_run(store, "r1", plan(cases))
    for case_id in cases:
        Made(store).scoring(Made(store).answer(Made(store).lane(case_id)), Outcome.APPLIED, equals_expected=True)

    section = document(store).by_id("cases")

    squares = [node for node in section.all("rect") if node.attributes["class"] == "h3"]
    assert len(squares) == 70
    assert not list(section.all("table"))


def test_a_failure_has_its_cause_its_block_beside_the_file_and_its_command(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", {"one": [call(block("one\ntwo\nthrice"))]})

    section = document(store).by_id("failures")

    (failure,) = section.all("details")
    assert "failed: no_match" in next(failure.all("summary")).text
    assert "a line off" in next(failure.all("summary")).text
    assert "SEARCH of block 1 of 1; line 1 of the file, alike 0.83" in failure.text
    assert ["thrice", "three"] in cells(failure)
    assert [mark.text for mark in failure.all("mark")] == ["ic", "e"]
    assert "evals show r1 one 1 --model test/scripted --prompt basic --diff v4 --full" in failure.text


def test_causes_are_those_of_the_diagnosis(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", {"one": [call(block("one\ntwo\nthrice"))], "two": [call()]})

    section = document(store).by_id("causes")

    assert "1 of 2 answers failed under v4, parser xml-tools-v2." in section.text
    assert cells(section)[1][:3] == ["a line off", "", "1"]


def test_a_section_without_data_says_why_in_a_line(store: Store) -> None:
    make_run(store, "r1", plan(["a"]))

    root = document(store)

    assert verdict(root) == "No valid attempt is on record: there is nothing to rank."
    assert "Nothing to compare: one variant" in root.by_id("differences").text
    assert "No answer has a time to its first edit." in root.by_id("cost").text
    assert "No attempt failed." in root.by_id("failures").text
    assert "No case has an attempt that can be judged." in root.by_id("cases").text


def test_the_method_names_digests_endpoints_versions_and_what_was_left_out(store: Store) -> None:
    make_run(store, "r1", plan([CaseRow("a", "digest"), CaseRow("big", "digest", skipped="too large")]))
    made = Made(store)
    made.answer(made.lane("a", state="capped"), 1, None, outcome="timeout")

    section = document(store).by_id("method").text

    for fact in ("basic@11111111", "v4@33333333", "https://scripted.example", "cccccccccccc", "0.0.0"):
        assert fact in section
    assert "infrastructure: test/scripted: 1 timeout" in section
    assert "capped before the quota: a (test/scripted, basic)" in section
    assert "case big skipped: too large" in section


def test_the_method_names_what_settled_or_was_too_long(store: Store) -> None:
    make_run(store, "r1", plan(["a", "b"]))
    made = Made(store)
    made.scoring(made.answer(made.lane("a", state="capped", settled_at=1)), Outcome.NO_CALL)
    put_overflows(store, "r1", [(LaneKey(SUT, "basic", "b"), "9000 tokens are more than its window")])

    left_out, _ = document(store).by_id("method").text.split("Notes of the report")

    assert "settled by the same invalid answer twice, at temperature 0, before the quota: a (test/scripted" in left_out
    assert "too long, in no rate: 1 of test/scripted: 9000 tokens are more than its window: b (basic)" in left_out
    assert "every case has its quota" not in left_out


def test_several_runs_stand_on_one_page_and_are_compared(store: Store) -> None:
    three_models(store, "r1")
    three_models(store, "r2", right=(12, 1, 1))

    root = document(store, "r1", "r2")

    ids = [node.attributes["id"] for node in root.all() if "id" in node.attributes]
    assert len(ids) == len(set(ids))
    assert {"r1-ranking", "r2-ranking", "across"} <= set(ids)
    assert "by run, paired on 12 cases" in root.by_id("across").text


def test_a_replay_shows_what_flipped_against_its_run(store: Store) -> None:
    three_models(store)
    make_run(store, "r2", plan(CASES, [variant("test/a", algorithm="v2")]), utc="2026-01-03T00:00:00.000")
    store.update("runs", {"run_id": "r2"}, {"replay_of": "r1"})
    for row in store.rows("SELECT answer_id, sut FROM attempts WHERE run_id = 'r1' AND diff_algorithm = 'v4'"):
        if row["sut"] == "test/a":
            Made(store, "r2").scoring(row["answer_id"], Outcome.NO_MATCH, diff_algorithm="v2")

    section = document(store, "r2").by_id("algorithms").text

    assert "0 gained and 12 lost by v2 against v4" in section


def test_long_texts_are_cut_and_say_by_how_much(store: Store) -> None:
    make_run(store, "r1", plan(["a"]))
    made = Made(store)
    made.scoring(made.answer(made.lane("a"), 1, "word " * 100_000), Outcome.NO_CALL)

    html = rendered(page(store))

    assert "[497600 more characters]" in html
    assert len(html) < 100_000


def test_failures_are_left_out_where_the_page_would_be_too_large(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    three_models(store)
    whole = rendered(page(store))
    monkeypatch.setattr(rendering, "MOST_BYTES", len(whole) - 1)
    monkeypatch.setattr(rendering, "_FEWER", (200, 3, 0))

    html = rendered(page(store))

    assert "13 of 13 failed attempts" in whole
    assert "3 of 13 failed attempts" in html
    assert len(whole) <= MOST_BYTES


def test_a_page_that_cannot_be_written_is_one_line(store: Store, tmp_path: Path) -> None:
    three_models(store)

    with pytest.raises(InputError, match=r"--html .*: cannot be written"):
        write_page(page(store), tmp_path / "missing" / "report.html")


def test_a_run_in_which_no_edit_failed_has_no_causes(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", {"one": [call()]})

    assert "No edit failed under v4." in document(store).by_id("causes").text


def test_of_many_failures_a_sample_is_diagnosed(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(causes, "MOST_DIAGNOSED", 3)
    real_run(store, tmp_path / "cases", {f"c{n}": [call(block("one\ntwo\nthrice"))] for n in range(12)})

    section = document(store).by_id("causes").text

    assert "An even sample: about one in 4 answers, of 12 that failed." in section


def test_a_run_that_goes_on_says_so(store: Store) -> None:
    make_run(store, "r1", plan(["a"]))

    assert "This run is running: figures may change." in document(store).text


def test_names_of_any_length_do_not_make_the_page_larger_than_5_mb(store: Store) -> None:
    models = [variant(f"test/{number}{'x' * 1_000_000}") for number in range(3)]
    make_run(store, "r1", plan(["a", "y" * 1_000_000], models))
    made = Made(store)
    for model in models:
        made.scoring(made.answer(made.lane("y" * 1_000_000, model.sut)), Outcome.NO_CALL)

    assert len(rendered(page(store)).encode()) <= MOST_BYTES


def test_a_run_of_many_models_has_all_of_them_in_its_ranking(store: Store) -> None:
    models = [variant(f"test/{number:02}") for number in range(26)]
    make_run(store, "r1", plan(CASES[:4], models))
    made = Made(store)
    for number, model in enumerate(models):
        for at, case_id in enumerate(CASES[:4]):
            made.scoring(made.answer(made.lane(case_id, model.sut)), Outcome.APPLIED, equals_expected=at * 8 > number)

    root = document(store)

    assert len(cells(root.by_id("ranking"))) == 1 + 26
    assert "265 more comparisons: evals compare --json lists all." in root.by_id("differences").text
    assert "25 more rows: evals report r1 --wide" in root.by_id("tables").text


def test_two_parsers_of_the_same_answers_are_compared_too(store: Store) -> None:
    names = ("raw", "repaired")
    variants = [replace(variant(algorithm=""), parser=name) for name in names]
    make_run(store, "r1", plan(["a", "b", "c"], variants))
    made = Made(store)
    for case_id in ("a", "b", "c"):
        answer_id = made.answer(made.lane(case_id))
        for name in names:
            outcome = Outcome.SOLVED if name == "raw" else Outcome.UNSOLVED
            made.scoring(answer_id, outcome, parser=name, diff_algorithm="")

    section = document(store).by_id("algorithms").text

    assert "3 gained and 0 lost by raw against repaired" in section
    assert "--flip" not in section
