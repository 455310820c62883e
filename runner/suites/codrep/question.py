"""What a model is asked about a task."""

import hashlib
from pathlib import Path

from prompts import PromptDetails
from runner.suites.codrep.dataset import CodrepTask
from runner.suites.codrep.windowing import GAP, LONGEST, Window, beginning, show_line, whole_window

# What a prompt may say of a machine: there is none.
DETAILS = PromptDetails("/project", "Linux", "/bin/bash", "/home/user")

_NEW_LINE = "The new line:\n\n{line}\n\n"
_FILE = "The file before the edit, {count} lines:\n\n"


def wording_digest() -> str:
    """Eight hexadecimal digits of the question's wording: with the system prompt it is all that is asked."""
    wording = "\0".join((_NEW_LINE, _FILE, GAP, show_line(1, " " * (LONGEST + 1))))
    return hashlib.sha256(wording.encode()).hexdigest()[:8]


def frame(task: CodrepTask) -> str:
    """The question without the lines of the file."""
    # Not by one call of `format`: lines of code have braces.
    return _NEW_LINE.replace("{line}", beginning(task.new_line)) + _FILE.format(count=len(task.lines))


def question(task: CodrepTask, window: Window) -> str:
    """The message to the model: the new line, then the lines of the window with their numbers."""
    parts: list[str] = []
    before = 0
    for first, last in window.spans:
        if first > before + 1:
            parts.append(GAP)
        parts += [show_line(number, task.lines[number - 1]) for number in range(first, last + 1)]
        before = last
    if before < len(task.lines):
        parts.append(GAP)
    return frame(task) + "\n".join(parts) + "\n"


def shortest_line(task: CodrepTask) -> int:
    """The line that takes the least room: the shortest that is not blank, the first line where all are blank."""
    lengths = [(len(text), number) for number, text in enumerate(task.lines, 1) if text.strip()]
    return min(lengths, default=(0, 1))[1]


def least_question(task: CodrepTask) -> str:
    """The question that takes the least room: one line is shown, between gaps."""
    line = shortest_line(task)
    return f"{frame(task)}{GAP}\n{show_line(line, task.lines[line - 1])}\n{GAP}\n"


def read_back(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The new line and the file of a question that shows the whole file; None where lines are left out or cut."""
    pieces = text.split("\n")
    head = frame(CodrepTask("", Path(), "", ())).count("\n")
    if len(pieces) < head + 2:
        return None
    new_line, lines = pieces[2], tuple(numbered.partition(": ")[2] for numbered in pieces[head:-1])
    task = CodrepTask("", Path(), new_line, lines)
    if question(task, whole_window(len(lines))) != text or any(len(text) > LONGEST for text in (new_line, *lines)):
        return None
    return new_line, lines


def right_answer(line: int) -> str:
    """What a model that is right would say."""
    return f"<line>{line}</line>"
