"""Attempts as a Parquet file, a thousand rows at a time; pyarrow is an extra."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import IO, Any

from runner.errors import InputError
from runner.report.columns import FlatRow, Kind, attempt_columns, attempt_rows
from runner.storage.store import Store

_BATCH = 1000


def write_parquet(store: Store, run_id: str, file: IO[bytes]) -> None:
    """Write the attempts of a run, a column for each field of a record and for each metric.

    Raises InputError where pyarrow is missing, before anything is written.
    """
    arrow, parquet = _arrow()
    columns = attempt_columns(store, run_id)
    schema = arrow.schema([(name, _type(arrow, kind)) for name, kind in columns.items()])
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in _batches(attempt_rows(store, run_id)):
            writer.write_table(arrow.Table.from_pylist(batch, schema=schema))


def _batches(rows: Iterator[FlatRow]) -> Iterator[list[FlatRow]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _type(arrow: Any, kind: Kind) -> Any:  # noqa: ANN401 - pyarrow has no types
    types: Mapping[Kind, Any] = {
        "text": arrow.large_string(),
        "whole": arrow.int64(),
        "number": arrow.float64(),
        "flag": arrow.bool_(),
        "time": arrow.timestamp("ms", tz="UTC"),
    }
    return types[kind]


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError("--format parquet: pyarrow is not installed; pip install 'evals[frames]'") from None
    return pa, pq
