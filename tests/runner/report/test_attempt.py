"""One attempt in full, for a reader."""

from pathlib import Path

import pytest

from runner.errors import InputError
from runner.records import Outcome
from runner.report.attempt import attempt_lines, with_question
from runner.report.selection import Selection, selected
from runner.storage.attempt_filter import AttemptFilter
from runner.storage.runs import find_run
from runner.storage.store import Store
from tests.runner.made_runs import Made, make_run, plan, variant
from tests.runner.real_runs import real_run
from tests.runner.suites.made_cases import block, call


def lines_of(store: Store, case_id: str, number: int | None = None, run_id: str = "r1") -> list[str]:
    run = find_run(store, run_id)
    matches = selected(store, run, Selection(AttemptFilter(cases=(case_id,)), number))
    return [line for record in matches for line in attempt_lines(with_question(store, run, record))]


def test_an_attempt_shows_what_was_asked_answered_and_made_of_it(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", {"one": [call()]})

    lines = lines_of(store, "one", 1)

    assert lines[0] == "== one number 1: test/scripted, prompt basic, applied"
    assert "Shout two in one." in lines
    assert "I will." in lines
    assert "block 1: exact at line 2" in "\n".join(lines)
    assert any("/work/tree" in line for line in lines)


def test_a_refused_block_shows_its_reason_and_the_nearest_place(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", {"one": [call(block("one\ntwo\nthrice"))]})

    lines = lines_of(store, "one")

    assert "block 1: refused: no_match" in lines
    assert any(line.startswith("nearest: lines 1-3, similarity 0.") for line in lines)
    assert "first difference at line 3:" in lines
    assert ("  SEARCH: thrice" in lines, "  file:   three" in lines) == (True, True)


def test_a_refused_block_of_an_earlier_version_reads_the_same(store: Store, tmp_path: Path) -> None:
    real_run(store, tmp_path / "cases", {"one": [call(block("one\ntwo\nthrice"))]})
    now = lines_of(store, "one")
    store.execute("UPDATE scorings SET blocks = replace(blocks, '\"actual\"', '\"found\"')")

    assert lines_of(store, "one") == now


def test_all_attempts_at_a_case_are_shown_or_the_one_that_is_asked_for(store: Store) -> None:
    make_run(store)
    made = Made(store)
    made.attempt("a", 1, Outcome.NO_CALL)
    made.attempt("a", 2, Outcome.APPLIED)

    heads = [line for line in lines_of(store, "a") if line.startswith("==")]

    assert len(heads) == 2
    assert heads[1].endswith("applied")
    assert lines_of(store, "a", 2)[0] == heads[1]


def test_a_step_is_named_by_number_and_question_and_what_has_no_prompt_by_its_system_alone(store: Store) -> None:
    make_run(store, planned=plan(variants=[variant("rules", prompt="", algorithm="")], suite="nextedit"))
    made = Made(store)
    answer_id = made.answer(made.lane("a", "rules", ""), text='{"predictions":[]}', step=2, mode="recommend")
    made.scoring(answer_id, Outcome.APPLIED_NOTHING, parser="", diff_algorithm="")

    lines = lines_of(store, "a")

    assert lines[0] == "== a step 2 recommend number 1: rules, applied_nothing"
    assert not any(line.startswith(("   parser", "-- system prompt")) for line in lines)
    assert lines[-1] == '{"predictions":[]}'


def test_an_attempt_without_an_answer_shows_its_error(store: Store) -> None:
    make_run(store)
    made = Made(store)
    made.answer(made.lane("a"), 1, None, outcome="timeout", error_text="nothing for 60 s")

    lines = lines_of(store, "a")

    assert lines[lines.index("-- answer") + 1] == "(none)"
    assert lines[lines.index("-- error") + 1] == "nothing for 60 s"


def test_a_replay_shows_the_prompt_of_the_run_that_asked(store: Store) -> None:
    make_run(store, "r1")
    make_run(store, "r2")
    store.update("runs", {"run_id": "r2"}, {"replay_of": "r1"})
    answer_id = Made(store, "r1").answer(Made(store, "r1").lane("a"))
    Made(store, "r2").scoring(answer_id, Outcome.APPLIED)

    assert "You edit files." in lines_of(store, "a", run_id="r2")


@pytest.mark.parametrize(
    "case_id, number, told",
    [
        pytest.param("a", 9, "has no attempt 9 at case 'a'", id="no such number"),
        pytest.param("z", None, "--case: run r1 has no attempt of 'z'; it has a", id="no such case"),
    ],
)
def test_an_attempt_that_is_not_there_is_one_line(store: Store, case_id: str, number: int | None, told: str) -> None:
    make_run(store)
    Made(store).attempt("a", 1, Outcome.APPLIED)

    with pytest.raises(InputError) as refused:
        lines_of(store, case_id, number)

    assert told in str(refused.value)
