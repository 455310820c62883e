"""`evals prune`: makes the database smaller."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from runner.run.options import DEFAULT_DB, Db, Json

if TYPE_CHECKING:
    from runner.storage.prune import Pruned
    from runner.storage.store import Store

_RUN = "Only streams of this run: its id, a prefix of the id, or `latest`."
_VACUUM = "Return free space to the disk; needs as much space again while it runs."


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneOptions:
    """The options of `evals prune`."""

    streams: Annotated[
        bool, Option("--streams", help="Delete raw streams; the texts, usage and clocks read from them stay.")
    ] = False
    older_than: Annotated[
        str,
        Option("--older-than", metavar="AGE", help="Only streams of answers older than this, such as 30d, 12h or 2w."),
    ] = ""
    run_id: Annotated[str, Option("--run-id", "--run", help=_RUN)] = ""
    texts: Annotated[
        bool, Option("--texts", help="Delete texts that nothing refers to; only while no run is active.")
    ] = False
    vacuum: Annotated[bool, Option("--vacuum", help=_VACUUM)] = False
    dry_run: Annotated[bool, Option("--dry-run", help="Only print what would be deleted.")] = False
    db: Db = DEFAULT_DB
    json: Json = False


@dataclass(frozen=True, slots=True)
class _Deleted:
    """What was deleted, or would be; None for what was not requested.

    `texts` are their number and their bytes, `file` its bytes before and after.
    """

    streams: "list[Pruned] | None" = None
    texts: tuple[int, int] | None = None
    file: tuple[int, int] | None = None


def prune(options: PruneOptions) -> None:
    """Delete raw streams, unused texts and free space.

    Prints what was deleted, and its size.
    """
    from runner.console import put_json, show_lines
    from runner.errors import InputError
    from runner.storage.store import Store

    if not (options.streams or options.texts or options.vacuum):
        raise InputError("prune: nothing to delete; give --streams, --texts or --vacuum")
    if options.streams and not (options.older_than or options.run_id):
        raise InputError("--streams: needs a choice of streams; give --older-than, such as 30d, or --run-id")
    if not options.streams and (options.older_than or options.run_id):
        raise InputError("--older-than and --run-id: choose among streams; give --streams, too")
    with closing(Store.open(options.db, create=False)) as store:
        deleted = _delete(store, options)
    if options.json:
        put_json({"dry_run": options.dry_run, **_data(deleted)})
    else:
        show_lines(_lines(deleted, "would be deleted" if options.dry_run else "deleted"))


def _delete(store: "Store", options: PruneOptions) -> _Deleted:
    from runner.storage.prune import prune_texts, shrink

    return _Deleted(
        _delete_streams(store, options) if options.streams else None,
        prune_texts(store, dry_run=options.dry_run) if options.texts else None,
        shrink(store) if options.vacuum and not options.dry_run else None,
    )


def _delete_streams(store: "Store", options: PruneOptions) -> "list[Pruned]":
    from runner.storage.prune import ALWAYS, cutoff, prune_streams
    from runner.storage.runs import find_run, utc_now

    before = cutoff(utc_now(), options.older_than) if options.older_than else ALWAYS
    run = find_run(store, options.run_id) if options.run_id else None
    return prune_streams(store, before, run, dry_run=options.dry_run)


def _data(deleted: _Deleted) -> dict[str, Any]:
    from dataclasses import asdict

    data: dict[str, Any] = {}
    if deleted.streams is not None:
        data["streams"] = [asdict(streams) for streams in deleted.streams]
    if deleted.texts is not None:
        data["texts"] = dict(zip(("count", "stored_bytes"), deleted.texts, strict=True))
    if deleted.file is not None:
        data["file"] = dict(zip(("bytes_before", "bytes_after"), deleted.file, strict=True))
    return data


def _lines(deleted: _Deleted, verb: str) -> Iterator[str]:
    from runner.console import format_bytes

    for streams in deleted.streams or ():
        yield f"run {streams.run_id}: {streams.count:,} streams, {format_bytes(streams.stored_bytes)}, {verb}"
    if deleted.streams == []:
        yield "no streams match"
    if deleted.texts is not None:
        count, size = deleted.texts
        yield f"{count:,} texts, {format_bytes(size)}, {verb}"
    if deleted.file is not None:
        before, after = deleted.file
        yield f"file: {format_bytes(before)} before, {format_bytes(after)} now"
