"""One file per case, inside the folder whatever the case is called."""

import json
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.records import Outcome
from runner.report.local_files import make_folder, save_cases
from runner.storage.store import Store
from tests.runner.made_runs import Made, make_run, plan


def saved(store: Store, folder: Path, *case_ids: str) -> dict[str, str]:
    """The case in each file, by the file's path from the folder."""
    make_run(store, planned=plan(cases=case_ids))
    for case_id in case_ids:
        Made(store).attempt(case_id, 1, Outcome.APPLIED)
    make_folder(folder)
    save_cases(store, "r1", folder)
    files = [path for path in folder.parent.rglob("*.json") if path.is_file()]
    return {str(path.relative_to(folder)): json.loads(path.read_text("utf-8"))[0]["case_id"] for path in files}


def test_a_case_is_a_file_with_all_its_attempts(store: Store, tmp_path: Path) -> None:
    make_run(store)
    made = Made(store)
    made.attempt("a", 1, Outcome.NO_CALL)
    made.attempt("a", 2, Outcome.APPLIED)
    made.answer(made.lane("a"), 3, None, outcome="timeout")
    folder = tmp_path / "deep" / "results"

    make_folder(folder)
    save_cases(store, "r1", folder)

    found = json.loads((folder / "a.json").read_text("utf-8"))
    assert [record["outcome"] for record in found] == ["no_call", "applied", "timeout"]


def test_half_a_surrogate_pair_is_written_as_a_question_mark(store: Store, tmp_path: Path) -> None:
    make_run(store)
    made = Made(store)
    made.scoring(made.answer(made.lane("a"), text="half \ud83d"), Outcome.NO_CALL)
    make_folder(tmp_path)

    save_cases(store, "r1", tmp_path)

    assert json.loads((tmp_path / "a.json").read_text("utf-8"))[0]["raw_output"] == "half ?"


@pytest.mark.parametrize(
    "case_id",
    ["../outside", "/etc/x", "..", ".", "a/b", "a\\b", "c:d", ".hidden", "nul\x00", "line\nend", "x" * 500, "é" * 300],
)
def test_no_case_leaves_the_folder(store: Store, tmp_path: Path, case_id: str) -> None:
    files = saved(store, tmp_path / "in" / "results", case_id)

    (name,) = files
    assert files[name] == case_id
    assert not {"/", "\\", ":", "\n"} & set(name)
    assert not name.startswith(".")


def test_no_case_writes_over_another(store: Store, tmp_path: Path) -> None:
    case_ids = ("a/b", "a_b", "a:b", "x" * 70, "x" * 71)

    files = saved(store, tmp_path / "in" / "results", *case_ids)

    assert sorted(files.values()) == sorted(case_ids)
    assert files["a_b.json"] == "a_b"


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(InputError, match="--save-locally"):
        make_folder(tmp_path / place)


def test_files_that_cannot_be_written_are_one_line(store: Store, tmp_path: Path) -> None:
    make_run(store)
    Made(store).attempt("a", 1, Outcome.APPLIED)

    with pytest.raises(InputError, match="--save-locally"):
        save_cases(store, "r1", tmp_path / "nowhere")
