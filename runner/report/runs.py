"""The runs of a database as a table, with what each takes if that is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from runner.console import format_bytes
from runner.document import Document, Table
from runner.storage.prune import Size
from runner.storage.store import Row

_COLUMNS = {
    "run": "run_id",
    "suite": "suite",
    "created (UTC)": "created_at",
    "state": "state",
    "replay of": "replay_of",
    "variants": "variants",
    "attempts": "attempts",
    "name": "name",
}
_IMPORTANT = ("run", "state", "created (UTC)", "suite", "attempts", "name")
_IMPORTANT_SIZES = ("run", "size of streams", "size of texts", "state", "suite", "created (UTC)")


def runs_data(runs: Sequence[Row], sizes: Mapping[str, Size] | None) -> list[dict[str, Any]]:
    """Return the runs as JSON values."""
    return [{**dict(run), **(asdict(sizes[run["run_id"]]) if sizes is not None else {})} for run in runs]


def runs_document(title: str, runs: Sequence[Row], sizes: Mapping[str, Size] | None) -> Document:
    """Return the runs for people."""
    columns = tuple(_COLUMNS)
    rows = [tuple(str(run[name] if run[name] is not None else "") for name in _COLUMNS.values()) for run in runs]
    if sizes is None:
        return Document(title, (Table("runs", columns, tuple(rows), _IMPORTANT),))
    wide = [(*row, *_cells(sizes[run["run_id"]])) for row, run in zip(rows, runs, strict=True)]
    note = "in the database, packed; a text that several runs use is counted in each"
    return Document(
        title,
        (
            Table(
                "runs",
                (*columns, "streams", "size of streams", "texts", "size of texts"),
                tuple(wide),
                _IMPORTANT_SIZES,
            ),
        ),
        (note,),
    )


def _cells(size: Size) -> tuple[str, ...]:
    return (f"{size.streams:,}", format_bytes(size.stream_bytes), f"{size.texts:,}", format_bytes(size.text_bytes))
