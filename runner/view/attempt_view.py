"""One attempt: what was asked and answered, what its blocks matched, what became of the file, and when it arrived."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from runner.diagnosis.attempts import FileOfCase, diff_of
from runner.errors import InputError
from runner.pages.failures import BlockView, block_view, show_command
from runner.pages.outcomes import CLASSES, INFRASTRUCTURE, ClassMark
from runner.report.explanation import explained
from runner.report.export import Record
from runner.storage.store import Row, Store
from runner.view.algorithms import AlgorithmCard, algorithm_cards
from runner.view.arrivals import Arrivals, arrivals_of
from runner.view.attempt_parts import (
    ConversationPart,
    attempt_facts,
    conversation,
    shortened,
    transcript_part,
    turns_part,
    whole_record,
)
from runner.view.file_changes import FileDifference, file_changes
from runner.view.matched import AnswerPart, MatchedSpan, answer_parts, matched_spans


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
    transcript: tuple[str, ...]
    command: str


def attempt_view(store: Store, run: Row, row: Row, *, whole: bool = False) -> AttemptView:
    """Return the attempt of a row of `chosen_attempts` or of `scorings`; `whole`: with all of long texts."""
    record = whole_record(store, run, row["scoring_id"])
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
        changes=tuple(file_changes(record, file, whole=whole)),
        conversation=tuple(conversation(record, whole=whole)),
        facts=(*attempt_facts(record), *turns_part(store, run, record)),
        detail=json.dumps(record["detail"], indent=2, ensure_ascii=False) if record["detail"] else "",
        transcript=transcript_part(store, run, record),
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
