"""What a simulated server must know about dataset folders: each question that a run asks by default, and its answer."""

from collections.abc import Iterator
from pathlib import Path

from prompts import load
from runner.suites.codrep.cases import read_cases
from runner.suites.codrep.dataset import open_datasets
from runner.suites.codrep.options import MAX_CONTEXT, PROMPT
from runner.suites.codrep.question import question
from runner.suites.codrep.showing import room_of, windows_of
from runner.suites.codrep.sim_truth import case_truth
from runner.tokens import token_counter
from suts.sut import Message, Truth


def is_codrep(folder: Path) -> bool:
    """Whether a folder is a dataset, or holds datasets."""
    return (folder / "Tasks").is_dir() or any(folder.glob("*/Tasks"))


def questions_of(folder: Path) -> Iterator[tuple[tuple[Message, ...], Truth]]:
    """The conversation about each task, and its truth. Raises InputError."""
    cases = read_cases(open_datasets([folder]))
    windows = windows_of(cases, room_of([load(PROMPT)], MAX_CONTEXT, token_counter(exact=True)))
    for case in cases:
        yield (Message("user", question(case.task(), windows[case.case_id].window)),), case_truth(case)
