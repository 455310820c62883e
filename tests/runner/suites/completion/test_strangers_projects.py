"""Projects of strangers, as their source distributions are: data sets of them are built, proved again and judged.

They come from the package index that pip is configured for; without one the tests are skipped. A task of each type of
block is built, or so many of each scene and type as `EVALS_SDISTS` says: a number, or `all` (`make sdists`).
"""

import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest

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
EVALS = Path(sys.executable).with_name("evals")
PATIENCE_S = 300
# Before the tasks of a project are judged its tests are run, one after the other.
PROJECTS_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Tried:
    """What the commands print of a project: of the build, of its proofs, and of a run."""

    built: dict[str, Any]
    proofs: str
    run: dict[str, Any]


def pip(*words: object, python: str = sys.executable) -> str | None:
    """None where pip succeeds; else the last thing it said."""
    command = [python, "-m", "pip", "-q", "--disable-pip-version-check", *map(str, words)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return f"no answer within {PATIENCE_S} s"
    return None if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2] or "it failed"


def fetched(requirement: str, folder: Path) -> Path:
    """The repository of a source distribution. Raises LookupError where it cannot be had."""
    name = requirement.partition("==")[0]
    failed = pip("download", "--no-deps", "--no-binary", name, "--dest", folder, requirement)
    if failed:
        raise LookupError(f"pip cannot download {requirement}: {failed}")
    (archive,) = folder.glob("*.tar.gz")
    assert sha256(archive.read_bytes()).hexdigest() == SDISTS[requirement]
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    (repo,) = (folder / "unpacked").iterdir()
    return repo


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


@pytest.fixture(scope="module")
def projects(python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Future[Tried]]]:
    """What will be known of each project."""
    with ThreadPoolExecutor(PROJECTS_AT_ONCE) as pool:
        yield {
            requirement: pool.submit(tried, requirement, python, tmp_path_factory.mktemp("project"))
            for requirement in SDISTS
        }
        pool.shutdown(cancel_futures=True)


def tried(requirement: str, python: str, folder: Path) -> Tried:
    """Build, prove again, and judge. Raises LookupError where there is nothing to build from."""
    repo, out = fetched(requirement, folder), folder / "tasks.jsonl"
    where = ("--repo", repo, "--python", python, "-j", "2")
    few, fewer = ((), ()) if WANTED == "all" else (("--limit", WANTED), ()) if WANTED else (FEW, ("--max-cases", "4"))
    built = evals("build", "--out", out, *where, *few, "--json")
    proofs = evals("validate", out, *where)
    run = evals("run", out, "--sut", "sim/truth,sim/wrong", *where, *fewer, "--db", folder / "evals.db", "--json")
    return Tried(orjson.loads(built), proofs, orjson.loads(run))


def evals(*words: object) -> str:
    """What a command prints that succeeds; no setting of this process reaches it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EVALS_")}
    command = [str(EVALS), "completion", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("requirement", SDISTS)
def test_of_a_strangers_project_all_truths_pass_and_no_wrong_filling_does(
    requirement: str, projects: Mapping[str, Future[Tried]]
) -> None:
    try:
        found = projects[requirement].result()
    except LookupError as error:
        pytest.skip(str(error))

    proved = sum(found.built["killed_by"].values())
    assert proved >= len(found.built["scenes"]) * 5
    assert found.built["tests"]["broken"] == {}
    assert found.proofs == f"{proved} of {proved} proofs hold\n"
    asked = proved if WANTED else 4
    rates = {(row["sut"], row["parser"]): without_comments(row["outcomes"]) for row in found.run["variants"]}
    assert rates == {
        (sut, chain): {outcome: asked}
        for sut, outcome in (("sim/truth", "solved"), ("sim/wrong", "unsolved"))
        for chain in ("raw", "repaired")
    }


def without_comments(outcomes: Mapping[str, int]) -> dict[str, int]:
    """The outcomes of tasks that tests see."""
    return {name: count for name, count in outcomes.items() if name != "untested"}
