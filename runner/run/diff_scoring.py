"""Scores an answer that edits one file: is it a valid call, does its diff apply, is the result the right file."""

import posixpath
import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any, Literal, Protocol

from diff_apply.result import Applied, Candidate, DiffAlgorithm, DiffError, Reason
from diff_apply.tools.refusal import EditError
from parsers.blocks import Parser, ToolCall
from parsers.forms.answers import EDIT_CALL
from parsers.forms.native_form import NativeForm
from parsers.forms.streaming import FormParser
from runner.calls import NATIVE_PARSER
from runner.edit_tools.foreign_result import ToolFailedError
from runner.records import Completion, Outcome, Scoring
from runner.run.complexity import TooComplexError, check_answer, check_diff, check_repairs, check_result
from runner.run.native_arguments import argument_fault
from runner.storage.parsed_calls import slices_of
from runner.storage.rows import to_json
from runner.syntax import language_of, parses

EDIT_TOOL = "replace_in_file"
# What parsers call an edit.
EDITS = frozenset({EDIT_TOOL, EDIT_CALL})

ValidityName = Literal["strict", "cline"]


class EditedFile(Protocol):
    """The file that an answer is to change, as the model was shown it.

    `working_folder` is the absolute path that the file's own is relative to; `expected_contents` are the acceptable
    results, none if unknown; `language` is None where the path implies it.
    """

    @property
    def file_path(self) -> str: ...  # noqa: D102 - the class says it
    @property
    def file_contents(self) -> str: ...  # noqa: D102
    @property
    def working_folder(self) -> str: ...  # noqa: D102
    @property
    def expected_contents(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def language(self) -> str | None: ...  # noqa: D102


Scorer = Callable[
    [EditedFile, Completion, tuple[str, Parser], Mapping[str, DiffAlgorithm], ValidityName], tuple[Scoring, ...]
]

_REASONS = {
    Reason.NO_MATCH: Outcome.NO_MATCH,
    Reason.AMBIGUOUS: Outcome.AMBIGUOUS,
}
# One per block, whichever algorithm reads the diff and whether or not it applies.
_BLOCK_START = re.compile(r"^(?:-{3,}|<{3,}) SEARCH>?\r?$", re.MULTILINE)
# The limit of tokens as a reason to end, by each wire.
CUT_REASONS = frozenset({"length", "max_tokens", "max_output_tokens"})
# What the original program counts as invalid; it counts everything else, infrastructure failures too.
_INVALID_FOR_CLINE = frozenset({Outcome.NO_CALL, Outcome.OTHER_TOOL, Outcome.WRONG_PATH})


def is_valid(outcome: Outcome, validity: ValidityName) -> bool:
    """Return whether an outcome counts towards the quota under a rule."""
    if outcome is Outcome.CRASHED:
        return False
    return outcome.valid if validity == "strict" else outcome not in _INVALID_FOR_CLINE


def prepare_scoring(cases: Iterable[EditedFile]) -> None:
    """Load the grammars and libraries that scoring these cases takes.

    Loaded at the first answer they would hold up every stream under way, and so falsify its clocks.
    """
    languages = {case.language or language_of(case.file_path) for case in cases}
    for language in languages - {None}:
        parses("", language or "")
    line_changes("one", "other")


def score_answer(
    case: EditedFile,
    completion: Completion,
    parser: tuple[str, Parser],
    algorithms: Mapping[str, DiffAlgorithm],
    validity: ValidityName,
) -> tuple[Scoring, ...]:
    """Return one scoring per algorithm; parser and algorithms come with their names. Pure.

    What takes more work than `complexity` allows is `too_complex`.
    """
    parser_name, parse = parser
    judged: Outcome | str
    parsed_calls = why = None
    try:
        calls = calls_in(completion.text, case, parse)
        judged = judge_call(calls, case, completion.finish_reason, validity)
        if kinds := _declared(parser_name, parse):
            why = argument_fault(completion.text, calls, EDITS, kinds) or None
            judged = Outcome.BAD_ARGUMENTS if why else judged
        parsed_calls = to_json(slices_of(calls, completion.text))
        if not isinstance(judged, Outcome):
            check_diff(case.file_contents, judged)
    except TooComplexError as error:
        judged, why = Outcome.TOO_COMPLEX, str(error)

    def scoring(name: str, algorithm: DiffAlgorithm) -> Scoring:
        rest: dict[str, Any] = {"error_text": why}
        outcome, rest = (judged, rest) if isinstance(judged, Outcome) else _apply(case, judged, algorithm)
        valid = is_valid(outcome, validity)
        if valid and case.expected_contents:
            # An edit that was not applied leaves the file unchanged.
            scores = edit_scores(case, rest.get("edited", case.file_contents))
            rest = {"equals_expected": False, **rest, "scores": scores}
        return Scoring(
            outcome=outcome,
            valid=valid,
            parser=parser_name,
            diff_algorithm=name,
            parsed_calls=parsed_calls,
            answer_id=completion.answer_id,
            **rest,
        )

    return tuple(scoring(name, algorithm) for name, algorithm in algorithms.items())


def _declared(parser_name: str, parse: Parser) -> Mapping[str, str]:
    """Return the arguments that native calls may have, with their types; none where calls are in the text."""
    if isinstance(parse, NativeForm):
        return dict(parse.kinds)
    return {"path": "string", "diff": "string"} if parser_name == NATIVE_PARSER else {}


def calls_in(text: str, case: EditedFile, parse: Parser) -> list[ToolCall]:
    """Return the calls of an answer about a file. Raises TooComplexError."""
    check_answer(text)
    # What an answer calls a file depends on how files were displayed.
    reading = parse.about(case.file_path) if isinstance(parse, (FormParser, NativeForm)) else parse
    return [block for block in reading.parse(text) if isinstance(block, ToolCall)]


def edit_scores(case: EditedFile, edited: str) -> dict[str, float]:
    """Return the default metrics of a result against the acceptable ones."""
    return dict(_scores(case.file_contents, case.expected_contents, edited, _language(case)))


@lru_cache(maxsize=1024)
def _scores(
    original: str, expected: tuple[str, ...], edited: str, language: str | None
) -> tuple[tuple[str, float], ...]:
    """Return the metrics of a result; many answers share it, so it is scored once."""
    from runner.metrics import score_edit

    return tuple(score_edit(original, expected, edited, language).items())


def _language(case: EditedFile) -> str | None:
    return case.language or language_of(case.file_path)


def judge_call(
    calls: Sequence[ToolCall], case: EditedFile, finish_reason: str | None, validity: ValidityName
) -> Outcome | str:
    """Return the diff of the only call of the edit tool on the case's path, or else the outcome."""
    if not calls:
        return Outcome.NO_CALL
    if len(calls) > 1:
        return Outcome.SEVERAL_CALLS
    if calls[0].name not in EDITS:
        return Outcome.OTHER_TOOL
    return _judge_parameters(calls[0], case, finish_reason, validity)


def _judge_parameters(
    call: ToolCall, case: EditedFile, finish_reason: str | None, validity: ValidityName
) -> Outcome | str:
    path, diff = call.params.get("path"), call.params.get("diff")
    if not path:
        return Outcome.MISSING_PATH
    if not diff and validity == "cline":
        # The original asks for both parameters before it looks at either.
        return Outcome.MISSING_DIFF
    if not _same_path(path, case, validity):
        return Outcome.WRONG_PATH
    if call.partial and validity == "strict":
        return Outcome.TRUNCATED
    if not diff:
        return Outcome.TRUNCATED if finish_reason in CUT_REASONS else Outcome.MISSING_DIFF
    return diff


def _same_path(path: str, case: EditedFile, validity: ValidityName) -> bool:
    if validity == "cline" or path == case.file_path:
        return path == case.file_path
    expected = _fold(case.file_path)
    return _fold(path) in {expected, _fold(posixpath.join(case.working_folder, expected))}


def _fold(path: str) -> str:
    folded = posixpath.normpath(path)
    # POSIX gives two slashes at the start a special meaning, which no model intends.
    return "/" + folded.lstrip("/") if folded.startswith("//") else folded


def _apply(case: EditedFile, diff: str, algorithm: DiffAlgorithm) -> tuple[Outcome, dict[str, Any]]:
    original = case.file_contents
    edits = {"num_edits": len(_BLOCK_START.findall(diff))}
    try:
        check_repairs(algorithm, diff)
        applied = algorithm(original, diff)
        check_result(original, applied.text)
    except TooComplexError as error:
        return Outcome.TOO_COMPLEX, edits | {"error_text": str(error)}
    except DiffError as error:
        outcome = _REASONS.get(error.reason, Outcome.MALFORMED_DIFF)
        return outcome, edits | {"error_text": str(error), "blocks": to_json(_refused(error))}
    except ToolFailedError as error:
        return Outcome.CRASHED, edits | {"error_text": str(error)}
    except Exception:  # noqa: BLE001 - an algorithm may be a plug-in; its bug is this scoring's outcome
        return Outcome.CRASHED, edits | {"error_text": traceback.format_exc()}
    outcome = Outcome.APPLIED_NOTHING if applied.text == original else Outcome.APPLIED
    return outcome, edits | _measured(case, applied)


def _measured(case: EditedFile, applied: Applied) -> dict[str, Any]:
    added, removed = line_changes(case.file_contents, applied.text)
    language = _language(case)
    before = after = None
    if language is not None:
        before = _parses(case.file_contents, language)
        after = _parses(applied.text, language) if before else None
    return {
        "blocks": to_json(_placed(applied, case.file_contents)),
        "lines_added": added,
        "lines_removed": removed,
        "edited": applied.text,
        "parses_before": before,
        "parses_after": after,
        **({"equals_expected": applied.text in case.expected_contents} if case.expected_contents else {}),
    }


# A case's file is asked about again and again, and so is a result that many answers share.
@lru_cache(maxsize=1024)
def _parses(text: str, language: str) -> bool | None:
    return parses(text, language)


@lru_cache(maxsize=1024)
def line_changes(before: str, after: str) -> tuple[int, int]:
    """Return the lines added and removed by the smallest line diff; lines end at LF."""
    if before == after:
        return 0, 0
    from rapidfuzz.distance import LCSseq

    old, new = before.split("\n"), after.split("\n")
    start = _common(old, new)
    old, new = old[start:], new[start:]
    end = _common(reversed(old), reversed(new))
    old, new = old[: len(old) - end], new[: len(new) - end]
    # rapidfuzz compares hashes only, and two lines may have the same: so each distinct line gets a number.
    numbers: dict[str, int] = {}
    numbered = [[numbers.setdefault(line, len(numbers)) for line in lines] for lines in (old, new)]
    kept = LCSseq.similarity(*numbered)
    return len(new) - kept, len(old) - kept


def _common(old: Iterable[str], new: Iterable[str]) -> int:
    """Return how many lines are equal from the start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _placed(applied: Applied, original: str) -> list[dict[str, Any]]:
    """Return the applied blocks for the column `blocks`, in the order of the file.

    `block` is the number of the block in the diff, as in a refusal; lines of the original are 1-based.
    """
    return [
        {
            "block": block.block,
            "method": str(block.method),
            "similarity": block.similarity,
            "start": block.start,
            "end": block.end,
            "line": original.count("\n", 0, block.start) + 1,
        }
        for block in applied.blocks
    ]


def _refused(error: DiffError) -> dict[str, Any]:
    return {
        "reason": str(error.reason),
        "block": error.block,
        "nearest": _candidate(error.nearest) if error.nearest else None,
        **({"cause": str(error.cause)} if isinstance(error, EditError) else {}),
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {name: getattr(candidate, name) for name in Candidate.__slots__}
