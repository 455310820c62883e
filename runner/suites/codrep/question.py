"""What a model is asked about a task, and what its answer is worth."""

from importlib.resources import files

import orjson

from parsers.line_number import parse_line_number
from runner.records import Outcome, Scoring
from runner.suites.codrep.dataset import Task
from runner.suites.codrep.scoring import task_loss
from runner.suites.codrep.windowing import Window, show_line

PROMPT = "codrep/basic"
PARSER = "line-number"
GAP = "..."


def system_prompt() -> str:
    """The wording of the prompt `codrep/basic`."""
    return (files("prompts") / f"{PROMPT}.md").read_text(encoding="utf-8")


def question(task: Task, window: Window) -> str:
    """The message to the model: the new line, then the lines of the window with their numbers."""
    shown: list[str] = []
    before = 0
    for first, last in window.spans:
        if first > before + 1:
            shown.append(GAP)
        shown += [show_line(number, task.lines[number - 1]) for number in range(first, last + 1)]
        before = last
    if before < len(task.lines):
        shown.append(GAP)
    body = "\n".join(shown)
    return f"The new line:\n\n{task.new_line}\n\nThe file before the edit, {len(task.lines)} lines:\n\n{body}\n"


def right_answer(task: Task) -> str:
    """What a model that is right would say; "" where the solution is not at hand."""
    return "" if task.answer is None else f"<line>{task.answer}</line>"


def judge(task: Task, text: str, window: Window) -> Scoring:
    """Score an answer: `line_error` is tanh of the distance, `hit` whether the line is right.

    An answer that names no line, or one that the program does not have, is an outcome (NO_ANSWER) and costs 1.
    The detail records the prediction and what of the program was shown. Raises ValueError for a task without answer.
    """
    if task.answer is None:
        raise ValueError(f"{task.case_id} has no solution to judge by")
    line = parse_line_number(text)
    inside = line is not None and 1 <= line <= len(task.lines)
    distance = abs(line - task.answer) if line is not None and inside else None
    outcome = Outcome.NO_ANSWER if distance is None else Outcome.UNSOLVED if distance else Outcome.SOLVED
    detail = {
        "line": line,
        "answer": task.answer,
        "shown": [list(span) for span in window.spans],
        "shown_tokens": window.tokens,
        "shown_whole": window.whole,
        "answer_shown": task.answer in window.lines,
    }
    return Scoring(
        outcome,
        valid=distance is not None,
        parser=PARSER,
        error_text=None if inside else "names no line of the file",
        scores={"line_error": task_loss(distance), "hit": float(distance == 0)},
        detail=orjson.dumps(detail).decode(),
    )
