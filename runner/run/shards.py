"""A shard of a run: which of its cases one of several processes attempts; given, or read from variables of its job."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from runner.errors import InputError

AUTO = "auto"
_FORM = re.compile(r"(\d{1,6})/(\d{1,6})")
_FIX = "give such as 1/4, `auto`, or `auto/4` where only the index is known"


@dataclass(frozen=True, slots=True)
class Shard:
    """The `index`th of `total` parts, counted from 1."""

    index: int
    total: int

    def __str__(self) -> str:
        """Return it as `--shard` takes it."""
        return f"{self.index}/{self.total}"

    def holds(self, case_id: str) -> bool:
        """Return whether a case is in this shard: by its name alone, so all that is asked about it is in one."""
        digest = hashlib.sha256(case_id.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.total == self.index - 1


@dataclass(frozen=True, slots=True)
class _Source:
    """Variables by which an environment gives a process its index, and how many there are; "" = it does not."""

    name: str
    index: str
    total: str
    first: int


_SLURM = _Source("Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", 0)
_SOURCES = (
    _SLURM,
    _Source("Kubernetes", "JOB_COMPLETION_INDEX", "", 0),
    _Source("GitLab CI", "CI_NODE_INDEX", "CI_NODE_TOTAL", 1),
    _Source("CircleCI", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0),
    _Source("Buildkite", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0),
    _Source("Cloud Run", "CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT", 0),
)


def chosen_shard(text: str, variables: Mapping[str, str]) -> Shard | None:
    """Return the shard that `--shard` names; None for "". Variables are read for `auto` alone. Raises InputError."""
    if not text:
        return None
    if text == AUTO or text.startswith(f"{AUTO}/"):
        return _automatic(text.removeprefix(AUTO).removeprefix("/"), variables)
    match = _FORM.fullmatch(text)
    if match is None:
        raise InputError(f"--shard: {text!r} is no shard; {_FIX}")
    return _checked(int(match[1]), int(match[2]), f"--shard: {text}")


def _checked(index: int, total: int, what: str) -> Shard:
    if not 1 <= index <= total:
        raise InputError(f"{what}: shards are counted from 1 to their number; {_FIX}")
    return Shard(index, total)


def _automatic(number: str, variables: Mapping[str, str]) -> Shard:
    sources = [source for source in _SOURCES if variables.get(source.index)]
    if not sources:
        raise InputError(f"--shard {AUTO}: no variable of a job array is set, such as {_SLURM.index}; give such as 1/4")
    if len(sources) > 1:
        names = " and ".join(source.index for source in sources)
        raise InputError(f"--shard {AUTO}: {names} are both set; give such as 1/4")
    (source,) = sources
    stated = variables.get(source.total, "") if source.total else ""
    if number and stated and number != stated:
        raise InputError(f"--shard {AUTO}/{number}: {source.total} is {stated}; give `{AUTO}`, or such as 1/4")
    if not (number or stated):
        raise InputError(f"--shard {AUTO}: {source.name} does not say how many there are; give such as `{AUTO}/4`")
    first = _first_of_slurm(variables, stated) if source is _SLURM else source.first
    index = _number(source.index, variables[source.index])
    total = _number("--shard", number) if number else _number(source.total, stated)
    return _checked(index - first + 1, total, f"--shard {AUTO}: {source.index} is {index}, of {total}")


def _first_of_slurm(variables: Mapping[str, str], count: str) -> int:
    """Return the first index of the array. Raises InputError for what may be a rest of another one."""
    names = ("SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX")
    first, last = (_number(name, variables.get(name, "")) for name in names)
    tasks = _number(_SLURM.total, count)
    if first > 1 or tasks < 2 or last - first + 1 != tasks:
        raise InputError(
            f"--shard {AUTO}: an array of {tasks} tasks from {first} to {last} may be a rest of a larger one; "
            f"give such as --shard $((SLURM_ARRAY_TASK_ID + 1))/10"
        )
    return first


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise InputError(f"{name}: is {text!r}; --shard {AUTO} takes a whole number there, so give such as 1/4")
    return int(text)
