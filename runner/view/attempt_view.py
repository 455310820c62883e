"""One attempt: what was asked and answered, what its blocks matched, what became of the file, and when it arrived."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from runner.diagnosis.attempts import FileOfCase, diff_of
from runner.errors import InputError
from runner.pages.failures import BlockView, block_view, show_command
from runner.pages.outcomes import CLASSES, INFRASTRUCTURE, ClassMark
from runner.report.attempt import with_question
from runner.report.explanation import explained
from runner.report.export import Record, scored_record
from runner.storage.store import Row, Store
from runner.view.algorithms import AlgorithmCard, algorithm_cards
from runner.view.arrivals import Arrivals, arrivals_of
from runner.view.attempt_parts import ConversationPart, attempt_facts, conversation, shortened
from runner.view.matched import AnswerPart, MatchedSpan, answer_parts, matched_spans
from runner.view.unified import UnifiedLine, unified

# More lines of a difference are cut, unless all is asked for.
MOST_LINES = 2_000


@dataclass(frozen=True, slots=True)
class FileDifference:
    """The difference of two files; `left_out` counts the lines that are not shown, `note` says why there is none."""

    title: str
    lines: tuple[UnifiedLine, ...]
    added: int = 0
    removed: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class AttemptView:
    """An attempt as its page shows it; `parts` is its answer, `is_edit` whether it is about one file."""

    scoring_id: int
    run_id: str
    case_id: str
    number: str
    model: str
    simulated: bool
    prompt: str
    diff: str
    kind: str
    mark: ClassMark
    outcome: str
    cause: str
    error: str
    cards: tuple[AlgorithmCard, ...]
    arrivals: Arrivals
    parts: tuple[AnswerPart, ...]
    is_cut: bool
    spans: tuple[MatchedSpan, ...]
    block: BlockView | None
    changes: tuple[FileDifference, ...]
    conversation: tuple[ConversationPart, ...]
    facts: tuple[tuple[str, str], ...]
    detail: str
    command: str


def attempt_view(store: Store, run: Row, row: Row, *, whole: bool = False) -> AttemptView:
    """Return the attempt of a row of `chosen_attempts` or of `scorings`; `whole`: with all of long texts."""
    record = with_question(store, run, scored_record(store, row["scoring_id"]))
    answers_of = run["replay_of"] or run["run_id"]
    file = _file(store, answers_of, record)
    explanation = explained(record, FileOfCase(store, answers_of, record["case_id"])) if file else None
    diff = diff_of(record["parsed_calls"] or []) if file else ""
    answer, is_cut = shortened(record["raw_output"] or "", whole=whole)
    step = f", step {record['step']} {record['mode']}" if record["mode"] else ""
    again = f", try {record['try']}" if record["try"] > 1 else ""
    return AttemptView(
        scoring_id=row["scoring_id"],
        run_id=run["run_id"],
        case_id=record["case_id"],
        number=f"{record['number']}{step}{again}",
        model=record["model_id"],
        simulated=record["simulated"],
        prompt=record["prompt"],
        diff=record["diff_algorithm"] or record["parser"] or "",
        kind=record["class"],
        mark=CLASSES.get(record["class"], INFRASTRUCTURE),
        outcome=record["outcome"],
        cause=f"{explanation.cause}{explanation.promise}" if explanation else "",
        error=record["error_text"] or "",
        cards=tuple(algorithm_cards(store, row, file, diff)),
        arrivals=arrivals_of(store, run, row["answer_id"]),
        parts=answer_parts(answer, diff),
        is_cut=is_cut,
        spans=matched_spans(record["blocks"], file[0]) if file else (),
        block=block_view(explanation.block) if explanation and explanation.block else None,
        changes=tuple(_changes(record, file, whole=whole)),
        conversation=tuple(conversation(record, whole=whole)),
        facts=tuple(attempt_facts(record)),
        detail=json.dumps(record["detail"], indent=2, ensure_ascii=False) if record["detail"] else "",
        command=show_command(run["run_id"], record),
    )


def _file(store: Store, run_id: str, record: Record) -> tuple[str, Sequence[str]] | None:
    """Return the file of an edit and the expected ones; None where the attempt edits no file on record."""
    if not record["diff_algorithm"]:
        return None
    file = FileOfCase(store, run_id, record["case_id"])
    try:
        return file.original, file.expected
    except InputError:
        return None


def _changes(record: Record, file: tuple[str, Sequence[str]] | None, *, whole: bool) -> list[FileDifference]:
    """Return before and after, and of a wrong result expected and after."""
    edited = record["edited_file"]
    if file is None or edited is None:
        return []
    original, expected = file
    changes = [_difference("Before and after", original, edited, whole=whole)]
    if record["equals_expected"] is False and expected:
        changes.append(_difference("Expected and after", expected[0], edited, whole=whole))
    return changes


def _difference(title: str, before: str, after: str, *, whole: bool) -> FileDifference:
    lines = unified(before, after)
    kept = lines if whole else lines[:MOST_LINES]
    added, removed = (sum(line.sign == sign for line in lines) for sign in "+-")
    return FileDifference(title, kept, added, removed, len(lines) - len(kept))
