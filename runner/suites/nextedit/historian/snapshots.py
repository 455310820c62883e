"""Historian's own picture of a commit: per file a list of unchanged blocks and edits, made from the text of a diff.

Reproduces code-philia/Historian (March 2026), `simulation/utils.py` and the derived snapshots of its commit object,
defects included: the last line of a file loses its end or gains one, CRLF becomes LF, and a form feed inside a line
cuts the rest of it off. What it refuses is refused here, with its reason.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Literal, NotRequired, TypedDict

from runner.suites.nextedit.historian.paths import Construct, Outline, outline

EXTENSIONS = frozenset({"go", "js", "java", "py", "ts", "tsx"})
_PAIR = re.compile(r"diff --git a/(.+) b/(.+)")
_SECTION = re.compile(r"diff --git[\s\S]*?(?=\ndiff --git|\n?\Z)")
_HUNK = re.compile(r"^@@.*\n", re.MULTILINE)
_NEIGHBOURS = 3


class RefusedError(Exception):
    """A commit that the original does not take; the message is the reason."""


class SnapshotLines(TypedDict):
    """SnapshotLines of a file, 0-based, half-open."""

    start: int
    end: int


class EditDict(TypedDict):
    """An edit as the original writes it; the optional keys appear in the course of a run."""

    type: Literal["insert", "replace", "delete"]
    before: list[str]
    after: list[str]
    parent_version_range: SnapshotLines
    child_version_range: SnapshotLines
    prefix: list[str]
    suffix: list[str]
    structural_path: list[Construct]
    idx: int
    simulated: bool
    allowed_as_next: bool
    file_path: str
    currently_start_at_line: NotRequired[int]
    confidence: NotRequired[float | None]
    matchWith: NotRequired[int]
    flowKeeping: NotRequired[bool]


class AppliedLocation(TypedDict):
    """The lines that an applied edit now occupies; none after a deletion."""

    idx: int
    file_path: str
    start_line: int
    atLines: list[int]


Window = list[str] | EditDict
Snapshot = list[Window]
Snapshots = dict[str, Snapshot]


def extract(patch: bytes) -> Snapshots:
    """The snapshots of a commit from the diff with whole files as context. Raises RefusedError."""
    try:
        text = patch.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise RefusedError("error in git diff: bytes that are no UTF-8") from error
    for old, new in _PAIR.findall(text):
        if old != new:
            raise RefusedError(f"a file is renamed: {old} -> {new}")
    snapshots = dict(_read_section(section) for section in _SECTION.findall(text))
    for idx, edit in enumerate(edits_of(snapshots)):
        edit["idx"] = idx
    return snapshots


def _read_section(section: str) -> tuple[str, Snapshot]:
    header, _, _ = section.partition("\n")
    pair = _PAIR.match(header)
    if pair is None:
        raise RefusedError(f"a path is not plain ASCII: {header}")
    path = pair.group(2)
    if _extension(path) not in EXTENSIONS:
        raise RefusedError(f"not a source file: {path}")
    hunk = _HUNK.search(section)
    if hunk is None:
        raise RefusedError(f"no changed lines: {path}")
    # The original splits at form feeds and their like too, and drops the pieces that bear no mark.
    snapshot = list(_windows(section[hunk.end() :].splitlines(keepends=True)))
    describe(snapshot, path, outline("".join(parent_lines(snapshot)), path))
    return path, snapshot


def _extension(path: str) -> str:
    """The last part of a file's name, or the last two where the name has several dots."""
    _, *parts = path.rpartition("/")[2].split(".")
    return ".".join(parts[-2:])


def _windows(lines: Iterable[str]) -> Iterator[Window]:
    block: list[str] = []
    before: list[str] = []
    after: list[str] = []
    for line in lines:
        mark, content = line[:1], line[1:]
        if mark == " ":
            if before or after:
                yield edit_of(before, after)
                block, before, after = [], [], []
            block.append(content)
        elif mark in {"-", "+"}:
            if block:
                yield block
                block = []
            (before if mark == "-" else after).append(content)
    if before or after:
        yield edit_of(before, after)
    elif block:
        yield block


def edit_of(before: list[str], after: list[str]) -> EditDict:
    """An edit of which nothing is known but its lines."""
    return {
        "type": "insert" if not before else "replace" if after else "delete",
        "before": before,
        "after": after,
        "parent_version_range": {"start": 0, "end": 0},
        "child_version_range": {"start": 0, "end": 0},
        "prefix": [],
        "suffix": [],
        "structural_path": [],
        "idx": 0,
        "simulated": False,
        "allowed_as_next": False,
        "file_path": "",
    }


def describe(snapshot: Snapshot, path: str, constructs: Outline, *, lagging: bool = False) -> None:
    """Fill in where each edit lies; `lagging` does not count what earlier edits remove, so that ranges are too low."""
    parent = child = 0
    for position, window in enumerate(snapshot):
        if isinstance(window, list):
            parent, child = parent + len(window), child + len(window)
            continue
        _set_surroundings(snapshot, position)
        window["file_path"] = path
        window["parent_version_range"] = {"start": parent, "end": parent + len(window["before"])}
        window["child_version_range"] = {"start": child, "end": child + len(window["after"])}
        window["structural_path"] = constructs.around(parent - (not window["before"]))
        if lagging:
            child = window["parent_version_range"]["end"]
        else:
            parent, child = window["parent_version_range"]["end"], window["child_version_range"]["end"]


def _set_surroundings(snapshot: Snapshot, position: int) -> None:
    """Set prefix and suffix of the edit at `position` from the blocks beside it."""
    edit = snapshot[position]
    assert isinstance(edit, dict)
    before = snapshot[position - 1] if position else []
    after = snapshot[position + 1] if position + 1 < len(snapshot) else []
    edit["prefix"] = before[-_NEIGHBOURS:] if isinstance(before, list) else []
    edit["suffix"] = after[:_NEIGHBOURS] if isinstance(after, list) else []


def edits_of(snapshots: Snapshots) -> list[EditDict]:
    """The edits of all files, in order."""
    return [window for snapshot in snapshots.values() for window in snapshot if isinstance(window, dict)]


def parent_lines(snapshot: Snapshot) -> list[str]:
    """The lines before any of the snapshot's edits."""
    return [line for window in snapshot for line in (window if isinstance(window, list) else window["before"])]


def current_version(snapshots: Snapshots) -> dict[str, str]:
    """The texts with the simulated edits applied; notes on every edit, applied or not, where it now starts."""
    return {path: "".join(_current_lines(snapshot)) for path, snapshot in snapshots.items()}


def _current_lines(snapshot: Snapshot) -> list[str]:
    lines: list[str] = []
    for window in snapshot:
        if isinstance(window, list):
            lines += window
        else:
            window["currently_start_at_line"] = len(lines)
            lines += _now(window)
    return lines


def _now(edit: EditDict) -> list[str]:
    return edit["after"] if edit["simulated"] else edit["before"]


def keep_edits(snapshots: Snapshots, kept: Callable[[EditDict], bool]) -> Snapshots:
    """A copy in which only some edits remain edits; the others are part of the unchanged blocks, as they now stand."""
    return {path: list(_merge(snapshot, kept)) for path, snapshot in snapshots.items()}


def _merge(snapshot: Snapshot, kept: Callable[[EditDict], bool]) -> Iterator[Window]:
    block: list[str] = []
    for window in snapshot:
        if isinstance(window, list) or not kept(window):
            block += window if isinstance(window, list) else _now(window)
            continue
        if block:
            yield block
        yield deepcopy(window)
        block = []
    if block:
        yield block


def not_simulated(snapshots: Snapshots) -> Snapshots:
    """The edits yet to come, on the texts as they now are."""
    return keep_edits(snapshots, lambda edit: not edit["simulated"])


def only_edit(snapshots: Snapshots, idx: int) -> Snapshots:
    """One edit, on the texts as they now are; the other files are single unchanged blocks."""
    return keep_edits(snapshots, lambda edit: edit["idx"] == idx)


def applied_locations(snapshots: Snapshots) -> dict[int, AppliedLocation]:
    """The lines that each applied edit now occupies."""
    current_version(snapshots)
    return {
        edit["idx"]: {
            "idx": edit["idx"],
            "file_path": edit["file_path"],
            "start_line": edit["currently_start_at_line"],
            "atLines": [edit["currently_start_at_line"] + offset for offset in range(len(edit["after"]))],
        }
        for edit in edits_of(snapshots)
        if edit["simulated"]
    }
