"""`evals codrep`: the competition's interface."""

from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from runner.cli.codrep import app
from runner.errors import InputError


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


def call(*arguments: str, stdin: str = "") -> Result:
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


def test_no_datasets_are_refused(root: Path) -> None:
    done = call("score", stdin=f"{root} 1")

    assert isinstance(done.exception, InputError)
    assert "EVALS_CODREP_DATASETS" in str(done.exception)


def test_bad_lines_are_told_one_by_one_beside_the_score(root: Path) -> None:
    done = call("score", "-d", str(root / "A"), stdin="A/1 1\n\nA/2 x\n")

    assert done.exit_code == 0
    assert done.stderr == "line 2: a prediction is a path and a line number\nline 3: x should be an integer\n"
    assert "Recall@1: 0.5" in done.stdout


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
