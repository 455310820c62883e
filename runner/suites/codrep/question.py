"""What a model is asked about a task, and what its answer is worth."""

import hashlib

from parsers.blocks import Block, Parser, ToolCall
from parsers.line_number import NUMBER, TOOL
from runner.records import Completion, Outcome, Scoring
from runner.run.resolve import Named
from runner.storage.rows import to_json
from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.competition import MISSING_LOSS, task_loss
from runner.suites.codrep.dataset import Task
from runner.suites.codrep.windowing import GAP, LONGEST, Window, beginning, show_line

PROMPT = "codrep/basic"
PARSER = "line-number"

_NEW_LINE = "The new line:\n\n{line}\n\n"
_FILE = "The file before the edit, {count} lines:\n\n"


def wording_digest() -> str:
    """Eight hexadecimal digits of the question's wording: with the system prompt it is all that is asked."""
    wording = "\0".join((_NEW_LINE, _FILE, GAP, show_line(1, " " * (LONGEST + 1))))
    return hashlib.sha256(wording.encode()).hexdigest()[:8]


def frame(task: Task) -> str:
    """The question without the lines of the file."""
    # Not by one call of `format`: lines of code have braces.
    return _NEW_LINE.replace("{line}", beginning(task.new_line)) + _FILE.format(count=len(task.lines))


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
    return frame(task) + "\n".join(shown) + "\n"


def right_answer(line: int) -> str:
    """What a model that is right would say."""
    return f"<line>{line}</line>"


def named_line(blocks: tuple[Block, ...]) -> int | None:
    """The line that an answer names; None where it names none."""
    numbers = [block.params.get(NUMBER, "") for block in blocks if isinstance(block, ToolCall) and block.name == TOOL]
    named = numbers[-1] if numbers else ""
    return int(named) if named.isascii() and named.isdecimal() else None


def judge(case: CodrepCase, completion: Completion, parser: Named[Parser], window: Window) -> Scoring:
    """Score an answer: `loss` is tanh of the distance, `exact` whether the line is right, `distance` in lines.

    An answer that names no line (NO_ANSWER), or one that the file does not have (OUT_OF_RANGE), is an outcome; it
    is invalid and costs 1. The detail records what was named and what of the file was shown.
    """
    line = named_line(parser.impl.parse(completion.text))
    outcome, scores = _worth(case, line)
    detail = {
        "line": line,
        "answer": case.answer,
        "lines": case.lines,
        "shown": window.spans,
        "shown_tokens": window.tokens,
        "shown_whole": window.whole,
        "answer_shown": window.shows(case.answer),
    }
    return Scoring(
        outcome,
        valid=outcome.valid,
        parser=parser.name,
        error_text=_complaint(case, line, outcome),
        scores=scores,
        detail=to_json(detail),
        answer_id=completion.answer_id,
    )


def _worth(case: CodrepCase, line: int | None) -> tuple[Outcome, dict[str, float]]:
    if line is None:
        return Outcome.NO_ANSWER, {"loss": MISSING_LOSS, "exact": 0.0}
    if not 1 <= line <= case.lines:
        return Outcome.OUT_OF_RANGE, {"loss": MISSING_LOSS, "exact": 0.0}
    distance = abs(line - case.answer)
    scores = {"loss": task_loss(distance), "exact": float(distance == 0), "distance": float(distance)}
    return Outcome.UNSOLVED if distance else Outcome.SOLVED, scores


def _complaint(case: CodrepCase, line: int | None, outcome: Outcome) -> str | None:
    if outcome is Outcome.NO_ANSWER:
        return "names no line"
    return f"names line {line} of a file of {case.lines} lines" if outcome is Outcome.OUT_OF_RANGE else None
