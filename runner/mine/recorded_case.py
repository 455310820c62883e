"""One diff-edit case from a recorded edit: its JSON values, and the proof that it is what a strict check takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from diff_apply import DIFF_ALGORITHMS
from diff_apply.generate import diff_of
from parsers import DEFAULT_PARSER, PARSERS
from runner.mine.recorded_conversation import diff_text, edit_text
from runner.mine.recorded_edits import NoCase, RecordedEdit
from runner.recordings.vocabulary import AgentSession, CallCause, CallStatus
from runner.records import Completion, Outcome
from runner.run.diff_scoring import score_answer
from runner.suites.diff_edit.case_form import DEFAULT_DETAILS, FORMAT
from runner.suites.diff_edit.cases import DiffEditCase, parse_case
from runner.suites.diff_edit.check import check_case
from runner.syntax import language_of

# Of these, the first that gives the recorded outcome is named in the manifest.
_ALGORITHMS = ("v4", "v3", "v2", "v1")
_OUTCOMES = {
    CallCause.NO_MATCH: Outcome.NO_MATCH,
    CallCause.AMBIGUOUS: Outcome.AMBIGUOUS,
    CallCause.IDENTICAL: Outcome.APPLIED_NOTHING,
}


@dataclass(frozen=True, slots=True)
class ProvedCase:
    """A case as its file has it, and what its recorded message gives with which algorithm; "" without a message."""

    data: bytes
    about: Mapping[str, str]


def case_values(session: AgentSession, edit: RecordedEdit, name: str) -> dict[str, Any]:
    """Return the values of a case, as recorded: nothing is removed from them yet."""
    folder = session.folder or DEFAULT_DETAILS.cwd_value
    words = f"{edit.request.words}\n\n" if edit.request.words else ""
    return {
        "test_id": name,
        "messages": [dict(message) for message in edit.request.messages],
        "file_contents": edit.before,
        "file_path": edit.path,
        "system_prompt_details": {
            "cwd_value": folder,
            "os_value": DEFAULT_DETAILS.os_value,
            "shell_value": DEFAULT_DETAILS.shell_value,
            "home_value": DEFAULT_DETAILS.home_value,
        },
        "original_diff_edit_tool_call_message": f"{words}{edit_text(edit.path, diff_text(edit.call))}",
        "expected_contents": edit.after,
        "language": language_of(edit.path),
        "source": f"{session.agent} {session.version}".strip(),
        "format": FORMAT,
    }


def proved(values: dict[str, Any], edit: RecordedEdit) -> ProvedCase | NoCase:
    """Return a case that a strict check takes, or why it does not.

    The recorded message stays where an algorithm gives the recorded outcome. A call that succeeded is written as the
    change of its file where its own words give another file.
    """
    outcome = Outcome.APPLIED if edit.call.status is CallStatus.OK else _outcome_of(edit.call.cause)
    case = _parsed(values)
    if not isinstance(case, DiffEditCase):
        return NoCase.BLANK_FILE
    for finding in check_case(case):
        if finding.field == "language":
            return NoCase.LANGUAGE
        return NoCase.SYNTAX if "does not parse" in finding.problem else NoCase.OUT_OF_REACH
    algorithm = _replaying(case, outcome)
    if not algorithm and outcome is Outcome.APPLIED:
        values["original_diff_edit_tool_call_message"] = edit_text(
            case.file_path, diff_of(case.file_contents, case.expected_contents[0])
        )
        case = _parsed(values)
        algorithm = _replaying(case, outcome) if isinstance(case, DiffEditCase) else ""
    if not algorithm:
        del values["original_diff_edit_tool_call_message"]
    about = {"outcome": str(outcome or ""), "algorithm": algorithm}
    return ProvedCase(json_file(values), {name: value for name, value in about.items() if value})


def _outcome_of(cause: str | None) -> Outcome | None:
    return next((outcome for name, outcome in _OUTCOMES.items() if name == cause), None)


def _replaying(case: DiffEditCase, outcome: Outcome | None) -> str:
    """Return the first algorithm with which the recorded message has its recorded outcome; "" if none has."""
    answer = Completion(case.original_message, finish_reason="stop")
    algorithms = {name: DIFF_ALGORITHMS[name] for name in _ALGORITHMS}
    scorings = score_answer(case, answer, (DEFAULT_PARSER, PARSERS[DEFAULT_PARSER]), algorithms, "strict")
    return next(
        (
            scoring.diff_algorithm
            for scoring in scorings
            if scoring.outcome is outcome and (outcome is not Outcome.APPLIED or scoring.equals_expected)
        ),
        "",
    )


def _parsed(values: Mapping[str, Any]) -> object:
    return parse_case(Path(f"{values['test_id']}.json"), json_file(values))


def json_file(values: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file of JSON values."""
    return orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
