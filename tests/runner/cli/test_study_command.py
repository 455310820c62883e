"""`evals study`: labelled answers or mutants in, correlations out."""

import sys
from pathlib import Path

import orjson
import pytest
import typer
from typer.testing import CliRunner, Result

from runner.cli.command import register
from runner.cli.study import DEFAULT, StudyOptions, study
from runner.errors import InputError
from runner.metrics import METRICS

app = typer.Typer()
register(app, "study", StudyOptions, study)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six problems with a right, a half right, a wrong and an idle answer each."""
    problems, answers = [], []
    for number in range(6):
        name, origin = f"p{number}", f"def f(a):\n    return a + {number}\n"
        reference = origin.replace("(a)", "(a, b)").replace("+", "* b +")
        texts = {reference: True, origin.replace("+", "* b +"): number % 2 == 0, "x = 1\n": False, origin: False}
        problems.append({"problem": name, "lang": "py", "origin": origin, "reference": reference})
        answers += [
            {"model": f"m{place}", "problem": name, "prediction": text, "passed": passed}
            for place, (text, passed) in enumerate(texts.items())
        ]
    for file, rows in (("problems.jsonl", problems), ("predictions.jsonl", answers)):
        (tmp_path / file).write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return tmp_path


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments), "--draws", "50"])


def test_the_default_metrics_are_known() -> None:
    assert set(DEFAULT.split(",")) <= set(METRICS)


def test_a_study_is_a_table_for_people(folder: Path) -> None:
    done = call(folder)

    assert done.exit_code == 0
    assert "es-token" in done.stdout
    assert "6 problems, 4 models, 37.5 % passed; 50 resamples, seed 0" in done.stdout
    assert done.stderr == ""


def test_a_study_is_data(folder: Path) -> None:
    data = orjson.loads(call(folder, "--metrics", "nes,es-line", "--json").stdout)

    assert data["rows"] == 24
    assert list(data["measures"]) == ["nes", "es-line"]
    assert -1 <= data["measures"]["nes"]["pearson"] < data["measures"]["es-line"]["pearson"] <= 1
    assert data["measures"]["es-line"]["difference"]["against"] == "nes"


def test_all_metrics_may_be_asked_for(folder: Path) -> None:
    assert list(orjson.loads(call(folder, "--metrics", "all", "--json").stdout)["measures"]) == list(METRICS)


def test_models_are_chosen(folder: Path) -> None:
    assert orjson.loads(call(folder, "--models", "-?m[01]$", "--json").stdout)["rows"] == 12


def test_a_prefix_does_not_change_measures_of_edits(folder: Path) -> None:
    plain, perturbed = (
        orjson.loads(call(folder, "--metrics", "es-token,es-line,nes", "--json", *more).stdout)["measures"]
        for more in ([], ["--perturb", "prefix"])
    )

    assert plain["es-token"] == perturbed["es-token"]
    assert plain["es-line"] == perturbed["es-line"]
    assert plain["nes"] != perturbed["nes"]


def test_a_figure_is_written(folder: Path) -> None:
    call(folder, "--metrics", "es-token", "--figure", folder / "figure.svg")

    assert (folder / "figure.svg").read_text().startswith("<svg")


def test_another_programs_measure_joins_the_others(folder: Path) -> None:
    command = f"{sys.executable} -c 'import sys; [print(len(line)) for line in sys.stdin]'"

    data = orjson.loads(call(folder, "--metrics", "nes", "--external", f"length={command}", "--json").stdout)

    assert list(data["measures"]) == ["nes", "length"]


def test_mutants_are_made_and_judged_where_there_are_no_answers(tmp_path: Path) -> None:
    problem = {
        "problem": "p",
        "lang": "python",
        "origin": "def f(a):\n    b = a\n    return b\n",
        "reference": "def f(a):\n    b = a + 1\n    return b\n",
        "test": "assert f(1) == 2",
    }
    (tmp_path / "problems.jsonl").write_bytes(orjson.dumps(problem))

    data = orjson.loads(call(tmp_path, "--mutants", "--metrics", "es-token", "--json").stdout)

    assert data["mutants"] is True
    assert 0 < data["passed"] < 1
    assert data["models"]["nothing"] == {"rows": 1, "passed": 0}


@pytest.mark.wide
def test_the_page_on_metrics_tells_what_the_shipped_mutants_give() -> None:
    root = Path(__file__).parents[3]
    page = (root / "docs/metrics.md").read_text(encoding="utf-8")

    done = CliRunner().invoke(app, [str(root / "cases/mutants"), "--mutants", "--json"])

    data = orjson.loads(done.stdout)
    assert data["rows"] >= 100
    assert 0 < data["passed"] < 1
    assert f"mutants of `cases/mutants`, all {data['rows']}" in page
    for name in ("delta-chrf", "es-token"):
        found = data["measures"][name]
        low, high = found["ci"]
        assert f"{found['pearson']:.3f} [{low:.3f}, {high:.3f}]" in page


@pytest.mark.parametrize(
    "arguments, told",
    [
        pytest.param(["--metrics", "rouge"], "no metric is called 'rouge'", id="metric"),
        pytest.param(["--against", "chrf", "--metrics", "nes"], "--against: 'chrf' is not measured", id="comparison"),
        pytest.param(["--mutants", "--models", "m"], "--models: mutants are by no model", id="models of mutants"),
        pytest.param(["--external", "nes=true"], "two measures have one name", id="a name twice"),
        pytest.param(["--figure", "/absent/f.svg", "--metrics", "nes"], "--figure: /absent/f.svg: cannot", id="figure"),
        pytest.param(["--models", "none"], "no answer's model matches 'none'", id="model"),
    ],
)
def test_bad_input_is_refused(folder: Path, arguments: list[str], told: str) -> None:
    refused = call(folder, *arguments).exception

    assert isinstance(refused, InputError)
    assert told in str(refused)


def test_an_unknown_perturbation_is_refused(folder: Path) -> None:
    done = call(folder, "--perturb", "suffix")

    assert done.exit_code == 2
    assert "'suffix' is not one of 'prefix'" in done.stderr
