"""`evals prune`: makes the database smaller."""

from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runner.cli.options import DEFAULT_DB, Db, Json

if TYPE_CHECKING:
    from runner.storage.store import Store

_STREAMS = "Delete raw streams; what was read from them stays."
_AGE = "Only streams of answers older than 30d, 12h, 2w …"
_TEXTS = "Delete texts that nothing refers to; while nothing runs."
_VACUUM = "Give the space back to the disk; takes as much again while it lasts."


def prune(
    streams: Annotated[bool, typer.Option("--streams", help=_STREAMS)] = False,
    older_than: Annotated[str, typer.Option(metavar="AGE", help=_AGE)] = "",
    run: Annotated[str, typer.Option(help="Only streams of this run: an id, a prefix of one, or `latest`.")] = "",
    texts: Annotated[bool, typer.Option("--texts", help=_TEXTS)] = False,
    vacuum: Annotated[bool, typer.Option("--vacuum", help=_VACUUM)] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would be deleted.")] = False,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Delete raw streams, texts that nothing needs, and the free space; say how much."""
    from runner.console import put_json, say
    from runner.errors import InputError
    from runner.storage.store import Store

    if not (streams or texts or vacuum):
        raise InputError("prune: what? give --streams, --texts or --vacuum")
    if streams and not (older_than or run):
        raise InputError("--streams: which? give --older-than, such as 30d, or --run")
    if not streams and (older_than or run):
        raise InputError("--older-than and --run: choose among streams; give --streams, too")
    with closing(Store.open(db, create=False)) as store:
        told = _streams(store, older_than, run, dry_run=dry_run) if streams else {}
        told |= _rest(store, texts=texts, vacuum=vacuum and not dry_run, dry_run=dry_run)
    if json:
        put_json({"dry_run": dry_run, **told})
    else:
        for line in _lines(told, "would be deleted" if dry_run else "deleted"):
            say(line)


def _streams(store: "Store", older_than: str, run: str, *, dry_run: bool) -> dict[str, Any]:
    from dataclasses import asdict

    from runner.storage.prune import ALWAYS, cutoff, prune_streams
    from runner.storage.runs import find_run, utc_now

    before = cutoff(utc_now(), older_than) if older_than else ALWAYS
    found = find_run(store, run) if run else None
    return {"streams": [asdict(one) for one in prune_streams(store, before, found, dry_run=dry_run)]}


def _rest(store: "Store", *, texts: bool, vacuum: bool, dry_run: bool) -> dict[str, Any]:
    from runner.storage.prune import prune_texts, shrink

    told: dict[str, Any] = {}
    if texts:
        count, size = prune_texts(store, dry_run=dry_run)
        told["texts"] = {"count": count, "stored_bytes": size}
    if vacuum:
        before, after = shrink(store)
        told["file"] = {"bytes_before": before, "bytes_after": after}
    return told


def _lines(told: dict[str, Any], done: str) -> list[str]:
    from runner.console import bytes_told

    lines = [
        f"run {one['run_id']}: {one['count']:,} streams, {bytes_told(one['stored_bytes'])}, {done}"
        for one in told.get("streams", ())
    ]
    if told.get("streams") == []:
        lines.append("there is no such stream")
    if "texts" in told:
        lines.append(f"{told['texts']['count']:,} texts, {bytes_told(told['texts']['stored_bytes'])}, {done}")
    if "file" in told:
        file = told["file"]
        lines.append(f"file: {bytes_told(file['bytes_before'])} before, {bytes_told(file['bytes_after'])} now")
    return lines
