"""Tasks of one source file count as one group in intervals, wherever the file is known from."""

import json
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.suites.codrep.competition import DatasetScore, files_of, loss_interval, score
from runner.suites.codrep.dataset import CodrepDataset, open_dataset
from runner.suites.codrep.source_files import mined_files

JAVA = "package a.b;\nclass C {\n  int x;\n}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two commits of one Java file, a program that names no package, and a task that is malformed."""
    for number, text in enumerate((JAVA, JAVA.replace("x", "y"), "print(1)\n"), 1):
        write(tmp_path / "D", f"{number}.txt", f"int z;\n\n{text}", 1)
    write(tmp_path / "D", "4.txt", "no task", 1)
    return tmp_path / "D"


def write(folder: Path, name: str, text: str, answer: int) -> None:
    for part, content in (("Tasks", text), ("Solutions", f"{answer}\n")):
        (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / part / name).write_text(content)


def manifest(folder: Path, *rows: dict[str, object]) -> CodrepDataset:
    (folder / "manifest.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ({"kind": "codrep"}, *rows)))
    return open_dataset(folder)


def test_commits_of_one_file_have_one_name_and_others_stand_for_themselves(folder: Path) -> None:
    assert files_of(open_dataset(folder)) == ("a.b.C", "a.b.C", "D/3", "D/4")


def test_a_mined_dataset_says_the_paths_of_its_files(folder: Path) -> None:
    dataset = manifest(folder, {"case": 1, "path": "src/one.py"}, {"case": 3, "path": "src/one.py", "line": 7})

    assert files_of(dataset) == ("src/one.py", "a.b.C", "src/one.py", "D/4")


def test_a_manifest_that_is_damaged_is_named_with_line_and_field(folder: Path) -> None:
    dataset = manifest(folder, {"case": 1, "path": 9})

    with pytest.raises(InputError, match=r"manifest\.jsonl:2: field 'path'"):
        mined_files(dataset)


def test_files_are_read_for_a_score_only_where_they_are_asked_for(folder: Path) -> None:
    dataset = open_dataset(folder)

    assert score([], [dataset]).total.files == ()
    assert score([], [dataset], by_file=True).total.files == ("D/a.b.C", "D/a.b.C", "D/D/3", "D/D/4")


def test_equal_commits_of_a_file_tell_no_more_than_the_first() -> None:
    distances = (0, 0, 0, 1, None) * 4
    alone = DatasetScore("a", distances)
    four_times = DatasetScore("a", distances * 4, tuple(f"{number}" for number in range(20)) * 4)

    assert loss_interval(four_times) == pytest.approx(loss_interval(alone))
    narrower = loss_interval(DatasetScore("a", distances * 4))
    assert narrower[1] - narrower[0] < 0.6 * (loss_interval(alone)[1] - loss_interval(alone)[0])


def test_files_weigh_by_their_tasks() -> None:
    row = DatasetScore("a", (0,) * 98 + (None, None), ("large",) * 98 + ("b", "c"))

    low, high = loss_interval(row)

    assert row.loss == 0.02
    assert (low, high) == (0.0, 1.0)
