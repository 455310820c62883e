"""An audit as tables and as JSON values."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from runner.audit.figures import AuditFigures, EditCounts, EditKey, UsageCounts
from runner.document import Document, Table
from runner.privacy.cleaning import Cleaner, texts_of

_MOST_FILES = 20


def audit_document(figures: AuditFigures, places: int) -> Document:
    """Return the tables of an audit."""
    sessions = sum(figures.sessions.values())
    title = f"{sessions} recorded sessions in {places} {'place' if places == 1 else 'places'}"
    tables = [
        _edits(figures),
        _retries(figures),
        _causes(figures),
        _algorithms(figures),
        _usages(figures),
        _results("edits by language", "language", figures.languages),
        _results("edits by file ending", "files", figures.endings),
        _results("files where edits fail most", "file", _worst(figures.files)),
        _results("edits by week", "week", figures.weeks),
    ]
    return Document(title, tuple(table for table in tables if table.rows), _notes(figures))


def as_data(figures: AuditFigures) -> dict[str, Any]:
    """Return an audit as JSON values."""
    return {
        "sessions": dict(sorted(figures.sessions.items())),
        "damaged": figures.damaged,
        "edits": [_edit_data(key, counts) for key, counts in sorted(figures.edits.items())],
        "other_calls_failed": dict(sorted(figures.refused_calls.items())),
        "algorithms": {name: dict(sorted(results.items())) for name, results in figures.algorithms.items()},
        "usage": [
            {"agent": agent, "model": model, **_usage_data(counts)}
            for (agent, model), counts in sorted(figures.usages.items())
        ],
        "languages": {name: dict(counts) for name, counts in sorted(figures.languages.items())},
        "files": [{"file": name, **counts} for name, counts in _worst(figures.files).items()],
        "endings": {name: dict(counts) for name, counts in sorted(figures.endings.items())},
        "weeks": {name: dict(counts) for name, counts in sorted(figures.weeks.items())},
    }


def _edit_data(key: EditKey, counts: EditCounts) -> dict[str, Any]:
    return {
        "agent": key.agent,
        "version": key.version,
        "model": key.model,
        "tool": key.tool,
        "ok": counts.ok,
        "failed": counts.failed,
        "no_result": counts.no_result,
        "first_try": counts.first,
        "after_failures": {str(number): times for number, times in sorted(counts.later.items())},
        "never": counts.never,
        "causes": dict(sorted(counts.causes.items())),
        "diagnosed": dict(sorted(counts.diagnosed.items())),
        "retry_seconds": round(counts.retry_seconds, 3),
        "retry_tokens": counts.retry_tokens,
        "retry_usd": counts.retry_usd if not counts.unpriced else None,
    }


def _usage_data(counts: UsageCounts) -> dict[str, Any]:
    return {
        "answers": counts.answers,
        "input_tokens": counts.input,
        "output_tokens": counts.output,
        "cache_read_tokens": counts.cache_read,
        "cache_write_tokens": counts.cache_write,
        "usd": counts.usd if not counts.unpriced else None,
    }


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else ""


def _edits(figures: AuditFigures) -> Table:
    rows = []
    for key, counts in sorted(figures.edits.items()):
        calls = counts.ok + counts.failed
        row = (key.model, key.tool, key.agent, key.version, str(calls), _share(counts.ok, calls), str(counts.failed))
        rows.append((*row, str(counts.no_result)))
    columns = ("model", "tool", "agent", "version", "calls", "ok", "failed", "no result")
    return Table("editing calls", columns, tuple(rows), important=("model", "tool", "calls", "ok", "failed"))


def _retries(figures: AuditFigures) -> Table:
    rows = []
    for key, counts in sorted(figures.edits.items()):
        later = sum(counts.later.values())
        edits = counts.first + later + counts.never
        if not edits:
            continue
        usd = "unknown" if counts.unpriced else f"${counts.retry_usd:.4f}"
        rows.append(
            (
                key.model,
                key.tool,
                str(edits),
                _share(counts.first, edits),
                _share(later, edits),
                _share(counts.never, edits),
                str(max(counts.later, default=0)),
                f"{counts.retry_seconds / 60:.1f}",
                str(counts.retry_tokens),
                usd,
            )
        )
    columns = (
        *("model", "tool", "edits", "first try", "after retries", "never", "most retries"),
        *("minutes of retries", "tokens of retries", "cost of retries"),
    )
    return Table("tries of each edit", columns, tuple(rows), important=("model", "tool", "edits", "first try", "never"))


def _causes(figures: AuditFigures) -> Table:
    by_agent, by_text = Counter[tuple[str, str, str]](), Counter[tuple[str, str, str]]()
    for key, counts in figures.edits.items():
        for cause, times in counts.causes.items():
            by_agent[key.model, "what the agent answered", cause] += times
        for cause, times in counts.diagnosed.items():
            by_text[key.model, "against the file", cause] += times
    rows = [(model, kind, cause, str(times)) for (model, kind, cause), times in [*_ranked(by_agent), *_ranked(by_text)]]
    columns = ("model", "by", "cause", "calls")
    return Table("why editing calls failed", columns, tuple(rows), important=columns)


def _ranked(counts: Counter[tuple[str, str, str]]) -> list[tuple[tuple[str, str, str], int]]:
    return sorted(counts.items(), key=lambda entry: (entry[0][0], -entry[1], entry[0]))


def _algorithms(figures: AuditFigures) -> Table:
    rows = []
    for name, results in figures.algorithms.items():
        if results:
            ok = [str(results[f"ok: {kind}"]) for kind in ("same", "other", "refused")]
            rows.append((name, *ok, str(results["failed: applied"]), str(results["failed: refused"])))
    columns = ("algorithm", "ok, same", "ok, other", "ok, refused", "failed, applied", "failed, refused")
    return Table("the same calls with our algorithms", columns, tuple(rows), important=columns)


def _usages(figures: AuditFigures) -> Table:
    rows = []
    for (agent, model), counts in sorted(figures.usages.items()):
        usd = "unknown" if counts.unpriced else f"${counts.usd:.4f}"
        tokens = (counts.input, counts.output, counts.cache_read, counts.cache_write)
        rows.append((model, agent, str(counts.answers), *map(str, tokens), usd))
    columns = ("model", "agent", "answers", "input", "output", "cache read", "cache write", "cost")
    return Table("tokens and cost", columns, tuple(rows), important=("model", "answers", "input", "output", "cost"))


def _results(title: str, first: str, groups: Mapping[str, Counter[str]]) -> Table:
    rows = []
    for name, counts in groups.items() if first == "file" else sorted(groups.items()):
        calls = counts["ok"] + counts["failed"]
        rows.append((name, str(calls), _share(counts["ok"], calls), str(counts["failed"])))
    columns = (first, "calls", "ok", "failed")
    return Table(title, columns, tuple(rows), important=columns)


def _worst(files: Mapping[str, Counter[str]]) -> dict[str, Counter[str]]:
    """Return the files with the most failed calls, the worst first."""
    failed = [entry for entry in files.items() if entry[1]["failed"]]
    return dict(sorted(failed, key=lambda entry: (-entry[1]["failed"], entry[0]))[:_MOST_FILES])


def without_secrets(document: Document, cleaner: Cleaner) -> Document:
    """Return the tables without secrets and people in names of files, models and tools."""
    cells = [cell for table in document.tables for row in table.rows for cell in row]
    for cell in cells:
        cleaner.learn(cell)
    tables = (
        replace(table, rows=tuple(tuple(map(cleaner.clean, row)) for row in table.rows)) for table in document.tables
    )
    return replace(document, tables=tuple(tables))


def data_without_secrets(data: dict[str, Any], cleaner: Cleaner) -> dict[str, Any]:
    """Return the JSON values of an audit without secrets and people, also in the endings of files."""
    endings: dict[str, Counter[str]] = data["endings"]
    for text in (*texts_of(data), *endings):
        cleaner.learn(text)
    return {**cleaner.clean_values(data), "endings": {cleaner.clean(name): dict(endings[name]) for name in endings}}


def _notes(figures: AuditFigures) -> tuple[str, ...]:
    notes = ["Nothing was sent anywhere; the recordings were only read."]
    if any(figures.algorithms.values()):
        notes.append(
            "Algorithms: only calls that replace texts in a file whose text at that moment the recording has. "
            '"other" is another file than the recorded one; of failed calls nobody knows the right file.'
        )
    if figures.damaged:
        notes.append(f"{figures.damaged} damaged lines or documents were left out.")
    return tuple(notes)
