"""The rules of Cline's diff-edit evaluation as its code has them: one scoring step, validity, codes, names.

Source: `ClineWrapper` and `TestRunner` of `evals/diff-edits` at revision 2f8a4525a4. Our own rules (one outcome per
way to fail, paths compared folded, truncated answers apart) are the suite's; nothing there depends on this module.
"""

from dataclasses import dataclass

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import Applied, DiffError
from parsers import ALIASES as PARSER_ALIASES
from parsers import PARSERS
from parsers.blocks import ToolCall
from runner.errors import InputError

_OTHER = 99
ERROR_CODES = {
    "no_tool_calls": 1,
    "parsing_error": 2,
    "diff_edit_error": 3,
    "missing_original_diff_edit_tool_call_message": 4,
    "api_error": 5,
    "wrong_tool_call": 6,
    "wrong_file_edited": 7,
    "multi_tool_calls": 8,
    "tool_call_params_undefined": 9,
    "other_error": _OTHER,
}

_INVALID = frozenset({"no_tool_calls", "wrong_tool_call", "wrong_file_edited"})


@dataclass(frozen=True, slots=True)
class ClineScore:
    """The result of one scoring step.

    - `success`: no error code. An answer whose diff does not apply is a success with `diff_edit_success` false.
    - `tool_calls`: every call of the answer, unfinished ones too.
    - `diff_edit`, `diff_edit_success`, `applied`: the diff, whether it applied, what it gave; None where the step
      ended before. `error_text` says why it did not apply; the original printed and forgot it.
    """

    error: str | None
    tool_calls: tuple[ToolCall, ...]
    diff_edit: str | None = None
    diff_edit_success: bool | None = None
    applied: Applied | None = None
    error_text: str | None = None

    @property
    def success(self) -> bool:
        """Whether there is no error code."""
        return self.error is None

    @property
    def error_code(self) -> int | None:
        """The number that the original's database keeps."""
        return error_code(self.error)

    @property
    def succeeded(self) -> bool:
        """What the original's success rates count: no error code, and the diff applied."""
        return self.success and self.diff_edit_success is True


def score_message(message: str, original: str, path: str, parser_name: str, algorithm_name: str) -> ClineScore:
    """Score a model's whole message against a case's file and path, without a model; the diff is taken as final.

    Parsers go by our names or the original's, algorithms by the names of `DIFF_ALGORITHMS`: the original knew
    its `constructNewFileContent…` names only when it replayed from its database, not here.

    Raises InputError where the original refused before it asked: an empty file or path, an unknown parser or
    algorithm. (It counted those as valid failed attempts.)
    """
    parser = PARSERS.get(PARSER_ALIASES.get(parser_name, parser_name))
    algorithm = DIFF_ALGORITHMS.get(algorithm_name)
    if not original or not path:
        raise InputError(f"cline: the case's {'path' if original else 'file'} is empty; give one with text")
    if parser is None or algorithm is None:
        unknown = f"parser {parser_name!r}" if parser is None else f"algorithm {algorithm_name!r}"
        raise InputError(f"cline: {unknown} is not known")
    calls = tuple(block for block in parser.parse(message) if isinstance(block, ToolCall))
    error = _call_error(calls, path)
    if error is not None:
        return ClineScore(error, calls)
    diff = calls[0].params["diff"]
    try:
        applied = algorithm(original, diff)
    except DiffError as refused:
        return ClineScore(None, calls, diff, diff_edit_success=False, error_text=str(refused))
    return ClineScore(None, calls, diff, diff_edit_success=True, applied=applied)


def _call_error(calls: tuple[ToolCall, ...], path: str) -> str | None:
    if not calls:
        return "no_tool_calls"
    if len(calls) > 1:
        return "multi_tool_calls"
    call = calls[0]
    if call.name != "replace_in_file":
        return "wrong_tool_call"
    if not call.params.get("path") or not call.params.get("diff"):
        return "tool_call_params_undefined"
    return "wrong_file_edited" if call.params["path"] != path else None


def error_code(error: str | None) -> int | None:
    """The number of an error in the original's database; 99 for every unknown one, None for none."""
    return None if error is None else ERROR_CODES.get(error, _OTHER)


def valid_for_cline(error: str | None) -> bool:
    """Whether the original counts an attempt that ended with this error as a valid one.

    It counts all but three: also several calls, missing parameters, failures of the API and of its own.
    """
    return error not in _INVALID
