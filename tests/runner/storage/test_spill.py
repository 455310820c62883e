"""The file of what could not be written: damaged, cut off, strange, and in the wrong place."""

import os
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.records import Completion, Outcome, Scoring, Tokens
from runner.storage.entries import Answered, CrashNoted, Expense, Failed, Failure, Lasting, ScoringsAdded
from runner.storage.merging import merge_spills
from runner.storage.spill import Spill, new_spill, read_spill, spill_files
from runner.storage.store import Store
from suts.sut import Received
from tests.runner.made_runs import Made, make_run


def answer(answer_id: int, text: str = "yes") -> Answered:
    completion = Completion(text, stream=(Received(5_000, b"data"), Received(9_000, b"")), sent_ns=1_000)
    return Answered(answer_id, completion, Expense(), "openai-chat")


def kept(store: Store, *entries: Lasting, run_id: str = "r1") -> Path:
    spill = new_spill(store.path, run_id)
    spill.keep(entries)
    spill.close()
    return spill.files[0]


def in_flight(store: Store, run_id: str = "r1", count: int = 2) -> list[int]:
    make_run(store, run_id)
    made = Made(store, run_id)
    return [made.answer(made.lane("a"), number, None, outcome="in_flight") for number in range(1, count + 1)]


def outcomes(store: Store) -> list[str]:
    return [str(row["outcome"]) for row in store.rows("SELECT outcome FROM answers ORDER BY answer_id")]


def test_entries_come_back_as_they_were(store: Store) -> None:
    failure = Failure(Outcome.SUT_ERROR, "cut", "the stream ended", 0.0)
    scoring = Scoring(Outcome.APPLIED, valid=True, answer_id=3, edited="é", scores={"m": 0.5})
    entries: list[Lasting] = [
        answer(1),
        Failed(2, failure, failure, Expense(1, 0.5, None)),
        ScoringsAdded((scoring,)),
        CrashNoted(3, "a bug"),
    ]

    file = kept(store, *entries)

    assert list(read_spill(file, "r1")) == entries


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_last_entry_that_is_cut_off_is_dropped_and_the_others_are_merged(store: Store, cut: int) -> None:
    first, second = in_flight(store)
    file = kept(store, answer(first), answer(second))
    file.write_bytes(file.read_bytes()[:-cut])

    merged = merge_spills(store, "r1")

    assert (merged.answers, merged.damaged) == (1, 0)
    assert outcomes(store) == ["answered", "in_flight"]


def test_a_damaged_entry_is_counted_and_the_others_are_merged(store: Store) -> None:
    first, second = in_flight(store)
    file = kept(store, answer(first, "spoiled"), answer(second))
    file.write_bytes(file.read_bytes().replace(b"spoiled", b"spoilt!"))

    merged = merge_spills(store, "r1")

    assert (merged.answers, merged.damaged) == (1, 1)
    assert outcomes(store) == ["in_flight", "answered"]


def test_a_file_changes_rows_of_its_own_run_only(store: Store) -> None:
    (mine,) = in_flight(store, "r1", 1)
    (other,) = in_flight(store, "r2", 1)
    scoring = Scoring(Outcome.APPLIED, valid=True, answer_id=other)
    kept(store, answer(other), CrashNoted(other, "not true"), ScoringsAdded((scoring,)), answer(mine), answer(9999))

    merge_spills(store, "r1")

    assert outcomes(store) == ["answered", "in_flight"]
    assert store.rows("SELECT * FROM scorings") == []


def test_an_answer_that_is_there_is_not_replaced(store: Store) -> None:
    make_run(store)
    made = Made(store)
    answer_id = made.answer(made.lane("a"), text="the true one")
    kept(store, answer(answer_id, "another"))

    merge_spills(store, "r1")

    assert store.text(store.rows("SELECT text_id FROM answers")[0][0]) == "the true one"


@pytest.mark.parametrize(
    "strange",
    [
        pytest.param(answer(1, "half a pair: \ud800"), id="half a surrogate pair"),
        pytest.param(
            Answered(1, Completion("yes", tokens=Tokens(input=2**70)), Expense(), "openai-chat"), id="a huge number"
        ),
    ],
)
def test_what_the_form_of_the_file_cannot_hold_loses_that_part_alone(store: Store, strange: Answered) -> None:
    in_flight(store, "r1", 1)
    kept(store, strange)

    assert merge_spills(store, "r1").answers == 1


def test_a_number_that_a_column_cannot_hold_spoils_its_entry_alone(store: Store) -> None:
    first, second = in_flight(store)
    kept(store, Answered(first, Completion("y", tokens=Tokens(2**63)), Expense(), "w"), answer(second))

    merged = merge_spills(store, "r1")

    assert (merged.answers, merged.damaged) == (1, 1)
    assert outcomes(store) == ["in_flight", "answered"]


@pytest.mark.parametrize(
    "content, problem",
    [
        pytest.param(b"evals-spill 9\n", "no file of entries of this version", id="another version"),
        pytest.param(b"", "no file of entries", id="empty"),
        pytest.param(b"evals-spill 1\n", "is not of run r1", id="no run"),
    ],
)
def test_a_strange_file_is_named_with_what_to_do(store: Store, content: bytes, problem: str) -> None:
    make_run(store)
    file = kept(store, answer(1))
    file.write_bytes(content)

    with pytest.raises(InputError, match=problem):
        merge_spills(store, "r1")

    assert file.exists()


def test_the_file_of_another_run_is_refused(store: Store) -> None:
    make_run(store)
    file, other = kept(store, answer(1)), kept(store, answer(1), run_id="r2")
    other.rename(file)

    with pytest.raises(InputError, match="is not of run r1; remove it"):
        merge_spills(store, "r1")


def test_links_and_pipes_in_the_place_of_a_file_are_passed_over(store: Store, tmp_path: Path) -> None:
    make_run(store)
    file = kept(store, answer(1))
    elsewhere = tmp_path / "elsewhere"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    os.mkfifo(file.with_name(file.name + "-pipe"))

    assert merge_spills(store, "r1").files == 0
    assert elsewhere.exists()


def test_the_next_folder_is_tried_where_one_takes_no_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    second = tmp_path / "state" / "spill" / "x"
    spill = Spill("r1", [tmp_path / "file" / "x", second])

    spill.keep([answer(1)])
    spill.close()

    assert (spill.files, spill.answers, spill.lost) == ([second], 1, 0)


def test_answers_that_no_folder_takes_are_counted_as_lost(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    spill = Spill("r1", [tmp_path / "file" / "x"])

    spill.keep([answer(1), CrashNoted(1, "a bug"), answer(2)])

    assert (spill.files, spill.answers, spill.lost) == ([], 0, 2)


def test_files_of_a_database_are_found_by_way_of_a_link_to_it(store: Store, tmp_path: Path) -> None:
    file = kept(store, answer(1))
    link = tmp_path / "folder" / "linked.db"
    link.parent.mkdir()
    link.symlink_to(store.path)

    assert spill_files(link, "r1") == [file]
