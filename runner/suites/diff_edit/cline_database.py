"""Reads the database of Cline's diff-edit evaluation: its runs, cases and results, as the original's schema has them.

Source: the schema and `TestRunner` of `evals/diff-edits` at revision 2f8a4525a4. Optional numbers passed through "value
or null" there, so that 0 is NULL; the conversation of a case, and why a diff did not apply, were never stored.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runner.errors import InputError
from runner.storage.foreign import ForeignDatabase
from runner.storage.store import Row

# What is read of each table, by the names of the original.
_COLUMNS: Mapping[str, frozenset[str]] = {
    "system_prompts": frozenset({"hash", "name", "content"}),
    "processing_functions": frozenset({"hash", "name", "parsing_function", "diff_edit_function"}),
    "files": frozenset({"hash", "filepath", "content"}),
    "runs": frozenset({"run_id", "created_at", "description", "system_prompt_hash"}),
    "cases": frozenset({"case_id", "run_id", "description", "task_id", "tokens_in_context", "file_hash"}),
    "results": frozenset(
        {
            "result_id",
            "run_id",
            "case_id",
            "model_id",
            "processing_functions_hash",
            "succeeded",
            "error_enum",
            "num_edits",
            "time_to_first_token_ms",
            "time_to_first_edit_ms",
            "time_round_trip_ms",
            "cost_usd",
            "completion_tokens",
            "raw_model_output",
            "parsed_tool_call_json",
            "created_at",
        }
    ),
}
_RUNS = """
SELECT r.run_id, r.created_at, r.description, p.hash AS prompt_hash, p.name AS prompt_name, p.content AS prompt
FROM runs r LEFT JOIN system_prompts p ON p.hash = r.system_prompt_hash ORDER BY r.created_at, r.rowid"""
_CASES = """
SELECT c.case_id, c.task_id, c.description, c.tokens_in_context, f.filepath, f.content
FROM cases c LEFT JOIN files f ON f.hash = c.file_hash WHERE c.run_id = ? ORDER BY c.rowid"""
_RESULTS = """
SELECT s.*, f.parsing_function, f.diff_edit_function
FROM results s LEFT JOIN processing_functions f ON f.hash = s.processing_functions_hash
WHERE s.run_id = ? ORDER BY s.created_at, s.rowid"""
_TEXTS = ("model_id", "case_id", "raw_model_output", "parsed_tool_call_json", "created_at")
_NUMBERS = (
    "succeeded", "error_enum", "num_edits", "time_to_first_token_ms", "time_to_first_edit_ms", "time_round_trip_ms",
    "cost_usd", "completion_tokens",
)  # fmt: skip
_NEEDED = {"model_id", "case_id", "succeeded"}


@dataclass(frozen=True, slots=True)
class ClineRun:
    """A run of the original; `prompt` is what its first case was sent, the others' renderings are not on record."""

    run_id: str
    created_at: str
    description: str
    prompt_name: str
    prompt_hash: str
    prompt: str | None


@dataclass(frozen=True, slots=True)
class ClineCase:
    """A case of a run; `path` and `contents` are None where the file is missing."""

    case_id: str
    task_id: str
    tokens: int | None
    path: str | None
    contents: str | None


@dataclass(frozen=True, slots=True)
class ClineResult:
    """A result: one attempt of a model at a case. `code` is the original's number of an error, None for none."""

    case_id: str
    model: str
    parser: str
    algorithm: str
    succeeded: bool
    code: int | None
    text: str | None
    calls: str | None
    created_at: str
    num_edits: int | None
    first_token_ms: float | None
    first_edit_ms: float | None
    round_trip_ms: float | None
    cost_usd: float | None
    output_tokens: int | None


def check_form(database: ForeignDatabase) -> None:
    """Raise InputError for a database that does not have the original's tables and columns."""
    tables = database.columns()
    for table, columns in _COLUMNS.items():
        if table not in tables:
            raise InputError(
                f"{database.path}: has no table {table!r}; name an evals.db of Cline's diff-edit evaluation"
            )
        missing = sorted(columns - tables[table])
        if missing:
            which = f"table {table!r} has no column {missing[0]!r}"
            raise InputError(f"{database.path}: {which}; name an evals.db of Cline's evaluation")


def cline_runs(database: ForeignDatabase) -> list[ClineRun]:
    """Return the runs, oldest first. Raises InputError for values of other types."""
    return [
        ClineRun(
            run_id=_text(database, row, "run_id") or "",
            created_at=_moment(_text(database, row, "created_at")),
            description=_text(database, row, "description") or "",
            prompt_name=_text(database, row, "prompt_name") or "unknown",
            prompt_hash=_text(database, row, "prompt_hash") or "",
            prompt=_text(database, row, "prompt"),
        )
        for row in database.stream(_RUNS)
    ]


def cline_cases(database: ForeignDatabase, run_id: str) -> Iterator[ClineCase]:
    """Yield the cases of a run, in their order."""
    for row in database.stream(_CASES, run_id):
        tokens = _number(database, row, "tokens_in_context")
        yield ClineCase(
            case_id=_text(database, row, "case_id") or "",
            task_id=_text(database, row, "task_id") or "",
            tokens=None if tokens is None else int(tokens),
            path=_text(database, row, "filepath"),
            contents=_text(database, row, "content"),
        )


def cline_results(database: ForeignDatabase, run_id: str) -> Iterator[ClineResult]:
    """Yield the results of a run, oldest first."""
    for row in database.stream(_RESULTS, run_id):
        texts = {name: _text(database, row, name) for name in _TEXTS}
        numbers = {name: _number(database, row, name) for name in _NUMBERS}
        for name in _NEEDED:
            if (texts | numbers).get(name) is None:
                raise _odd(database, row, name, "is missing")
        yield ClineResult(
            case_id=texts["case_id"] or "",
            model=texts["model_id"] or "",
            parser=_text(database, row, "parsing_function") or "",
            algorithm=_text(database, row, "diff_edit_function") or "",
            succeeded=bool(numbers["succeeded"]),
            code=_whole(numbers["error_enum"]),
            text=texts["raw_model_output"],
            calls=texts["parsed_tool_call_json"],
            created_at=_moment(texts["created_at"]),
            num_edits=_whole(numbers["num_edits"]),
            first_token_ms=numbers["time_to_first_token_ms"],
            first_edit_ms=numbers["time_to_first_edit_ms"],
            round_trip_ms=numbers["time_round_trip_ms"],
            cost_usd=numbers["cost_usd"],
            output_tokens=_whole(numbers["completion_tokens"]),
        )


def _text(database: ForeignDatabase, row: Row, name: str) -> str | None:
    value: Any = row[name]
    if value is not None and not isinstance(value, str):
        raise _odd(database, row, name, "is no text")
    return value


def _number(database: ForeignDatabase, row: Row, name: str) -> float | None:
    value: Any = row[name]
    if value is not None and not isinstance(value, int | float):
        raise _odd(database, row, name, "is no number")
    return value


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _odd(database: ForeignDatabase, row: Row, name: str, problem: str) -> InputError:
    key = next((row[key] for key in ("result_id", "case_id", "run_id") if key in set(row.keys())), "")
    return InputError(f"{database.path}: row {str(key)[:40]!r}: column {name!r} {problem}; repair it, or leave it out")


def _moment(text: str | None) -> str:
    """Return a time of SQLite, UTC with a resolution of 1 s, as our database has it."""
    return "" if text is None else text.strip().replace(" ", "T", 1)
