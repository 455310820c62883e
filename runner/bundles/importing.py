"""Puts the rows of a bundle into a database, in one transaction: all of them or none."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from runner.bundles.container import Container, damaged
from runner.bundles.form import REPLAY, REPORT
from runner.bundles.lines import row_of
from runner.bundles.part_import import PartImport
from runner.bundles.writing import part_facts
from runner.errors import InputError
from runner.storage.runs import LATEST
from runner.storage.store import Row, Store
from runner.suites import suite_named

# So many names are tried for a run whose id is taken.
_MOST_NAMES = 1000


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a run of a bundle: the id in the bundle, that in the database, and whether it was there before."""

    bundled_id: str
    run_id: str
    was_there: bool


def import_bundle(store: Store, bundle: Container) -> list[Imported]:
    """Make the runs of a bundle runs of a database; nothing changes where they are there already.

    A run whose id is another run's gets `-2`, `-3`, ... behind it. Raises InputError for rows that are none.
    """
    suite_named(bundle.manifest.suite)
    done: list[Imported] = []
    with store.transaction():
        for part, run_id in bundle.manifest.runs.items():
            # A replay whose answers got another name is another run than one of the old name.
            source_id = next((run.run_id for run in done), None)
            known = _name_on_record(store, bundle, part, source_id)
            name = known or _free_name(store, run_id)
            if known is None:
                PartImport(store, bundle, part, name, source_id or name).put()
            done.append(Imported(run_id, name, known is not None))
    return done


def _names(run_id: str) -> Iterator[str]:
    yield run_id
    yield from (f"{run_id}-{number}" for number in count(2))


def _free_name(store: Store, run_id: str) -> str:
    if run_id == LATEST:
        raise InputError(f"run {run_id}: names the newest run everywhere; the bundle cannot be imported")
    for name in _names(run_id):
        if not store.rows("SELECT 1 FROM runs WHERE run_id = ?", name):
            return name
    raise AssertionError


def _name_on_record(store: Store, bundle: Container, part: str, source_id: str | None) -> str | None:
    """Return the run of the database that is the one in the bundle, under its id or under one that it was given."""
    run_id = bundle.manifest.runs[part]
    for name, _ in zip(_names(run_id), range(_MOST_NAMES), strict=False):
        rows = store.rows("SELECT * FROM runs WHERE run_id = ?", name)
        if not rows:
            return None
        if rows[0]["replay_of"] == (source_id if part == REPLAY else None) and _is_same(store, bundle, part, rows[0]):
            return name
    raise InputError(f"run {run_id}: {_MOST_NAMES} other runs are called so; rename it in its database")


def _is_same(store: Store, bundle: Container, part: str, run: Row) -> bool:
    facts = part_facts(store, run, part, bundle.manifest.runs[part])
    return all(bundle.manifest.members[name] == known for name, known in facts.items())


def report_on_record(bundle: Container, part: str) -> dict[str, Any] | None:
    """Return the figures that a bundle claims for a run; None where it claims none."""
    member = f"{part}/{REPORT}"
    rows = [row_of(line, f"{bundle.path}: {member}") for line in bundle.lines(member)]
    if len(rows) != 1 or not isinstance(rows[0].get("report"), dict | None):
        raise damaged(bundle.path, f"{member} holds no report")
    report: dict[str, Any] | None = rows[0]["report"]
    return report
