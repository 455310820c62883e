"""`--env`: tests of answers find the packages that are pinned, from wheels of our own and no registry."""

import zipfile
from contextlib import closing
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from runner.cli.edit import app
from runner.errors import InputError
from runner.storage.rows import config_of
from runner.storage.runs import find_run
from runner.storage.store import Store

pytestmark = [pytest.mark.wide, pytest.mark.usefixtures("isolation")]

PROBLEM = {
    "problem": "four",
    "lang": "python",
    "origin": "import doubling\n\ndef four():\n    return doubling.twice(1)\n",
    "instruction": "Make four() 4.",
    "reference": "import doubling\n\ndef four():\n    return doubling.twice(2)\n",
    "test": "import os\nassert four() == 4\nassert not os.access(doubling.__file__, os.W_OK), 'can be written'\n",
}


@pytest.fixture(autouse=True)
def _own_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two wheels, one of which needs the other; pip and the cache see nothing else."""
    wheel(tmp_path, "doubling", "1.0", "def twice(number):\n    return 2 * number\n")
    wheel(tmp_path, "quadrupling", "2.0", "from doubling import twice\n", "Requires-Dist: doubling\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "problems.jsonl").write_bytes(orjson.dumps(PROBLEM))


def wheel(folder: Path, name: str, version: str, source: str, needs: str = "") -> None:
    about = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": source,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in (*files, f"{about}/RECORD"))
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as packed:
        for path, text in {**files, f"{about}/RECORD": record}.items():
            packed.writestr(path, text)


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def test_pinned_packages_are_installed_once_and_recorded(tmp_path: Path) -> None:
    problems, pins, db = tmp_path / "problems.jsonl", tmp_path / "pins.txt", tmp_path / "evals.db"
    pins.write_text("doubling==1.0\n")

    without = call("check", problems)
    first = call("check", problems, "--env", pins)
    pins.write_text("# the same\nDoubling == 1.0\n")
    run = call("run", problems, "--sut", "sim/any?time=virtual", "--env", pins, "-n", "2", "--db", db, "--run-id", "r")

    assert "needs doubling, which is not installed" in without.stdout
    assert "pin it in the file of --env" in without.stdout
    assert (first.exit_code, first.stdout.split(",")[0]) == (0, "1 problems can be read")
    assert "an environment with 1 packages" in first.stderr
    assert (run.exit_code, "an environment with" in run.stderr) == (0, False)
    with closing(Store.open(db, create=False)) as store:
        assert config_of(find_run(store, "r"))["identity"]["environment"] == ["doubling==1.0"]
    (made,) = (tmp_path / "cache" / "evals" / "environments").iterdir()
    (compiled,) = made.glob("lib/python*/site-packages/__pycache__/doubling.*.pyc")
    assert str(made).encode() in compiled.read_bytes()


@pytest.mark.parametrize(
    "pinned, told",
    [
        pytest.param("quadrupling==2.0", "quadrupling 2.0 requires doubling, which is not installed", id="not all"),
        pytest.param("tripling==3.0", "No matching distribution found for tripling==3.0", id="absent"),
    ],
)
def test_an_environment_that_cannot_be_made_is_one_line_and_leaves_nothing(
    pinned: str, told: str, tmp_path: Path
) -> None:
    pins = tmp_path / "pins.txt"
    pins.write_text(pinned)

    result = call("check", tmp_path / "problems.jsonl", "--env", pins)

    assert isinstance(result.exception, InputError)
    assert f"--env {pins}: " in str(result.exception)
    assert told in str(result.exception)
    assert "\n" not in str(result.exception)
    assert list((tmp_path / "cache" / "evals" / "environments").iterdir()) == []
