"""The recipes work as they stand, with simulated models in place of real ones; their costs are true."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runner.mine.made_history import change, start

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
PAGE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
RECIPES = {section.split("\n")[0]: section for section in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]}
SIMULATED = {
    "openai/gpt-5-mini": "'sim/careful?time=virtual'",
    "anthropic/claude-haiku-4-5": "'sim/sloppy?time=virtual'",
    "anthropic/claude-sonnet-4-5": "'sim/chatty?time=virtual'",
    # A server on this machine, over its real wire.
    "ollama/qwen2.5-coder:7b": "'ollama/any?applied=0.7&valid=0.8&ttft_ms=1&gap_ms=0'",
}


def blocks(recipe: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", RECIPES[recipe], re.MULTILINE | re.DOTALL)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with the cases that come along, and a repository."""
    (tmp_path / "cases").mkdir()
    for case in sorted((ROOT / "cases" / "diff_edit").glob("*.json"))[:8]:
        (tmp_path / "cases" / "diff_edit").mkdir(exist_ok=True)
        (tmp_path / "cases" / "diff_edit" / case.name).write_bytes(case.read_bytes())
    repository = tmp_path / "path" / "to" / "repository"
    repository.parent.mkdir(parents=True)
    lines = [f"def f{number}():\n    return {number}\n\n\n".encode() for number in range(9)]
    start(repository, {"till.py": b"".join(lines)})
    for number in (3, 5):
        lines[number] = f"def f{number}():\n    return {11 * number}\n\n\n".encode()
        change(repository, {"till.py": b"".join(lines)}, f"Return more from f{number}")
    return tmp_path


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    words = [str(BIN / "evals"), "serve-sim", "--cases", str(ROOT / "cases" / "diff_edit")]
    serving = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        yield serving.stdout.readline().split()[-1]
    finally:
        serving.kill()
        serving.communicate()


def test_there_are_five_recipes() -> None:
    assert len(RECIPES) == 5
    assert all(blocks(recipe, "sh recipe") for recipe in RECIPES)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_runs_as_it_stands(recipe: str, desk: Path, server: str, programs: str) -> None:
    script = "\n".join(blocks(recipe, "sh recipe"))
    for model, simulated in SIMULATED.items():
        script = script.replace(model, simulated)
    variables = {"PATH": programs, "HOME": str(desk), "OLLAMA_BASE_URL": f"{server}/v1"}

    done = subprocess.run(
        ["bash", "-eux", "-o", "pipefail"],
        input=script, cwd=desk, env=variables, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr[-2000:]
    assert "results" in done.stdout or "variants" in done.stdout


@pytest.mark.parametrize("recipe", [recipe for recipe in RECIPES if blocks(recipe, "text")])
def test_the_cost_of_a_recipe_is_what_a_dry_run_says(recipe: str, programs: str) -> None:
    commands = blocks(recipe, "sh recipe")[0].split("\n")
    words = next(line for line in commands if line.startswith("evals diff") and "openai/" in line).split()
    words = [word for word in words if word not in {"--yes", "--dry-run"}]

    done = subprocess.run(
        [str(shutil.which("evals", path=programs)), *words[1:], "--dry-run"],
        cwd=ROOT, env={"PATH": programs}, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == blocks(recipe, "text")[0].strip()
