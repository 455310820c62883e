"""A replay scores the same answers again, asks nobody, and says what changed."""

import os
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.records import Outcome
from runner.report.comparisons import Comparison, Rule, compare
from runner.run.replay import Replayed, replay_run
from runner.run.suite import ReplayOptions
from runner.stats.paired_test import PairedTest
from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.suites import suite_named
from tests.runner.made_runs import Made, make_run, plan, variant
from tests.runner.real_runs import real_run
from tests.runner.suites.made_cases import block, call

OUT_OF_ORDER = call(block("three", "THREE") + block("one", "ONE"))
# v1 takes blocks in the order of the file only.
ANSWERS = {
    "both": [call()],
    "gained": [OUT_OF_ORDER],
    "neither": [call(block("four"))],
    "invalid": ["no call", call()],
}
SCORED = "outcome, valid, solved, num_edits, lines_added, lines_removed, parsed_calls, blocks, error_text, edited_id"


def scorings(store: Store, run_id: str, algorithm: str) -> list[tuple[object, ...]]:
    sql = f"SELECT answer_id, {SCORED} FROM scorings WHERE run_id = ? AND diff_algorithm = ? ORDER BY answer_id"  # noqa: S608
    return [tuple(row) for row in store.rows(sql, run_id, algorithm)]


def replayed(
    store: Store, algorithms: str, source: str = "r1", parser: str = "", *, from_stream: bool = False
) -> Replayed:
    run = find_run(store, source)
    options = ReplayOptions(parser, algorithms, from_stream)
    return replay_run(suite_named(run["suite"]), store, run, options, lambda _line: None)


def compared(store: Store, replay: Replayed, source: str = "r1") -> dict[str, Comparison]:
    """Per algorithm of a replay the comparison with the first of the run that was replayed."""
    pairs = [(row.compared.rule.diff_algorithm, row) for row in compare(store, find_run(store, source), replay.run_id)]
    return dict(reversed(pairs))


def baseline(comparison: Comparison) -> str:
    return comparison.compared.baseline.diff_algorithm


@pytest.mark.parametrize("algorithm", ["v1", "v3", "v4"])
def test_the_same_algorithm_scores_as_it_did_live(store: Store, tmp_path: Path, algorithm: str) -> None:
    real_run(store, tmp_path / "cases", ANSWERS, algorithm)

    replay = replayed(store, algorithm)

    live = scorings(store, "r1", algorithm)
    assert replay.answers == len(live) == 5
    assert scorings(store, replay.run_id, algorithm) == live


def test_a_replay_is_a_run_of_its_own_with_a_link_and_no_answers(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", ANSWERS)
    answers = store.rows("SELECT count(*) FROM answers")[0][0]

    replay = replayed(store, "v1,v3")

    run = find_run(store, replay.run_id)
    sql = "SELECT diff_algorithm FROM variants WHERE run_id = ? ORDER BY position"
    variants = [row["diff_algorithm"] for row in store.rows(sql, replay.run_id)]
    assert (run["replay_of"], run["state"]) == ("r1", "complete")
    assert variants == ["v1", "v3"]
    assert store.rows("SELECT count(*) FROM answers")[0][0] == answers


def test_flips_are_counted_and_named(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", ANSWERS, "v1")

    found = compared(store, replayed(store, "v4,v1"))

    table = found["v4"].table
    assert baseline(found["v4"]) == "v1"
    assert (table.both, table.second_only, table.first_only, table.neither) == (2, 1, 0, 2)
    assert found["v4"].test == ("sign flips", 1.0)
    assert [(flip.case_id, flip.outcome_after) for flip in found["v4"].flipped] == [("gained", "applied")]
    assert found["v1"].flipped == ()


def test_the_difference_is_clustered_by_case(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", ANSWERS, "v1")

    difference = compared(store, replayed(store, "v4"))["v4"].difference

    assert difference is not None
    assert difference.estimate == pytest.approx(1 / 4)
    assert difference.low < 0 < difference.high


@pytest.mark.parametrize(
    "quota,test",
    [
        pytest.param(1, PairedTest("McNemar", 2 / 2**4), id="one answer per case"),
        # McNemar's test of all 12 flips would give 2 / 2**12.
        pytest.param(3, PairedTest("sign flips", 2 / 2**4), id="three answers, which flip together"),
    ],
)
def test_the_flips_of_one_case_are_tested_as_one_draw(
    store: Store, tmp_path: Path, quota: int, test: PairedTest
) -> None:
    answers = {f"gained {number}": [OUT_OF_ORDER] for number in range(4)} | {"both": [call()]}
    real_run(store, tmp_path / "cases", answers, "v1", quota)

    found = compared(store, replayed(store, "v4"))["v4"]

    assert (found.table.second_only, found.table.first_only) == (4 * quota, 0)
    assert found.test == test


def test_a_replay_of_a_replay_scores_the_answers_of_the_first_run(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", ANSWERS, "v1")
    first = replayed(store, "v3")

    second = replayed(store, "v1", source=first.run_id)

    assert second.answers == 5
    assert find_run(store, second.run_id)["replay_of"] == "r1"
    assert scorings(store, second.run_id, "v1") == scorings(store, "r1", "v1")
    assert baseline(compared(store, second, first.run_id)["v1"]) == "v3"


def test_a_replay_of_a_replay_varies_the_parser_alone_unless_an_algorithm_is_named(
    store: Store, tmp_path: Path
) -> None:
    real_run(store, tmp_path / "cases", ANSWERS, "v4")
    first = replayed(store, "v1", parser="xml-tools-v1")

    same = replayed(store, "", source=first.run_id)
    other = replayed(store, "", source=first.run_id, parser="xml-tools-v2")

    sql = "SELECT DISTINCT parser, diff_algorithm FROM scorings WHERE run_id = ?"
    assert [tuple(row) for row in store.rows(sql, same.run_id)] == [("xml-tools-v1", "v1")]
    assert [tuple(row) for row in store.rows(sql, other.run_id)] == [("xml-tools-v2", "v1")]


def test_a_replay_is_compared_with_each_algorithm_of_the_run(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", ANSWERS, "v1,v4")

    comparisons = compare(store, find_run(store, "r1"), replayed(store, "v3,v4", parser="xml-tools-v1").run_id)

    assert [(row.compared.rule, row.compared.baseline) for row in comparisons] == [
        (Rule("xml-tools-v1", after), Rule("xml-tools-v2", before)) for after in ("v3", "v4") for before in ("v1", "v4")
    ]
    assert [row.table.second_only for row in comparisons] == [1, 0, 1, 0]


def test_flips_are_counted_in_all_and_for_each_model_and_prompt(store: Store) -> None:
    asked = [("test/a", "basic"), ("test/a", "strict"), ("test/b", "basic")]
    for run_id in ("r1", "r2"):
        make_run(store, run_id, plan(variants=[variant(sut, prompt) for sut, prompt in asked]))
    store.update("runs", {"run_id": "r2"}, {"replay_of": "r1"})
    first, second = Made(store, "r1"), Made(store, "r2")
    for number, (sut, prompt) in enumerate(asked):
        answer_id = first.answer(first.lane("a", sut, prompt))
        first.scoring(answer_id, Outcome.NO_MATCH, equals_expected=False)
        outcome = Outcome.APPLIED if number else Outcome.NO_MATCH
        second.scoring(answer_id, outcome, equals_expected=bool(number))

    whole, *parts = compare(store, find_run(store, "r1"), "r2")

    assert (whole.compared.sut, whole.compared.is_part, whole.table.second_only) == (None, False, 2)
    assert [(row.compared.sut, row.compared.prompt, row.table.second_only) for row in parts] == [
        ("test/a", "basic", 0),
        ("test/a", "strict", 1),
        ("test/b", "basic", 1),
    ]
    assert all(row.compared.is_part for row in parts)


def test_the_rule_of_validity_is_that_of_the_run(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", {"twice": [call() + call()]}, validity="cline")

    replay = replayed(store, "v4")

    assert [row[1:3] for row in scorings(store, replay.run_id, "v4")] == [("several_calls", 1)]


def test_another_parser_may_find_another_call(store: Store, tmp_path: Path) -> None:
    answer = call().replace("<diff>", "<diff>\n<content>").replace("</diff>", "</content></diff>")
    real_run(store, tmp_path / "cases", {"one": [answer]})

    replay = replayed(store, "v4", parser="xml-tools-v3")

    parsers = {row["parser"] for row in store.rows("SELECT parser FROM scorings WHERE run_id = ?", replay.run_id)}
    assert replay.answers >= 1
    assert parsers == {"xml-tools-v3"}


def test_a_plug_in_that_kills_its_process_costs_its_scorings_which_can_be_replayed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug_in = f"killing_{os.getpid()}_{tmp_path.name}"
    (tmp_path / f"{plug_in}.py").write_text(
        "import os\n\ndef kill(original, diff, *, final=True):\n    os._exit(3)\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    real_run(store, tmp_path / "cases", {"one": [call()]})

    killed = replayed(store, f"{plug_in}:kill")
    again = replayed(store, "v4", source=killed.run_id)

    sql = "SELECT outcome, valid, error_text FROM scorings WHERE run_id = ?"
    ((outcome, valid, error_text),) = (tuple(row) for row in store.rows(sql, killed.run_id))
    assert (outcome, valid) == ("crashed", 0)
    assert "exit status 3" in error_text
    assert scorings(store, again.run_id, "v4") == scorings(store, "r1", "v4")


def test_answers_that_no_scoring_survived_are_replayed_and_pair_with_nothing(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", ANSWERS)
    answer_id = store.rows("SELECT answer_id FROM scorings ORDER BY answer_id")[0][0]
    store.execute("DELETE FROM scores")
    store.execute("DELETE FROM scorings WHERE answer_id = ?", answer_id)

    replay = replayed(store, "v4")

    table = compared(store, replay)["v4"].table
    assert replay.answers == 5
    assert table.both + table.neither == 4


def test_the_bytes_say_what_was_recorded(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", ANSWERS)

    replay = replayed(store, "v4", from_stream=True)

    rereader = replay.rereader
    assert rereader is not None
    assert (rereader.same, rereader.pruned, dict(rereader.differing)) == (5, 0, {})
    assert scorings(store, replay.run_id, "v4") == scorings(store, "r1", "v4")


def test_a_run_of_a_suite_that_is_gone_is_refused(store: Store) -> None:
    make_run(store, planned=plan(suite="gone"))

    with pytest.raises(InputError, match="suite 'gone' is not known; known are diff_edit"):
        replayed(store, "v4")


def test_a_run_without_answers_is_refused_and_leaves_nothing_behind(store: Store) -> None:
    make_run(store)
    made = Made(store)
    made.answer(made.lane("a"), 1, None, outcome="sut_error")

    with pytest.raises(InputError, match="no answers"):
        replayed(store, "v4")

    assert [row["run_id"] for row in store.rows("SELECT run_id FROM runs")] == ["r1"]
