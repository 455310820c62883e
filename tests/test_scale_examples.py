"""The examples of docs/scale.md work as they stand, with a simulated model in place of a real one."""

import re
import shlex
from pathlib import Path
from string import Template

import pytest

from tests.in_process import Ended, evals

PAGE = (Path(__file__).parents[1] / "docs" / "scale.md").read_text(encoding="utf-8")
_CASES = Path(__file__).parents[1] / "cases" / "diff_edit"
_MODEL = "sim/any?applied=0.9&valid=1&time=virtual"
_SLURM = {"SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "3"}
# The variables of each shard, by the name of its block.
_ENVIRONMENTS = {
    "sh slurm": [{**_SLURM, "SLURM_ARRAY_TASK_ID": str(index)} for index in range(4)],
    "yaml kubernetes": [{"JOB_COMPLETION_INDEX": str(index)} for index in range(4)],
    "yaml github": [{"EVALS_SHARD": f"{index}/4", "SHARD": str(index)} for index in range(1, 5)],
    "yaml gitlab": [{"CI_NODE_INDEX": str(index), "CI_NODE_TOTAL": "4"} for index in range(1, 5)],
}


def _commands(block: str) -> list[str]:
    """The `evals` commands of a block; expressions of GitHub as variables of a shell."""
    ((text),) = re.findall(rf"^```{block}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    plain = text.replace("${{ matrix.shard }}", "${SHARD}")
    return re.findall(r"^(?:\s*- (?:run: )?)?(evals .*)$", plain, re.MULTILINE)


def _run(command: str, folder: Path, variables: dict[str, str]) -> Ended:
    words = shlex.split(Template(command).substitute(variables))[1:]
    places = {"openai/gpt-5-mini": _MODEL}
    found = [places.get(word, word.replace("/data/", "")) for word in words]
    return evals(*found, "--cases", _CASES, "--max-cases", 4, cwd=folder, **variables)


@pytest.mark.parametrize("block", _ENVIRONMENTS)
def test_the_shards_of_an_environment_become_one_complete_run(block: str, tmp_path: Path) -> None:
    (command,) = _commands(block)
    asked = [_run(command, tmp_path, variables) for variables in _ENVIRONMENTS[block]]
    (merge,) = _commands("sh merge")
    words = shlex.split(merge)[1:]

    merged = evals(*words[:-1], *sorted(tmp_path.glob(words[-1])), cwd=tmp_path)

    assert [ended.returncode for ended in asked] == [0] * 4, [ended.stderr for ended in asked]
    assert (merged.returncode, merged.stderr.count("complete")) == (0, 1), merged.stderr
    assert "incomplete" not in merged.stderr
    runs = evals("report", "latest", "--json", "--db", "all.db", cwd=tmp_path)
    assert runs.returncode == 0, runs.stderr
