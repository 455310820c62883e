"""Which source file each task is about: tasks of one file, at several commits, are not independent of each other."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from runner.jsonl import read_rows
from runner.suites.codrep.dataset import CodrepDataset, CodrepTask

_PACKAGE = re.compile(r"^[^\S\n]*package\s+([\w.]+)", re.MULTILINE)
_TYPE = re.compile(r"^[^*\n]*?\b(?:class|interface|enum)\s+(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _MinedCase:
    """What a manifest says of one case: the number of its task, and the file's path in the repository."""

    case: int
    path: str


def file_key(text: str) -> tuple[str, str] | None:
    """The package and the first type of a program; None where either is missing."""
    package, declared = _PACKAGE.search(text), _TYPE.search(text)
    return (package[1], declared[1]) if package and declared else None


def mined_files(dataset: CodrepDataset) -> Mapping[str, str]:
    """The path of each task's file, by the task's number, of a dataset that `evals cases mine` wrote; else none.

    Raises InputError where its manifest is damaged.
    """
    manifest = dataset.tasks.parent / "manifest.jsonl"
    if not manifest.is_file():
        return {}
    cases = (row.read(_MinedCase) for row in read_rows(manifest) if "case" in row.values)
    return {str(case.case): case.path for case in cases}


def source_file(task: CodrepTask, mined: Mapping[str, str]) -> str:
    """What tasks of one file have in common: its path where it is known, else its package and first type.

    A task of which neither is known stands for itself.
    """
    path = mined.get(task.path.stem)
    if path is not None:
        return path
    key = file_key("\n".join(task.lines))
    return ".".join(key) if key else task.case_id
