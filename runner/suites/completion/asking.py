"""What a fill-in-the-middle model is asked for each task of a data set."""

from collections.abc import Iterator
from dataclasses import dataclass

from prompts.fim import Family, MarkError, window
from runner.suites.completion.dataset import Dataset
from runner.suites.completion.forms import as_comments


@dataclass(frozen=True, slots=True)
class Asked:
    """One task's prompt; `refused` says why there is none, `cut` whether the budget left something out."""

    task_id: str
    prompt: str
    stops: tuple[str, ...]
    cut: bool
    refused: str | None = None


def questions_of(dataset: Dataset, family: Family, budget: int) -> Iterator[Asked]:
    """A row for each task, in order; evidence stands as comments before the prefix, outside of the budget.

    `budget` is in characters of the file around the hole.
    """
    for task in dataset.tasks:
        prefix, suffix = dataset.prefix(task), dataset.suffix(task)
        before, behind = window(prefix, suffix, budget)
        cut = (before, behind) != (prefix, suffix)
        try:
            prompt = family.render(as_comments(task.evidence) + before, behind)
        except MarkError as error:
            yield Asked(task.task_id, "", family.stops, cut, str(error))
        else:
            yield Asked(task.task_id, prompt, family.stops, cut)
