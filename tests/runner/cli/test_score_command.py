"""`evals score`: scores to stdout, explanations to people, refusals in one line."""

import io
from pathlib import Path

import orjson
import pytest
import typer
from typer.testing import CliRunner, Result

from runner.cli.command import register
from runner.cli.score import ScoreOptions, score
from runner.errors import InputError

app = typer.Typer()
register(app, "score", ScoreOptions, score)

FILES = {
    "o.py": "def f(a):\n    return a\n",
    "a.py": "def f(a, b):\n    return a + b\n",
    "b.py": "def f(a, b):\n    return a\n",
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    return list(FILES)


def call(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(app, arguments, input=stdin)


def test_an_edit_is_scored_by_the_default_metrics(files: list[str]) -> None:
    done = call(*files)

    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["es-token", "es-line"]


def test_metrics_are_named_by_commas_or_again(files: list[str]) -> None:
    done = call(*files, "-m", "nes,ed", "--metric", "exact", "--json")

    assert list(orjson.loads(done.stdout)["scores"]) == ["nes", "ed", "exact"]


def test_one_more_reference_may_be_given(files: list[str]) -> None:
    done = call(*files, "--reference", "b.py", "--json")

    assert orjson.loads(done.stdout)["scores"] == {"es-token": 1.0, "es-line": 1.0}


def test_the_language_is_told_by_the_name_or_by_the_option(files: list[str]) -> None:
    assert orjson.loads(call(*files, "--json").stdout)["language"] == "python"
    assert orjson.loads(call(*files, "--lang", "js", "--json").stdout)["language"] == "javascript"
    assert orjson.loads(call(*files, "--lang", "text", "--json").stdout)["language"] is None


def test_a_batch_has_a_language_for_rows_without_one(tmp_path: Path) -> None:
    rows = [{"origin": "a # x", "reference": "b", "hypothesis": "b # y"}] * 2
    (tmp_path / "rows.jsonl").write_bytes(b"\n".join(map(orjson.dumps, [rows[0], {**rows[1], "lang": "text"}])))

    done = call("--batch", str(tmp_path / "rows.jsonl"), "--lang", "python", "-m", "exact")

    assert [orjson.loads(line)["scores"]["exact"] for line in done.stdout.splitlines()] == [1.0, 0.0]


def test_an_explanation_shows_regions_and_ngrams(files: list[str]) -> None:
    done = call(*files, "--explain")

    assert "region 2 of 2" in done.stdout
    assert "    add    missed   + | + b" in done.stdout


def test_an_explanation_is_of_the_first_metric_that_has_one(files: list[str]) -> None:
    told = orjson.loads(call(*files, "--metric", "nes,es-line", "--explain", "--json").stdout)["explain"]

    assert told["metric"] == "es-line"
    assert told["regions"][0]["ngrams"][0]["operation"] == "keep"


def test_rows_are_scored_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = b'{"origin": "a", "reference": "b", "hypothesis": "b", "id": 7}\n'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(rows)))

    done = call("--batch", "-", "-m", "es-text", stdin=rows.decode())

    assert orjson.loads(done.stdout) == {"row": 1, "id": 7, "scores": {"es-text": 1.0}}


@pytest.mark.parametrize(
    "arguments, told",
    [
        pytest.param(["o.py", "a.py"], "three files are needed", id="a file is missing"),
        pytest.param(["o.py", "a.py", "c.py"], "c.py: cannot be read", id="no such file"),
        pytest.param(["o.py", "a.py", "b.py", "-m", "rouge"], "no metric is called 'rouge'", id="no such metric"),
        pytest.param(["o.py", "a.py", "b.py", "--lang", "x"], "--lang: no grammar for", id="no such language"),
        pytest.param(["o.py", "--batch", "-"], "--batch: replaces the files", id="both forms"),
        pytest.param(["--batch", "absent.jsonl"], "absent.jsonl: cannot be read", id="no such batch"),
    ],
)
def test_bad_input_is_refused(files: list[str], arguments: list[str], told: str) -> None:
    assert files

    refused = call(*arguments).exception

    assert isinstance(refused, InputError)
    assert told in str(refused)


def test_files_too_large_to_align_are_refused(tmp_path: Path) -> None:
    for name in "oah":
        (tmp_path / name).write_text(" ".join(f"{name}{n}" for n in range(40_000)))

    refused = call(*(str(tmp_path / name) for name in "oah")).exception

    assert isinstance(refused, InputError)
    assert "score: 40000 and 40000 tokens" in str(refused)
