"""Data frames of a database: one row a run, an attempt, a step; what is unknown is not zero."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from runner import open_db
from runner.errors import InputError
from runner.records import Outcome
from runner.storage.store import Store
from tests.in_process import evals
from tests.runner.made_runs import Made, make_run
from tests.strangers_database import ASKED

pytestmark = pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A run with two scored attempts, one with a metric and clocks, and a failure of the infrastructure."""
    path = tmp_path / "evals.db"
    store = Store.open(path)
    make_run(store)
    made = Made(store)
    first = made.answer(made.lane("a"), 1, first_edit_ms=12.5, output_tokens=7)
    made.scoring(first, Outcome.APPLIED, {"es": 0.25}, equals_expected=True)
    made.attempt("b", 1, Outcome.NO_CALL)
    made.answer(made.lane("b"), 2, None, outcome="timeout", error_text="late")
    store.close()
    return path


def test_a_run_is_a_row_of_runs(db: Path) -> None:
    with open_db(db) as frames:
        runs = frames.runs()

    assert runs[["run_id", "suite", "attempts"]].to_dict("records") == [
        {"run_id": "r1", "suite": "diff_edit", "attempts": 2}
    ]


def test_an_attempt_is_a_row_with_a_column_for_each_metric(db: Path) -> None:
    with open_db(str(db)) as frames:
        attempts = frames.attempts("r1")

    assert list(attempts["outcome"]) == ["applied", "no_call", "timeout"]
    assert list(attempts["class"]) == ["right", "invalid", "infrastructure"]
    assert attempts["score_es"].isna().tolist() == [False, True, True]
    assert attempts.loc[0, ["score_es", "time_to_first_edit_ms", "output_tokens"]].tolist() == [0.25, 12.5, 7]
    assert attempts["output_tokens"].isna().tolist() == [False, True, True]
    assert str(attempts["sent_at"].dtype) == "datetime64[ms, UTC]"
    assert "raw_output" not in attempts


def test_whole_texts_are_added_on_request(db: Path) -> None:
    with open_db(db) as frames:
        attempts = frames.attempts(texts=True)

    assert attempts["raw_output"].tolist()[:2] == ["an answer", "an answer"]


def test_steps_have_the_figures_of_next_edits(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    evals(*ASKED["nextedit"], "--max-edits", "4", "--run-id", "next", "--db", path, cwd=tmp_path)

    with open_db(path) as frames:
        steps, attempts = frames.steps("next"), frames.attempts("next")

    assert 0 < len(steps) <= len(attempts)
    assert steps["precision"].between(0, 1).all()
    assert (steps["allowed"] >= 1).all()


def test_other_runs_have_no_steps(db: Path) -> None:
    with open_db(db) as frames:
        assert frames.steps().empty
        assert "precision" in frames.steps()


def test_what_is_no_database_or_no_run_is_one_line(db: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such database"), open_db(tmp_path / "none.db"):
        pass
    with open_db(db) as frames, pytest.raises(InputError, match="there is none of that id"):
        frames.attempts("zz")


@pytest.mark.parametrize("words", [("--out", "r1.parquet"), ()], ids=["a file", "stdout"])
def test_parquet_has_the_columns_and_rows_of_the_frame(db: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    import pandas as pd

    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    program = str(Path(sys.executable).with_name("evals"))
    command = [program, "export", "r1", "--format", "parquet", "--db", str(db), *words]
    printed = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout
    if not words:
        (tmp_path / "r1.parquet").write_bytes(printed)

    read = pd.read_parquet(tmp_path / "r1.parquet")

    with open_db(db) as frames:
        expected = frames.attempts("r1", texts=True)
    assert list(read.columns) == list(expected.columns)
    assert read["outcome"].tolist() == expected["outcome"].tolist()
    assert read["score_es"].tolist()[0] == 0.25
    assert read["sent_at"].tolist() == expected["sent_at"].tolist()


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_file_has_what_stdout_would_have(db: Path, tmp_path: Path, form: str) -> None:
    words = ("export", "r1", "--format", form, "--db", db)

    printed = evals(*words, cwd=tmp_path).stdout
    evals(*words, "--out", tmp_path / "out", cwd=tmp_path)

    assert (tmp_path / "out").read_bytes().decode() == printed


@pytest.mark.parametrize(
    "module, program, words",
    [
        ("pyarrow", "from runner.cli import main; main()", "pyarrow is not installed; pip install 'evals[frames]'"),
        (
            "pandas",
            "from runner import open_db\nwith open_db('evals.db') as db: db.attempts()",
            "pandas is not installed; data frames take: pip install 'evals[frames]'",
        ),
    ],
)
def test_without_the_extra_one_line_names_it(db: Path, module: str, program: str, words: str) -> None:
    code = f"import sys; sys.modules['{module}'] = None\n{program}"
    command = [sys.executable, "-c", code, "export", "r1", "--format", "parquet", "--out", "x.parquet"]

    ended = subprocess.run(command, cwd=db.parent, check=False, capture_output=True, text=True)

    assert ended.returncode == (2 if module == "pyarrow" else 1)
    assert ended.stderr.strip().endswith(words)
    assert not (db.parent / "x.parquet").exists()


def test_the_examples_of_the_page_run_as_they_stand(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    page = (Path(__file__).parents[2] / "docs" / "frames.md").read_text(encoding="utf-8")
    made = ("diff", "sim/careful?time=virtual", "sim/sloppy?time=virtual", "--max-cases", "3", "--run-id", "try-1")
    evals(*made, cwd=tmp_path)
    evals("export", "try-1", "--format", "parquet", "--out", "try-1.parquet", cwd=tmp_path)
    blocks = [part.partition("```")[0] for part in page.split("```python\n")[1:]]

    printed = [
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
        for code in blocks
    ]

    assert len(printed) == 3
    assert all("sim/careful" in text for text in printed[:2])
    assert "applied" in printed[2]
