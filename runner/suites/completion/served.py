"""What a simulated server must know of a data set: each question as a run asks it by default, and its answer."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from prompts.fim import FAMILIES, MarkError
from runner.execution.syntax_check import syntax_error_of
from runner.suites.completion.dataset import read_dataset
from runner.suites.completion.fitting import PromptTooLargeError, fit
from runner.suites.completion.forms import FIM, SUFFIX, choose_forms
from runner.suites.completion.options import DEFAULT_CONTEXT
from runner.suites.completion.sim_truth import hole_of
from runner.tokens import token_counter
from suts.sut import Message, Sampling, Truth


def is_completion(file: Path) -> bool:
    """Whether a path is that of a data set."""
    return file.suffix == ".jsonl" and file.is_file()


def questions_of(file: Path) -> Iterator[tuple[tuple[Message, ...], Truth]]:
    """Each task in every form, as a run with the default budget asks it, and its truth. Raises InputError."""
    dataset, counter = read_dataset(file), token_counter(exact=False)
    forms = choose_forms(["basic", SUFFIX, *(f"{FIM}{family}" for family in FAMILIES)], lambda _note: None)
    for task in dataset.tasks:
        hole = hole_of(dataset, task, syntax_error_of, fenced=True)
        for form in forms:
            try:
                seen = fit(dataset, task, form, counter, DEFAULT_CONTEXT).seen
            except (MarkError, PromptTooLargeError):
                continue
            texts = form.request(seen, Sampling()).texts
            truth = Truth(task.task_id, number=1, hole=replace(hole, fenced=not form.raw))
            yield tuple(Message("user", text) for text in texts), truth
