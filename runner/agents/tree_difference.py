"""What an agent changed in its working folder: the answer of an attempt, as text that needs no folder to be scored."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from runner.json_texts import parse_json

# Characters of changed files that are kept in an answer.
_LARGEST = 4 << 20
# What interpreters and tools leave behind wherever they run: no part of an answer.
_CACHES = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})


@dataclass(frozen=True, slots=True)
class TreeDifference:
    """The files that differ, by their paths: new texts, those that are gone, and those that are too large to be kept.

    Texts are UTF-8; other bytes are surrogate escapes. A link counts as large: it is never followed.
    """

    changed: Mapping[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    large: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files that differ, in order."""
        return tuple(sorted({*self.changed, *self.removed, *self.large}))

    @property
    def data(self) -> dict[str, object]:
        """The difference as JSON values; only what there is."""
        values = {"changed": dict(self.changed), "removed": [*self.removed], "large": [*self.large]}
        return {name: value for name, value in values.items() if value}


def difference(folder: Path, before: Mapping[str, str]) -> TreeDifference:
    """Return how a folder differs from the texts that were put there. Whatever else is in it is new, but for caches."""
    changed: dict[str, str] = {}
    large: list[str] = []
    seen: set[str] = set()
    left = _LARGEST
    for path, entry in _files(folder):
        seen.add(path)
        known = before.get(path)
        if known is None and not _CACHES.isdisjoint(path.split("/")[:-1]):
            continue
        if not entry.is_file(follow_symlinks=False) or entry.stat(follow_symlinks=False).st_size > left:
            large.append(path)
            continue
        text = Path(entry.path).read_bytes().decode("utf-8", "surrogateescape")
        if text != known:
            changed[path] = text
            left -= len(text)
    return TreeDifference(changed, tuple(sorted(before.keys() - seen)), tuple(large))


def texts_in(folder: Path) -> dict[str, str]:
    """Return the texts of all files below a folder by their paths, but for links."""
    entries = ((path, entry) for path, entry in _files(folder) if entry.is_file(follow_symlinks=False))
    return {path: Path(entry.path).read_bytes().decode("utf-8", "surrogateescape") for path, entry in entries}


def _files(folder: Path) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    """Yield all that is no folder, in the order of names, by its path in the folder."""
    pending = [""]
    while pending:
        inside = pending.pop()
        with os.scandir(folder / inside) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
        for entry in listed:
            path = f"{inside}/{entry.name}" if inside else entry.name
            if entry.is_dir(follow_symlinks=False):
                pending.append(path)
            else:
                yield path, entry


def bytes_in(folder: Path) -> int:
    """Return the bytes of all files below a folder; what vanishes meanwhile does not count."""
    total = 0
    for place, folders, names in os.walk(folder):
        for name in (*names, *folders):
            try:
                total += os.lstat(os.path.join(place, name)).st_blocks * 512  # noqa: PTH118 - a hundred thousand files
            except OSError:
                continue
    return total


def difference_in(answer: str) -> TreeDifference | None:
    """Return the difference that an agent's answer states; None for a text that is none."""
    try:
        values = parse_json(answer, json.loads)
    except ValueError:
        return None
    tree = values.get("tree") if isinstance(values, dict) else None
    if not isinstance(tree, dict):
        return None
    changed, removed, large = tree.get("changed", {}), tree.get("removed", []), tree.get("large", [])
    if not isinstance(changed, dict) or not isinstance(removed, list) or not isinstance(large, list):
        return None
    texts = {str(path): text for path, text in changed.items() if isinstance(text, str)}
    return TreeDifference(texts, tuple(map(str, removed)), tuple(map(str, large)))
