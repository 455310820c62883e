"""Finds out, before databases are merged, whether what they hold as one run is one, and names what differs."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.errors import InputError
from runner.storage.identities import differences
from runner.storage.rows import config_of
from runner.storage.runs import CAP, QUOTA
from runner.storage.store import Row, Store

_ASKED = (QUOTA, CAP, "valid_attempts_per_step")


@dataclass(frozen=True, slots=True)
class _Head:
    """What a run is, in one database; `parts` are its shards there."""

    path: Path
    run_id: str
    facts: dict[str, Any]
    parts: frozenset[tuple[int, int]]

    @property
    def is_part(self) -> bool:
        """Whether shards of it are elsewhere."""
        return bool(self.parts) and any(len(self.parts) < total for total, _ in self.parts)


def refuse_mixed(out: Store, paths: Sequence[Path]) -> None:
    """Raise InputError where runs of one id differ, or shards that complete each other are of different runs."""
    heads: dict[str, _Head] = {}
    for head in _heads(out, paths):
        first = heads.setdefault(head.run_id, head)
        if words := _differences(first, head):
            raise InputError(f"{head.path}: run {head.run_id} is not that of {first.path} ({words}); merge them apart")
        heads[head.run_id] = _Head(first.path, head.run_id, first.facts, first.parts | head.parts)
    parts = [head for head in heads.values() if head.is_part]
    for at, head in enumerate(parts):
        for other in parts[at + 1 :]:
            if _complete_each_other(head, other):
                raise InputError(
                    f"{other.path}: holds a shard of run {other.run_id}, and {head.path} one of run {head.run_id} "
                    f"({_differences(head, other)}); ask again with the same options, or merge them apart"
                )


def _heads(out: Store, paths: Sequence[Path]) -> Iterator[_Head]:
    yield from _heads_of(out)
    for path in paths:
        with closing(Store.open(path, create=False)) as store:
            yield from _heads_of(store)


def _heads_of(store: Store) -> Iterator[_Head]:
    for run in store.rows("SELECT * FROM runs"):
        parts = store.rows("SELECT shards, shard FROM shards WHERE run_id = ?", run["run_id"])
        yield _Head(store.path, run["run_id"], _facts(run), frozenset((row[0], row[1]) for row in parts))


def _facts(run: Row) -> dict[str, Any]:
    config = config_of(run)
    quotas = {name: config["settings"][name] for name in _ASKED if name in config["settings"]}
    row = {name: run[name] for name in ("suite", "version", "replay_of")}
    return {**row, **config["identity"], **quotas}


def _differences(first: _Head, other: _Head) -> str:
    return "; ".join(
        f"{name} is {first.facts.get(name)!r} and {other.facts.get(name)!r}"
        for name in differences(first.facts, other.facts)
    )


def _complete_each_other(first: _Head, other: _Head) -> bool:
    """Return whether two runs of one suite hold different shards of as many."""
    totals = {total for total, _ in first.parts} & {total for total, _ in other.parts}
    return first.facts["suite"] == other.facts["suite"] and bool(totals) and not first.parts & other.parts
