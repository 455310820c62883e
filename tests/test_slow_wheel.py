"""The wheel, installed into an empty environment of each Python at hand, works in an empty folder; `uv` installs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pythons import VERSIONS, interpreters

ROOT = Path(__file__).parents[1]
UV = shutil.which("uv")
CORE_MB = 200

pytestmark = [pytest.mark.slow, pytest.mark.skipif(UV is None, reason="uv is not installed")]

# In this order: later commands read what earlier ones wrote.
COMMANDS = {
    "diff": "diff --model-ids sim/careful --parallel --run-id one",
    "replay": "replay --run-id one --diff-apply v1",
    "report": "report one",
    "nextedit": "nextedit --sut rules",
    "codrep run": "codrep run cases/codrep --model-ids ranker,sim/careful",
    "edit run": "edit run cases/edit/problems.jsonl --model-ids sim/careful --max-cases 2",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run("uv", "build", "--wheel", "--no-build-isolation", "--python", sys.executable, "--out-dir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


def run(*words: object, folder: Path = ROOT) -> str:
    """What a program says that succeeds; no setting of this process reaches it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("EVALS_", "VIRTUAL_ENV"))}
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout + done.stderr


@pytest.mark.parametrize("version", VERSIONS)
def test_every_suite_runs_from_an_empty_folder(version: str, wheel: Path, tmp_path: Path) -> None:
    python = interpreters().get(version)
    if python is None:
        pytest.skip(f"Python {version} is not installed")
    place, folder = tmp_path / "installed", tmp_path / "empty"
    folder.mkdir()
    run("uv", "venv", "--python", python, place)
    run("uv", "pip", "install", "--python", place, "--require-hashes", "--requirement", ROOT / "requirements.lock")
    run("uv", "pip", "install", "--python", place, "--no-deps", wheel)

    size_mb = sum(file.lstat().st_size for file in place.rglob("*")) / 1e6
    printed = {name: run(place / "bin" / "evals", *words.split(), folder=folder) for name, words in COMMANDS.items()}

    assert size_mb < CORE_MB
    assert [name for name, output in printed.items() if not output.strip()] == []
    assert [path.name for path in folder.iterdir()] == ["evals.db"]


def test_the_project_resolves_for_the_next_python() -> None:
    resolved = run("uv", "pip", "compile", "--all-extras", "--python-version", "3.14", ROOT / "pyproject.toml")

    assert "tree-sitter-python==" in resolved
