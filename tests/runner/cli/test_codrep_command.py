"""`evals codrep`: the competition's interface."""

import importlib.util
import os
import sys
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from runner.cli.codrep import app
from runner.errors import InputError
from tests.codrep import SAMPLE

needs_lightgbm = pytest.mark.skipif(
    importlib.util.find_spec("lightgbm") is None, reason="LightGBM is not installed: the extra `train` brings it"
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("EVALS_CODREP_DATASETS", raising=False)
    for dataset, answers in {"A": (1, 2), "B": (3,)}.items():
        for folder in ("Tasks", "Solutions"):
            (tmp_path / dataset / folder).mkdir(parents=True)
        for number, answer in enumerate(answers, 1):
            (tmp_path / dataset / "Tasks" / f"{number}.txt").write_text("return 2;\n\nint f() {\n  return 1;\n}\n")
            (tmp_path / dataset / "Solutions" / f"{number}.txt").write_text(str(answer))
    return tmp_path


def call(*arguments: str, stdin: str | bytes = "") -> Result:
    return CliRunner().invoke(app, arguments, input=stdin)


def test_predictions_are_paths_and_lines(root: Path) -> None:
    done = call("predict", "--sut", "last", str(root / "A"))

    assert done.stdout == f"{root}/A/Tasks/1.txt 3\n{root}/A/Tasks/2.txt 3\n"


def test_the_tasks_folder_will_do(root: Path) -> None:
    whole, tasks = (call("predict", "--sut", "first", str(root / "A" / name)) for name in (".", "Tasks"))

    assert whole.stdout.replace("/./", "/") == tasks.stdout


def test_several_processes_predict_the_same(root: Path) -> None:
    one, two = (call("predict", "--sut", "random", "--jobs", jobs, str(root / "A")) for jobs in ("1", "2"))

    assert (one.stdout, two.exit_code) == (two.stdout, 0)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_malformed_tasks_are_told_and_cost_no_other_its_prediction(jobs: str, root: Path) -> None:
    (root / "A/Tasks/1.txt").write_text("return 2;\n\n")

    done = call("predict", "--sut", "first", "--jobs", jobs, str(root / "A"))

    assert done.stdout == f"{root}/A/Tasks/2.txt 1\n"
    assert f"{root}/A/Tasks/1.txt: a task has a new line, an empty line and a program" in done.stderr
    assert isinstance(done.exception, InputError)
    assert str(done.exception).endswith("malformed tasks without a prediction: 1")


@pytest.mark.parametrize("sut", ["trigram", "ranker+siblings"])
def test_solutions_are_not_looked_at(sut: str, root: Path) -> None:
    (root / "A/Solutions/1.txt").write_text("nonsense")

    done = call("predict", "--sut", sut, str(root / "A"))

    assert (done.exit_code, done.stdout.count("\n")) == (0, 2)


def test_the_worst_line_is_not_to_be_had_without_solutions(root: Path) -> None:
    (root / "A/Solutions").rename(root / "elsewhere")

    assert "no folder Solutions" in str(call("predict", "--sut", "worst", str(root / "A")).exception)


def test_a_folder_without_tasks_is_refused(root: Path) -> None:
    (root / "C/Tasks").mkdir(parents=True)

    assert "no tasks" in str(call("predict", str(root / "C")).exception)


def test_an_unknown_predictor_is_refused(root: Path) -> None:
    done = call("predict", "--sut", "oracle", str(root / "A"))

    assert isinstance(done.exception, InputError)
    assert "no predictor is called 'oracle'; there are ranker, " in str(done.exception)


@pytest.mark.parametrize("option", [["-d"], ["--datasets"]])
def test_the_three_lines_are_printed(option: list[str], root: Path) -> None:
    done = call("score", *option, f"{root}/A:{root}/B", stdin="A/1 1\nA/2 2\nB/1 3\n")

    assert done.stdout == (
        "Total files: 3\nAverage line error: 0.0 (the lower, the better)\nRecall@1: 1.0 (the higher, the better)\n"
    )


def test_predictions_of_ours_can_be_scored_at_once(root: Path) -> None:
    predictions = call("predict", "--sut", "worst", str(root / "B")).stdout

    done = call("score", f"--datasets={root}/B", stdin=predictions)

    assert "Average line error: 0.9640275800758169" in done.stdout


def test_datasets_come_from_the_environment(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALS_CODREP_DATASETS", str(root))

    assert call("score", "-v").stdout.startswith("Total files: 3\nAverage line error: 1.0 ")


def test_an_option_given_twice_names_the_datasets_of_both(root: Path) -> None:
    done = call("score", "-d", f"{root}/A", "--datasets", f"{root}/B", stdin="A/1 1\nA/2 2\nB/1 3\n")

    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("Total files: 3\nAverage line error: 0.0 ")


def test_the_variable_may_name_a_folder_with_a_blank(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "A").rename(root / "A 1")
    monkeypatch.setenv("EVALS_CODREP_DATASETS", f"{root}/A 1:{root}/B")

    assert call("score").stdout.startswith("Total files: 3\n")


def test_folders_of_one_name_are_scored_by_path_with_a_row_each(root: Path) -> None:
    (root / "C").mkdir()
    (root / "B").rename(root / "C/A")
    first, second = (call("predict", "--sut", "last", str(root / name)).stdout for name in ("A", "C/A"))

    done = call("score", "--json", "-d", f"{root}/A:{root}/C/A/Tasks", stdin=first + second + "A/1 1\n")

    told = orjson.loads(done.stdout)
    assert [row["dataset"] for row in told["datasets"]] == [f"{root}/A", f"{root}/C/A"]
    assert told["datasets"][1]["recall_at_1"] == 1.0
    assert [bad["line"] for bad in told["bad_lines"]] == [4]


@pytest.mark.parametrize("name, warned", [("A", False), ("A 1", True)])
def test_a_path_that_no_scorer_can_read_is_warned_of(name: str, root: Path, *, warned: bool) -> None:
    (root / "A").rename(root / name)

    done = call("predict", "--sut", "last", str(root / name))

    assert (done.exit_code, done.stdout.count("\n")) == (0, 2)
    assert ("A 1/Tasks/1.txt: its path has a blank" in done.stderr) is warned
    assert done.stderr.count("\n") == warned


def test_no_datasets_are_refused(root: Path) -> None:
    done = call("score", stdin=f"{root} 1")

    assert isinstance(done.exception, InputError)
    assert "EVALS_CODREP_DATASETS" in str(done.exception)


def test_bad_lines_are_told_one_by_one_beside_the_score(root: Path) -> None:
    done = call("score", "-d", str(root / "A"), stdin="A/1 1\n\nA/2 x\n")

    assert done.exit_code == 0
    assert done.stderr == "line 2: a prediction is a path and a line number\nline 3: x should be an integer\n"
    assert "Recall@1: 0.5" in done.stdout


def test_bytes_that_are_no_text_are_a_bad_line(root: Path) -> None:
    done = call("score", "-d", str(root / "A"), stdin=b"caf\xe9 1\nA/1 1\n")

    assert done.stderr.startswith("line 1: caf")
    assert "Recall@1: 0.5" in done.stdout


def test_a_folder_whose_name_is_no_text_is_scored_like_any_other(root: Path) -> None:
    named = root / os.fsdecode(b"caf\xe9")
    (root / "A").rename(named)
    stdin = os.fsencode(f"{named}/Tasks/1.txt 1\n{named}/Tasks/2.txt 9\n")

    told, counted = (call("score", *option, "-d", str(named), stdin=stdin) for option in ([], ["--json"]))

    assert told.stdout.startswith("Total files: 2\nAverage line error: 0.5 ")
    assert told.stderr.startswith("line 2: ")
    assert [row["dataset"] for row in orjson.loads(counted.stdout)["datasets"]] == ["caf\ufffd"]
    assert "caf\ufffd/Tasks/2.txt: expected" in orjson.loads(counted.stdout)["bad_lines"][0]["reason"]


def test_strict_refuses_the_first_bad_line(root: Path) -> None:
    done = call("score", "--strict", "-d", str(root / "A"), stdin="A/1 1\nA/2 x\n")

    assert isinstance(done.exception, InputError)
    assert done.stdout == ""


def test_json_has_rows_distances_and_intervals(root: Path) -> None:
    done = call("score", "--json", "-d", str(root), stdin="A/1 1\nA/2 3\nB/1 9\n")

    told = orjson.loads(done.stdout)
    assert [row["dataset"] for row in told["datasets"]] == ["A", "B"]
    assert told["total"]["distances"] == {"0": 1, "1": 1, "none": 1}
    low, high = told["total"]["average_line_error_95"]
    assert low <= told["total"]["average_line_error"] <= high
    assert told["bad_lines"] == [{"line": 3, "reason": "B/1: expected a line number from 1 to 3, found 9"}]


def test_the_leaderboard_keeps_ours_apart_from_the_published() -> None:
    text, data = call("leaderboard").stdout, orjson.loads(call("leaderboard", "--json").stdout)

    published, ranking, ours = text.split("\n\n")
    assert published.count("\n") == len(data["published"]) == 8
    assert "0.0718  2018-11" in published
    assert ranking.count("\n") == len(data["dataset4_july_2018"]) == 4
    assert f"{data['ours']['dataset5']['loss']:.4f}  Dataset5" in ours
    assert all(f"{figure['loss']:.4f}  {name}" in ours for name, figure in data["ours"]["held_out"].items())


def split_sample(tmp_path: Path) -> list[str]:
    """The sample's tasks in two datasets."""
    for path in sorted((SAMPLE / "Tasks").glob("*.txt")):
        for folder in ("Tasks", "Solutions"):
            target = tmp_path / "AB"[int(path.stem) % 2] / folder
            target.mkdir(parents=True, exist_ok=True)
            (target / path.name).write_bytes((SAMPLE / folder / path.name).read_bytes())
    return [str(tmp_path / name) for name in "AB"]


@needs_lightgbm
def test_a_model_is_trained_and_used(tmp_path: Path) -> None:
    pair, out = split_sample(tmp_path), tmp_path / "model.npz"

    trained = call("train", *pair, "--out", str(out), "--trees", "2", "--seeds", "1")
    done = call("predict", "--model", str(out), pair[0])

    assert (trained.exit_code, orjson.loads(trained.stdout)) == (0, {})
    assert done.stdout.count("\n") == 10


@needs_lightgbm
def test_groups_and_datasets_to_leave_out_are_checked(tmp_path: Path) -> None:
    pair = split_sample(tmp_path)

    wrong_group = call("train", *pair, "--without", "smell")
    wrong_set = call("train", *pair, "--only", "C")

    assert "no group is called 'smell'; choose from text, edit" in str(wrong_group.exception)
    assert "no dataset is called 'C'; choose from A, B" in str(wrong_set.exception)


def test_a_folder_to_write_to_is_asked_for_before_training(tmp_path: Path) -> None:
    done = call("train", *split_sample(tmp_path), "--out", str(tmp_path / "missing/model.npz"))

    assert "--out: there is no folder" in str(done.exception)


def test_a_folder_is_no_file_to_write_a_model_to(tmp_path: Path) -> None:
    done = call("train", *split_sample(tmp_path), "--out", str(tmp_path))

    assert f"--out: {tmp_path} is a folder" in str(done.exception)


def test_training_without_its_libraries_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)

    done = call("train", *split_sample(tmp_path), "--out", str(tmp_path / "model.npz"))

    assert "training needs LightGBM: install the extra `train`" in str(done.exception)
    assert "read" not in done.stderr


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_scorer_tells_its_usage_as_the_original_does(option: str) -> None:
    done = call("score", option)

    assert (done.exit_code, "--datasets" in done.stdout) == (0, True)


def test_training_for_nothing_is_refused(tmp_path: Path) -> None:
    done = call("train", *split_sample(tmp_path))

    assert "--out" in str(done.exception)
