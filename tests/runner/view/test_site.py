"""The served pages: numbers that lead to as many attempts, figures of the report, and what an address chooses."""

from collections import Counter
from pathlib import Path

import pytest

from runner.records import Outcome
from runner.report.classes import RIGHT
from runner.report.summary import summarize
from runner.storage.runs import CaseRow, find_run
from runner.storage.store import Store
from runner.view.attempt_parts import attempt_facts, whole_record
from runner.view.filters import ViewFilter
from runner.view.run_figures import run_figures
from tests.runner.made_runs import Made, make_run, plan, variant
from tests.runner.pages.html_reading import Node
from tests.runner.pages.made_pages import three_models
from tests.runner.real_runs import real_run
from tests.runner.suites.made_cases import block, call
from tests.runner.view.served_pages import drawn, links, page, pages_from

ANSWERS = {
    "one": [call(block("one\ntwo\nthrice")), call(block("two", "TWO"))],
    "two": [call(block("\ttwo", "2"))],
    "three": ["no call", call()],
}


@pytest.fixture
def edits(store: Store, tmp_path: Path) -> Store:
    real_run(store, tmp_path / "cases", ANSWERS, algorithms="v4,v1", quota=2)
    return store


def total(list_page: Node) -> int:
    """The number of attempts that the head of a list states."""
    (head,) = list_page.all("h1")
    return int(head.text.removeprefix("Attempts ").replace(",", ""))


def test_every_number_of_an_outcome_leads_to_so_many_attempts(store: Store) -> None:
    three_models(store)
    section = page(store, "/run/r1").by_id("outcomes")
    counted = [(int(node.text), node.attributes["href"]) for node in section.all("a")]

    assert len(counted) == 11
    for number, link in counted:
        listed = page(store, link)
        rows = [row for row in listed.all("tr") if any(row.all("th")) and any(row.all("a"))]
        assert total(listed) == number == len(rows)


def test_the_lists_of_a_page_share_the_attempts_of_the_run(edits: Store) -> None:
    scorings = edits.rows("SELECT count(*) FROM scorings")[0][0]
    failed = edits.rows("SELECT count(*) FROM classes WHERE class IN ('failed', 'wrong', 'invalid')")[0][0]

    assert total(page(edits, "/run/r1/attempts")) == scorings
    assert total(page(edits, "/run/r1/attempts?outcome=failed&outcome=wrong&outcome=invalid")) == failed
    assert sum(total(page(edits, f"/run/r1/attempts?diff={name}")) for name in ("v4", "v1")) == scorings
    assert sum(total(page(edits, f"/run/r1/attempts?case={name}")) for name in ANSWERS) == scorings


@pytest.mark.usefixtures("edits")
def test_figures_are_those_of_the_report(store: Store) -> None:
    three_models(store, "r2")
    make_run(store, "r3", plan([CaseRow("a", "d"), CaseRow("b", "d"), CaseRow("c", "d")]))
    made = Made(store, "r3")
    made.scoring(made.answer(made.lane("a"), 1), Outcome.APPLIED, equals_expected=True)
    made.scoring(made.answer(made.lane("a"), 2), Outcome.NO_MATCH, equals_expected=False)
    made.scoring(made.answer(made.lane("b"), 1), Outcome.NO_CALL)
    made.lane("b", settled_at=1)
    made.scoring(made.answer(made.lane("c"), 1), Outcome.APPLIED)

    for run_id in ("r1", "r2", "r3"):
        run = find_run(store, run_id)
        for kept, counted in zip(
            run_figures(store, run, ViewFilter({})).variants, summarize(store, run).variants, strict=True
        ):
            assert kept.key == counted.key
            # A sum that is kept as rows are written is rounded at each of them.
            assert kept.cost_usd == pytest.approx(counted.cost_usd)
            for name in ("right", "wrong", "applied", "valid", "attempts", "crashed", "cases"):
                assert getattr(kept, name) == getattr(counted, name), name


def test_every_page_to_which_links_lead_is_there(edits: Store) -> None:
    kinds = Counter[str]()
    for address, answer in pages_from(edits, "/", most=120):
        assert answer.status == 200, address
        kinds[address.partition("?")[0].split("/")[-2 if "/attempt/" in address else -1]] += 1

    assert kinds["attempt"] > 20
    assert kinds["attempts"] > 10
    assert sum(count for name, count in kinds.items() if name not in {"attempt", "attempts"}) >= 7


def test_filters_of_one_key_add_up_and_those_of_several_narrow(edits: Store) -> None:
    both = page(edits, "/run/r1/attempts?outcome=no_match&outcome=no_call")
    right, wrong = (page(edits, f"/run/r1/attempts?outcome={name}") for name in ("no_match", "no_call"))
    narrowed = page(edits, "/run/r1/attempts?outcome=no_match&diff=v4&edits=1")

    assert total(both) == total(right) + total(wrong) > total(right) > 0
    assert total(page(edits, "/run/r1/attempts?outcome=right")) == 0
    assert total(narrowed) == 1
    assert total(page(edits, "/run/r1/attempts?outcome=no_match&diff=v4&edits=2")) == 0


def test_what_an_address_has_too_much_gets_a_line_and_the_rest_filters(edits: Store) -> None:
    listed = page(edits, "/run/r1/attempts?colour=red&model=nobody&diff=v4")

    notes = [node.text for node in listed.all("p") if node.attributes.get("class") == "note"]
    assert len(notes) == 2
    assert "colour: no such filter" in notes[0]
    assert "model: this run has no 'nobody'; it has test/scripted" in notes[1]
    assert total(listed) == total(page(edits, "/run/r1/attempts?diff=v4"))


def test_a_cause_chooses_failures_by_their_diagnosis(edits: Store) -> None:
    listed = page(edits, "/run/r1/attempts?diff=v1&cause=a+line+off")

    (sentence,) = [node.text for node in listed.all("p") if "found among" in node.text]
    causes = [cells[-1].text for row in listed.all("tr") if (cells := list(row.all("td")))]
    assert sentence.startswith(f"{len(causes)} found among")
    assert set(causes) == {"a line off"}


def test_an_attempt_marks_what_its_blocks_matched_and_shows_what_changed(edits: Store) -> None:
    row = edits.rows(
        "SELECT scoring_id FROM attempts WHERE outcome = 'applied' AND diff_algorithm = 'v4' AND case_id = 'three'"
    )[0]

    shown = page(edits, f"/run/r1/attempt/{row['scoring_id']}")

    (mark,) = [node for node in shown.all("mark") if node.attributes.get("class") == "matched"]
    assert mark.text == "two\n"
    cells = [cell.text for cell in shown.by_id("change-1").all("td") if cell.attributes["class"] == "code"]
    assert cells == ["@@ -1,3 +1,3 @@", " one", "-two", "+TWO", " three"]
    (part,) = [node for node in shown.all("span") if node.attributes.get("data-block") == "1"]
    assert part.text.startswith("------- SEARCH\ntwo\n=======")


def test_a_refused_block_stands_beside_its_nearest_place(edits: Store) -> None:
    sql = "SELECT scoring_id FROM attempts WHERE outcome = 'no_match' AND case_id = 'one' AND diff_algorithm = 'v4'"
    shown = page(edits, f"/run/r1/attempt/{edits.rows(sql)[0]['scoring_id']}")

    table = next(node for node in shown.all("table") if node.attributes.get("class") == "pair")
    assert [cell.text for cell in table.all("td")][-2:] == ["thrice", "three"]
    assert [mark.text for mark in table.all("mark")][-2:] == ["ic", "e"]


def test_algorithms_stand_beside_each_other_those_on_record_and_others(edits: Store) -> None:
    row = edits.rows("SELECT scoring_id FROM scorings WHERE diff_algorithm = 'v1' AND outcome = 'applied'")[0]

    shown = page(edits, f"/run/r1/attempt/{row['scoring_id']}")

    cards = [
        node.text.split("\n")[0] for node in shown.all("div") if node.attributes.get("class", "").startswith("card")
    ]
    assert sorted(name for card in cards for name in card.split() if name.rstrip(",")[0] == "v") == [
        "v1", "v2,", "v3,", "v4",
    ]  # fmt: skip


def test_tokens_of_an_attempt_stand_apart_by_class(edits: Store) -> None:
    (run_id,) = edits.rows("SELECT run_id FROM runs")[0]
    (scoring_id,) = edits.rows("SELECT scoring_id FROM scorings ORDER BY scoring_id LIMIT 1")[0]
    record = whole_record(edits, find_run(edits, run_id), scoring_id)
    counts = {"input_tokens": 7, "cache_read_tokens": 20, "cache_write_tokens": 1200, "output_tokens": 5}

    facts = dict(attempt_facts(record | counts | {"reasoning_tokens": None}))

    assert facts["tokens"] == "7 in, 20 cached, 1,200 written to the cache, 5 out"


def test_steps_lead_through_the_list_and_its_failures(edits: Store) -> None:
    start = next(link for link in links(page(edits, "/run/r1/attempts?diff=v4")) if "/attempt/" in link)
    seen, failures, address = [start], list[str](), start
    while following := [a for a in page(edits, address).all("a") if a.attributes.get("data-key") == "j"]:
        address = following[0].attributes["href"]
        seen.append(address)
    address = start
    while following := [a for a in page(edits, address).all("a") if a.attributes.get("data-key") == "n"]:
        address = following[0].attributes["href"]
        failures.append(address)

    listed = [link for link in links(page(edits, "/run/r1/attempts?diff=v4")) if "/attempt/" in link]
    failing = page(edits, "/run/r1/attempts?diff=v4&outcome=failed&outcome=wrong&outcome=invalid")
    assert seen == listed
    assert failures[-1] == [link for link in links(failing) if "/attempt/" in link][-1]


def test_cases_stand_worst_first_with_replays_merged(store: Store) -> None:
    three_models(store, right=(12, 9, 2))
    make_run(store, "r2", plan([CaseRow("c00", "another digest")]))
    Made(store, "r2").attempt("c00", 1, Outcome.APPLIED)

    rows = [[cell.text for cell in row.all()] for row in page(store, "/cases").all("tr")][1:]
    found = page(store, "/cases?find=C11")

    assert rows[0][0] == "c09"
    health = {row[0] + row[4]: row for row in rows}
    assert "one model alone solves it" in " ".join(" ".join(row) for row in rows if row[0] == "c11")
    assert any("2 versions: its digest changed" in " ".join(row) for row in rows)
    assert "c11" in found.text
    assert "c10" not in found.text
    assert health


def test_two_variants_stand_beside_each_other(store: Store) -> None:
    three_models(store, right=(12, 9, 2))

    shown = page(store, "/compare?a=r1&a-model=test/a&a-diff=v4&b=r1&b-model=test/c&b-diff=v4&case=c05")

    assert "right, a - b, on 12 common cases: +83.3 points" in shown.text
    assert "a is better" in shown.text
    assert "model: test/a and test/c" in shown.text
    assert (
        len([node for node in shown.all("pre") if node.attributes.get("aria-label", "").startswith("Answer of")]) == 2
    )
    (swap,) = [link for link in links(shown) if "a-model=test%2Fc" in link and "case" not in link]
    assert "-83.3 points" in page(store, swap).text
    same = page(store, "/compare?a=r1&a-model=test/a&a-diff=v4&b=r1&b-model=test/c&b-diff=v1")
    assert "2 parts differ" in same.text


@pytest.mark.parametrize(
    "address",
    [
        "/nowhere",
        "/run/r9",
        "/run/r1/attempt/999",
        "/run/r1/attempt/x",
        "/run/r1/attempt/99999999999999999999",
        "/run/r1/a/b/c",
        "/case/x?id=a",
        "/compare?a=r9",
        "/compare?a=r1&a-model=nobody",
    ],
)
def test_what_is_not_there_is_named_with_where_to_look(edits: Store, address: str) -> None:
    answer = drawn(edits, address)

    assert answer.status == 404
    assert "<h1>" in answer.html


def test_an_empty_database_says_how_to_make_a_run(store: Store) -> None:
    assert "evals diff sim/careful" in page(store, "/").text
    assert page(store, "/cases").text


def test_attempts_of_suites_without_diffs_show_outcome_answer_and_clocks(store: Store) -> None:
    make_run(store, "r1", plan(["a"], [variant(algorithm="")], suite="completion"))
    made = Made(store)
    answer = made.answer(made.lane("a"), 1, "return 1", first_token_ms=12.0, closed_ms=34.0)
    made.scoring(answer, Outcome.SOLVED, diff_algorithm="")

    shown = page(store, "/run/r1/attempt/1")

    assert "right: solved" in shown.text
    assert shown.by_id("answer").text.strip() == "return 1"
    assert "12 ms" in shown.text
    assert "34 ms" in shown.text
    assert RIGHT


def test_the_report_of_a_run_stands_among_the_pages(edits: Store) -> None:
    report = page(edits, "/run/r1/report")

    for name in ("ranking", "differences", "cost", "outcomes", "causes", "algorithms", "cases", "failures", "method"):
        assert report.by_id(name).text.strip()
    assert "a line off" in report.by_id("failures").text


def test_a_large_run_names_the_command_of_its_report(edits: Store) -> None:
    edits.execute("UPDATE scoring_tallies SET n = 2000")

    assert "evals report r1 --html FILE" in page(edits, "/run/r1/report").text


def test_points_of_a_run_that_goes_on_are_hollow(store: Store) -> None:
    three_models(store)
    filled = [node for node in page(store, "/run/r1").all("circle") if node.attributes["class"] == "dot"]
    store.update("runs", {"run_id": "r1"}, {"state": "running"})

    running = page(store, "/run/r1")

    assert len(filled) == 3
    assert {node.attributes["class"] for node in running.all("circle")} == {"dot hollow"}
    assert "Hollow points: so far" in running.text


def test_any_two_attempts_at_a_case_stand_beside_each_other(edits: Store) -> None:
    ids = [
        row[0] for row in edits.rows("SELECT scoring_id FROM attempts WHERE case_id = 'one' AND diff_algorithm = 'v4'")
    ]
    attempt = page(edits, f"/run/r1/attempt/{ids[0]}")
    (link,) = [link for link in links(attempt) if f"b-attempt={ids[1]}" in link]

    both = page(edits, link.partition("#")[0]).by_id("attempts")

    answers = [node.text for node in both.all("pre") if node.attributes.get("aria-label", "").startswith("Answer of")]
    assert ["thrice" in text for text in answers] == [True, False]
    assert "no_match" in both.text
    assert "applied" in both.text
