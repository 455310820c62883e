"""What a result of Cline's database says in our terms: whether there was an answer, and how it was scored."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import orjson

from diff_apply import ALIASES as ALGORITHM_ALIASES
from diff_apply import DIFF_ALGORITHMS
from parsers import ALIASES as PARSER_ALIASES
from parsers import PARSERS
from runner.json_texts import parse_json
from runner.records import Completion, Outcome, Scoring
from runner.run.answer_scoring import PlainFile
from runner.run.diff_scoring import is_valid, score_answer
from runner.suites.diff_edit.case_form import DEFAULT_DETAILS
from runner.suites.diff_edit.cline import ERROR_CODES
from runner.suites.diff_edit.cline_database import ClineCase, ClineResult

_NAMES: Mapping[int, str] = {code: name for name, code in ERROR_CODES.items()}
# An answer whose diff did not apply has code 3 in a replay of the original's, and none in a run that asked.
_NOT_APPLIED = ERROR_CODES["diff_edit_error"]
_MISSING = ERROR_CODES["tool_call_params_undefined"]
_EMPTY = ERROR_CODES["no_tool_calls"]
_INVALID = {_EMPTY, ERROR_CODES["wrong_tool_call"], ERROR_CODES["wrong_file_edited"]}
_OUTCOMES: Mapping[int, Outcome] = {
    _EMPTY: Outcome.NO_CALL,
    ERROR_CODES["parsing_error"]: Outcome.MALFORMED_DIFF,
    ERROR_CODES["wrong_tool_call"]: Outcome.OTHER_TOOL,
    ERROR_CODES["wrong_file_edited"]: Outcome.WRONG_PATH,
    ERROR_CODES["multi_tool_calls"]: Outcome.SEVERAL_CALLS,
}
_UNKNOWN_REASON = "the diff did not apply; the original did not record why"


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A result: outcome, error and text of the answer, None for a text that is not on record, and its scoring.

    Without a scoring the infrastructure failed. `counted` are the counts of an import that it belongs to.
    """

    outcome: str
    text: str | None
    scoring: Scoring | None
    counted: tuple[str, ...]
    error_kind: str | None = None
    error_text: str | None = None


def scored_result(result: ClineResult, case: ClineCase) -> ReadResult:
    """Return a result in our terms: whether it succeeded is as recorded, how it failed is computed where that agrees.

    A failure of the provider or of the program is no answer; the original counts it as a failed one. NULL for the
    text of an answer without a call is an empty answer.
    """
    text = "" if result.text is None and result.code == _EMPTY else result.text
    counted = tuple(_counted(result))
    if result.code is not None and result.code not in _OUTCOMES.keys() | {_NOT_APPLIED, _MISSING}:
        why = f"{_NAMES.get(result.code, 'other_error')} (code {result.code}); the original recorded no more of it"
        return ReadResult("sut_error", text, None, (*counted, "infrastructure"), "unknown", why)
    recorded = Scoring(
        outcome=_recorded_outcome(result),
        valid=is_valid(_recorded_outcome(result), "cline"),
        parser=PARSER_ALIASES.get(result.parser, result.parser),
        diff_algorithm=ALGORITHM_ALIASES.get(result.algorithm, result.algorithm),
        error_text=None if result.succeeded or result.code in _OUTCOMES else _UNKNOWN_REASON,
        num_edits=result.num_edits,
    )
    computed = None if text is None else _computed(text, case, recorded)
    if text is None:
        counted = (*counted, "without a text")
    if computed is None:
        return ReadResult("answered", text, recorded, counted)
    if not _agrees(computed, recorded, result):
        return ReadResult("answered", text, recorded, (*counted, "not as computed"))
    return ReadResult("answered", text, replace(computed, outcome=_outcome(computed, recorded)), counted)


def _counted(result: ClineResult) -> Iterator[str]:
    yield "results"
    if result.code not in _INVALID:
        yield "valid"
    if result.succeeded:
        yield "succeeded"


def _recorded_outcome(result: ClineResult) -> Outcome:
    if result.code is None or result.code == _NOT_APPLIED:
        return Outcome.APPLIED if result.succeeded else Outcome.NO_MATCH
    if result.code == _MISSING:
        return Outcome.MISSING_DIFF if _names_path(result.calls) else Outcome.MISSING_PATH
    return _OUTCOMES[result.code]


def _names_path(calls: str | None) -> bool:
    """Return whether the first call on record has a path."""
    try:
        values = parse_json(calls or "[]")
        return bool(values[0]["input"].get("path"))
    except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError):
        return False


def _computed(text: str, case: ClineCase, recorded: Scoring) -> Scoring | None:
    """Return what the registered parser and algorithm of these names make of an answer; None without them or a file."""
    parser, algorithm = PARSERS.get(recorded.parser), DIFF_ALGORITHMS.get(recorded.diff_algorithm)
    if parser is None or algorithm is None or not case.path or not (case.contents or "").strip():
        return None
    file = PlainFile(case.path, case.contents or "", DEFAULT_DETAILS.cwd_value, (), None)
    named = (recorded.parser, parser), {recorded.diff_algorithm: algorithm}
    return score_answer(file, Completion(text), *named, "cline")[0]


def _agrees(computed: Scoring, recorded: Scoring, result: ClineResult) -> bool:
    """Return whether what is computed is what the original saw; to it a diff that changes nothing applies."""
    applies = computed.outcome in {Outcome.APPLIED, Outcome.APPLIED_NOTHING}
    if result.code is None or result.code == _NOT_APPLIED:
        return applies == result.succeeded and computed.valid
    return computed.outcome is recorded.outcome


def _outcome(computed: Scoring, recorded: Scoring) -> Outcome:
    return recorded.outcome if recorded.outcome is Outcome.APPLIED else computed.outcome
