"""What an answer is worth, and the edits that answers stand for."""

import traceback
from collections.abc import Callable
from functools import lru_cache, partial

import orjson

from parsers.blocks import Block, Parser, ToolCall
from parsers.line_number import NUMBER, TOOL
from runner.errors import InputError
from runner.metrics.sample import Sample
from runner.records import Completion, Outcome, Scoring
from runner.run.replay import asked_in
from runner.run.resolve import Named
from runner.storage.rows import to_json
from runner.storage.store import Row, Store
from runner.suites.codrep.cases import ReplacedLine, content_digest
from runner.suites.codrep.competition import MISSING_LOSS, task_loss
from runner.suites.codrep.question import read_back
from runner.suites.codrep.stored import parsed_task, stored_task
from runner.suites.codrep.windowing import Window

_CASE_IDS = "SELECT case_id FROM cases WHERE run_id = ? ORDER BY position"


def named_line(blocks: tuple[Block, ...]) -> int | None:
    """The line that an answer names; None where it names none."""
    numbers = [block.params.get(NUMBER, "") for block in blocks if isinstance(block, ToolCall) and block.name == TOOL]
    named = numbers[-1] if numbers else ""
    return int(named) if named.isascii() and named.isdecimal() else None


def judge(target: ReplacedLine, completion: Completion, parser: Named[Parser], window: Window) -> Scoring:
    """Score an answer: `loss` is tanh of the distance, `exact` whether the line is right, `distance` in lines.

    An answer that names no line (NO_ANSWER), or one that the file does not have (OUT_OF_RANGE), is an outcome; it
    is invalid and costs 1. The detail records what was named and what of the file was shown.
    """
    try:
        line = named_line(parser.impl.parse(completion.text))
    except Exception:  # noqa: BLE001 - a parser may be a user's plug-in; its bug is this scoring's outcome
        return Scoring(
            Outcome.CRASHED,
            valid=False,
            parser=parser.name,
            error_text=traceback.format_exc(),
            answer_id=completion.answer_id,
        )
    outcome, scores = _worth(target, line)
    detail = {
        "line": line,
        "answer": target.answer,
        "lines": target.lines,
        "file": target.file or None,
        "shown": window.spans,
        "shown_tokens": window.tokens,
        "shown_whole": window.whole,
        "answer_shown": window.shows(target.answer),
    }
    return Scoring(
        outcome,
        valid=outcome.valid,
        parser=parser.name,
        error_text=_complaint(target, line, outcome),
        scores=scores,
        detail=to_json(detail),
        answer_id=completion.answer_id,
    )


def _worth(target: ReplacedLine, line: int | None) -> tuple[Outcome, dict[str, float]]:
    if line is None:
        return Outcome.NO_ANSWER, {"loss": MISSING_LOSS, "exact": 0.0}
    if not 1 <= line <= target.lines:
        return Outcome.OUT_OF_RANGE, {"loss": MISSING_LOSS, "exact": 0.0}
    distance = abs(line - target.answer)
    scores = {"loss": task_loss(distance), "exact": float(distance == 0), "distance": float(distance)}
    return Outcome.UNSOLVED if distance else Outcome.SOLVED, scores


def _complaint(target: ReplacedLine, line: int | None, outcome: Outcome) -> str | None:
    if outcome is Outcome.NO_ANSWER:
        return "names no line"
    return f"names line {line} of a file of {target.lines} lines" if outcome is Outcome.OUT_OF_RANGE else None


def samples(store: Store, run: Row) -> Callable[[Row], Sample | None]:
    """The sample of each scoring of a run: the file with the named line replaced, and with the right line replaced.

    None where the question does not show the whole file: the database keeps the question, not the file. Raises
    InputError where no question of the run does.
    """
    answers_of = asked_in(run)
    case_ids = [row["case_id"] for row in store.rows(_CASE_IDS, answers_of)]
    if not any(_replacing(store, answers_of, case_id) for case_id in case_ids):
        why = "the database holds no whole file of it, since it asked no model or showed files in part"
        raise InputError(f"run {run['run_id']}: {why}; rescore a run that asked a model with a larger --max-context")
    # Scorings come case by case: an earlier case is not needed again.
    replacing_of = lru_cache(maxsize=1)(partial(_replacing, store, answers_of))

    def sample_of(row: Row) -> Sample | None:
        replacing = replacing_of(row["case_id"])
        return replacing(orjson.loads(row["detail"])["line"]) if replacing else None

    return sample_of


def case_digest(content: str) -> str | None:
    """The digest of a task from what a run keeps of it; None where the question does not show the whole file."""
    task = parsed_task(content)
    parts = read_back(task.prompt) if task.prompt else None
    return None if parts is None else content_digest(parts[0], task.target.answer, parts[1])


def _replacing(store: Store, run_id: str, case_id: str) -> Callable[[int], Sample] | None:
    """The sample of each line that an answer may name; None where the whole file is not on record."""
    task = stored_task(store, run_id, case_id)
    parts = read_back(task.prompt) if task.prompt else None
    if parts is None:
        return None
    new_line, lines = parts

    def replaced(line: int) -> str:
        return "".join(f"{text}\n" for text in (*lines[: line - 1], new_line, *lines[line:]))

    origin = "".join(f"{text}\n" for text in lines)
    right = replaced(task.target.answer)
    return lambda line: Sample(origin, (right,), replaced(line))
