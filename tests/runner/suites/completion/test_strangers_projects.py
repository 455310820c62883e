"""Projects of strangers, as their source distributions are: data sets of them are built, proved again and judged.

They come from the package index that pip is configured for; without one the tests are skipped. A task of each type of
block is built, or so many of each scene and type as `EVALS_SDISTS` says: a number, or `all` (`make sdists`).
"""

import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from runner.cli.completion import app

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("isolation")]

SDISTS = {
    "boltons==26.2.0": "d39cfd15c1a1c3bd4d705c82252fa9edb8e4f5e8cc039f8e39afac7b1b47e92c",
    "cachetools==8.0.1": "deb1d376d4d28c2f33f3e3058043b005e0af75c35c094bd54053e27d2906ad95",
    "python-slugify==9.2.0": "cee32948083476013804de1667724fb1362dacb71e47b1d5d92adf8db6ee3298",
    "tomlkit==0.15.2": "83e32755ba1d20d9340bd069ee97e9f6232ba2346b63ffcba425de01f7e327a6",
    "toolz==1.2.0": "9667a038e9d6ecba37995e26cb2f59ec6420b6ad8dd9677de59db9b956b08490",
}
TEST_REQUIREMENTS = ("pytest==9.2.0", "PyYAML==6.0.3", "text-unidecode==1.3")
WANTED = os.environ.get("EVALS_SDISTS", "")
FEW = ("--scenes", "1.1", "--limit", "1", "--mutants", "0")
PATIENCE_S = 300


def pip(*words: object, python: str = sys.executable) -> str | None:
    """None where pip succeeds; else the last thing it said."""
    command = [python, "-m", "pip", "-q", "--disable-pip-version-check", *map(str, words)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return f"no answer within {PATIENCE_S} s"
    return None if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2] or "it failed"


def fetched(requirement: str, folder: Path) -> Path | str:
    """The source distribution, or why it cannot be had."""
    name = requirement.partition("==")[0]
    failed = pip("download", "--no-deps", "--no-binary", name, "--dest", folder / name, requirement)
    return failed or next((folder / name).glob("*.tar.gz"))


@pytest.fixture(scope="module")
def sdists(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path | str]:
    """The source distributions, all fetched at once: pip asks the build of each for its metadata."""
    folder = tmp_path_factory.mktemp("sdists")
    with ThreadPoolExecutor(len(SDISTS)) as pool:
        return dict(zip(SDISTS, pool.map(lambda requirement: fetched(requirement, folder), SDISTS), strict=True))


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter with what their tests need, and none of them."""
    place = tmp_path_factory.mktemp("python") / "env"
    subprocess.run([sys.executable, "-m", "venv", place], check=True, timeout=PATIENCE_S)
    found = str(place / "bin" / "python")
    failed = pip("install", *TEST_REQUIREMENTS, python=found)
    if failed:
        pytest.skip(f"pip cannot install {', '.join(TEST_REQUIREMENTS)}: {failed}")
    return found


def wanted() -> tuple[str, ...]:
    """The options that say how many tasks are built."""
    if not WANTED:
        return FEW
    return () if WANTED == "all" else ("--limit", WANTED)


def judged() -> tuple[str, ...]:
    """The options that say of how many tasks a run is."""
    return () if WANTED else ("--max-cases", "4")


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)


@pytest.mark.parametrize("requirement", SDISTS)
def test_of_a_strangers_project_all_truths_pass_and_no_wrong_filling_does(
    requirement: str, sdists: Mapping[str, Path | str], python: str, tmp_path: Path
) -> None:
    archive = sdists[requirement]
    if isinstance(archive, str):
        pytest.skip(f"pip cannot download {requirement}: {archive}")
    assert sha256(archive.read_bytes()).hexdigest() == SDISTS[requirement]
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "unpacked", filter="data")
    (repo,) = (tmp_path / "unpacked").iterdir()
    out, where = tmp_path / "tasks.jsonl", ("--repo", repo, "--python", python, "-j", "2")

    built = call("build", "--out", out, *where, *wanted(), "--json")
    checked = call("validate", out, *where)
    run = call("run", out, "--sut", "sim/truth,sim/wrong", *where, *judged(), "--db", tmp_path / "evals.db", "--json")

    told = orjson.loads(built.stdout)
    proved = sum(told["killed_by"].values())
    assert proved >= len(told["scenes"]) * 5
    assert told["tests"]["broken"] == {}
    assert checked.stdout == f"{proved} of {proved} proofs hold\n"
    rows = orjson.loads(run.stdout)["variants"]
    asked = min(proved, 4) if not WANTED else proved
    rates = {(row["sut"], row["parser"]): tested(row["outcomes"]) for row in rows}
    assert rates == {
        (sut, chain): {outcome: asked}
        for sut, outcome in (("sim/truth", "solved"), ("sim/wrong", "unsolved"))
        for chain in ("raw", "repaired")
    }


def tested(outcomes: Mapping[str, int]) -> dict[str, int]:
    """The outcomes without those of comments, which no test sees."""
    return {name: count for name, count in outcomes.items() if name != "untested"}
