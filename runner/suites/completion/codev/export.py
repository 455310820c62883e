"""Writes a data set of ours as Codev-Bench's own files: `prompts/<mode>.jsonl`, and which command runs each test.

What the original has no name for is left out, and counted: scene 3, types of blocks that it does not know, tasks
without tests, and files that hold one of its marks.
"""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.errors import InputError
from runner.suites.completion.blocks import Function, blocks
from runner.suites.completion.codev.files import write_rows
from runner.suites.completion.codev.metadatas import TESTS
from runner.suites.completion.codev.rules import GROUPS
from runner.suites.completion.codev.tasks import MARKS, rebased
from runner.suites.completion.dataset import Dataset, Task

_FILE_MARK = "<filename>"
_NO, _WITH = "no_evidence", "with_evidence"
_WHOLE = "complete_current_block"
# By scene, and whether there is evidence.
MODES: Mapping[tuple[str, bool], str] = {
    ("1.1", False): f"prefix_suffix_full_{_WHOLE}_{_NO}",
    ("1.1", True): f"prefix_suffix_full_{_WHOLE}_{_WITH}",
    ("1.2", False): f"prefix_full_suffix_func_empty_{_WHOLE}_{_NO}",
    ("1.2", True): f"prefix_full_suffix_func_empty_{_WHOLE}_{_WITH}",
    ("1.3", False): f"prefix_full_suffix_empty_{_WHOLE}_{_NO}",
    ("1.3", True): f"prefix_full_suffix_empty_{_WHOLE}_{_WITH}",
    ("2.1", False): "complete_current_header_inner_block_completion",
    ("2.2", False): "complete_current_header_empty_completion",
    ("4", False): f"prefix_suffix_full_{_WHOLE}_with_repo_rag_oracle",
}


@dataclass(frozen=True, slots=True)
class CodevExport:
    """The files that were written with their numbers of tasks, and how many tasks were left out, by the reason."""

    written: Mapping[Path, int]
    left_out: Mapping[str, int]


def export(dataset: Dataset, folder: Path) -> CodevExport:
    """Write `prompts` and `metadatas` into a folder, which is to get `Source_Code_Copy/<repository>` by hand.

    Raises InputError for a repository whose paths Codev-Bench would take for others, and for what cannot be written.
    """
    main = folder.resolve()
    functions = {place: _functions(text) for place, text in dataset.files.items()}
    rows: dict[str, list[dict[str, object]]] = {}
    left_out: Counter[str] = Counter()
    tests: dict[str, dict[str, None]] = {}
    for task in dataset.tasks:
        reason = _unfit(dataset, task)
        if reason:
            left_out[reason] += 1
            continue
        mode = MODES[task.scene, task.with_evidence]
        rows.setdefault(mode, []).append(_row(dataset, task, main, functions[task.place]))
        tests.setdefault(dataset.origins[task.repo].repo, {}).update(dict.fromkeys(task.tests))
    written = {folder / "prompts" / f"{mode}.jsonl": inside for mode, inside in sorted(rows.items())}
    for path, inside in written.items():
        write_rows(path, inside, "--codev-dir")
    for repo, own in tests.items():
        write_rows(folder / "metadatas" / repo / TESTS, (_test(test, repo, main) for test in own), "--codev-dir")
    return CodevExport({path: len(inside) for path, inside in written.items()}, left_out)


def _unfit(dataset: Dataset, task: Task) -> str:
    """Why a task cannot be one of Codev-Bench's; "" if it can."""
    if not task.tests:
        return "no tests"
    if (task.scene, task.with_evidence) not in MODES:
        return f"scene {task.scene}"
    if task.block_type not in GROUPS:
        return f"type {task.block_type}"
    texts = (dataset.files[task.place], *(piece.text for piece in task.evidence))
    if any(mark in text for text in texts for mark in (*MARKS, _FILE_MARK)):
        return "a mark of Codev-Bench in the text"
    return ""


def _row(dataset: Dataset, task: Task, main: Path, functions: Mapping[tuple[str, int], Function]) -> dict[str, object]:
    """All fields of a task; what is shown and what is tested are apart where the suffix is cut."""
    prefix, middle, suffix = dataset.prefix(task), dataset.truth(task), dataset.suffix(task)
    file = _source(main, dataset.origins[task.repo].repo, task.file)
    function = functions.get((task.function, task.function_end))
    around = task.span if function is None else function.span
    evidence = "".join(f"{_FILE_MARK}{piece.path}\n{piece.text}\n" for piece in task.evidence)
    return {
        "func_name": f"{file}#L{around.start_line}-L{around.end_line}",
        "item_dids": list(task.tests),
        "unit_test_ids": list(task.tests),
        "block_key": f"{file}#L{task.span.start_line}-L{task.span.end_line}",
        "block_type": task.block_type,
        "prompt": f"{evidence}{_FILE_MARK}{task.file}\n<fim_prefix>{prefix}<fim_suffix>{suffix}<fim_middle>",
        "prefix": prefix,
        "suffix": suffix,
        "middle": middle,
        "test_prefix": prefix,
        "test_suffix": dataset.assembled(task, "").removeprefix(prefix),
        "test_middle": middle,
    }


def _source(main: Path, repo: str, path: str) -> str:
    """Where a file would lie. Raises InputError where Codev-Bench would look for it elsewhere."""
    place = f"{main}/Source_Code/{repo}/{path}"
    try:
        names = rebased(place)
    except ValueError:
        names = ("", "")
    if names != (repo, path):
        raise InputError(
            f"{repo}/{path}: Codev-Bench would read another path out of it; rename the folder, build again"
        )
    return place


def _functions(text: str) -> dict[tuple[str, int], Function]:
    """The functions around holes, by their names and their ends."""
    inside = (block.function for block in blocks(text.encode()))
    return {(function.name, function.span.end): function for function in inside if function is not None}


def _test(test: str, repo: str, main: Path) -> dict[str, object]:
    """Which command runs a test, with the interpreter that the original makes for a repository."""
    file, _, names = test.partition("::")
    place = f"{main}/Source_Code/{repo}"
    command = (f"{place}/myenv/bin/python", "-m", "pytest", f"{place}/{test}")
    run = f"cd {shlex.quote(place)} && {shlex.join(command)}"
    return {"did": test, "run_command": run, "relative_path": file, "func_path": names}


def lines_of(exported: CodevExport) -> Iterator[str]:
    """What was written and what was not, for a person."""
    for path, count in exported.written.items():
        yield f"{path}: {count} tasks"
    for reason, count in sorted(exported.left_out.items()):
        yield f"{count} tasks are left out: {reason}"
