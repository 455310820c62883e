"""The tasks of dataset folders as the cases of a run: chosen, checked, and read again when their turn comes."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from runner.errors import InputError
from runner.suites.codrep.dataset import CodrepDataset, CodrepTask
from runner.suites.codrep.question import least_question, question
from runner.suites.codrep.source_files import mined_files, source_file
from runner.suites.codrep.windowing import whole_window
from runner.tokens import token_counter

# Exact counts take as long as choosing what to show.
_ESTIMATE = token_counter(exact=False)


@dataclass(frozen=True, slots=True)
class ReplacedLine:
    """The line that was replaced, how many lines its file has, and what tasks of that file have in common."""

    answer: int
    lines: int
    file: str = ""


@dataclass(frozen=True, slots=True)
class CodrepCase:
    """One task of a run: where it stands, how many lines its file has, and which of them was replaced.

    The text stays on disk: a dataset of the competition is larger than it is worth to hold in memory. `digest` is 12
    hexadecimal digits over task and solution. `least_bytes` is the size in UTF-8 of the shortest question about the
    task; `whole_tokens` estimates the tokens of the question that shows the whole file.
    """

    case_id: str
    dataset: CodrepDataset
    path: Path
    lines: int
    answer: int
    digest: str
    least_bytes: int
    whole_tokens: int
    file: str = ""

    @property
    def target(self) -> ReplacedLine:
        """What an answer is scored against."""
        return ReplacedLine(self.answer, self.lines, self.file)

    def task(self) -> CodrepTask:
        """The task without its solution. Raises InputError where it can no longer be read."""
        return replace(self.dataset, solutions=None).read(self.path)


def read_cases(
    datasets: Sequence[CodrepDataset], limit: int | None = None, sample_seed: int = 0
) -> tuple[CodrepCase, ...]:
    """The tasks of the datasets in their order, or `limit` of them, drawn by `sample_seed`.

    Of two limits with one seed the smaller draws a part of what the larger draws. Raises InputError naming the file
    for a folder without tasks or solutions and for a task or a solution that is malformed.
    """
    pairs: list[tuple[CodrepDataset, Path]] = []
    for dataset in datasets:
        paths = dataset.task_paths()
        if not paths:
            raise InputError(f"{dataset.tasks}: has no tasks; a task is a file <number>.txt")
        if dataset.solutions is None:
            raise InputError(f"{dataset.tasks.parent}: has no folder Solutions, so no answer could be scored; add it")
        pairs += [(dataset, path) for path in paths]
    if limit is not None and limit < len(pairs):
        drawn = sorted(range(len(pairs)), key=lambda at: _draw(sample_seed, pairs[at][0].case_id(pairs[at][1])))
        pairs = [pairs[at] for at in sorted(drawn[:limit])]
    mined = {dataset: mined_files(dataset) for dataset in datasets}
    return tuple(_case(dataset, path, mined[dataset]) for dataset, path in pairs)


def _draw(seed: int, case_id: str) -> bytes:
    return hashlib.sha256(f"{seed}\t{case_id}".encode()).digest()


def _case(dataset: CodrepDataset, path: Path, mined: Mapping[str, str]) -> CodrepCase:
    task = dataset.read(path)
    if task.answer is None:
        raise InputError(f"{path}: has no solution")
    return CodrepCase(
        case_id=task.case_id,
        dataset=dataset,
        path=path,
        lines=len(task.lines),
        answer=task.answer,
        digest=content_digest(task.new_line, task.answer, task.lines),
        least_bytes=len(least_question(task).encode()),
        whole_tokens=_ESTIMATE.count(question(task, whole_window(len(task.lines)))),
        file=source_file(task, mined),
    )


def content_digest(new_line: str, answer: int, lines: Iterable[str]) -> str:
    """12 hexadecimal digits of SHA-256 over all that a task says."""
    content = "\n".join((new_line, str(answer), *lines))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:12]
