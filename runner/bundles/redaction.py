"""What a bundle leaves out of rows: local paths always, texts of cases and answers on request."""

from collections.abc import Collection, Mapping
from typing import Any

from runner.bundles.form import Redaction
from runner.bundles.local_paths import portable, portable_path, without_paths
from runner.errors import InputError
from runner.json_texts import stored_json
from runner.records import Outcome
from runner.storage.rows import to_json
from runner.storage.store import Value

BundleRow = dict[str, Value]

# By table, the columns that hold or quote the text of cases: prompts render them, results are edits of them.
_OF_CASES: Mapping[str, tuple[str, ...]] = {
    "cases": ("content",),
    "lanes": ("system",),
    "answers": ("request",),
    "scorings": ("edited", "blocks", "error_text"),
}
# The same for the words of models: an answer's error may quote it.
_OF_ANSWERS: Mapping[str, tuple[str, ...]] = {
    "answers": ("text", "reasoning", "error_text"),
    "calls": ("error_text",),
    "scorings": ("edited", "blocks", "error_text", "parsed_calls"),
}
# Fields of a scoring's detail that quote an answer, a case or a test; and what of them reports count.
_QUOTING = {"log", "filling", "failing", "predictions", "troubles", "relation"}
_COUNTED_ONLY = {"predictions", "troubles"}
# Errors whose words are a traceback or what a judge printed.
_WITH_PATHS = {str(Outcome.CRASHED), str(Outcome.INFRA)}


def bundled_row(table: str, row: BundleRow, redacted: Collection[Redaction]) -> BundleRow:
    """Return a row as a bundle holds it. To do it twice changes nothing. Raises InputError for damaged JSON."""
    if table == "runs":
        return row | {"config": to_json(portable(_object(row["config"])))}
    if table == "cases":
        row = row | {name: portable_path(_text(row[name])) for name in ("path", "source")}
    if table in {"answers", "calls"} or row.get("outcome") in _WITH_PATHS:
        row = row | {"error_text": without_paths(_text(row["error_text"]))}
    if table == "scorings":
        row = row | {"detail": _detail(_text(row["detail"]), redacted)}
    left_out = [
        *(_OF_CASES.get(table, ()) if "cases" in redacted else ()),
        *(_OF_ANSWERS.get(table, ()) if "answers" in redacted else ()),
    ]
    return row | dict.fromkeys(left_out)


def holds_streams(redacted: Collection[Redaction]) -> bool:
    """Return whether the bytes of answers are in a bundle: they are what the answers say."""
    return not {"streams", "answers"} & set(redacted)


def _detail(text: str | None, redacted: Collection[Redaction]) -> str | None:
    """Return a detail without local paths, and without quotations where these are to be left out."""
    if text is None or not ('"log"' in text or redacted):
        return text
    detail = _object(text)
    if isinstance(detail.get("log"), str):
        detail["log"] = without_paths(detail["log"])
    if {"cases", "answers"} & set(redacted):
        detail = {name: _unquoted(name, value) for name, value in detail.items()}
    return to_json(detail)


def _unquoted(name: str, value: object) -> object:
    if name in _COUNTED_ONLY and isinstance(value, list):
        return [None] * len(value)
    return ("" if isinstance(value, str) else None) if name in _QUOTING else value


def _object(text: Value) -> dict[str, Any]:
    value = stored_json(text) if isinstance(text, str) else None
    if not isinstance(value, dict):
        raise InputError("the database holds no JSON object where one belongs; restore it from a copy")
    return value


def _text(value: Value) -> str | None:
    return value if isinstance(value, str) else None
