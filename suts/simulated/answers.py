"""The body of an answer with a given outcome: the tool calls of a model that edits files, or prose."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

import orjson

from suts.simulated.calls import EDIT_TOOL, Body, Call
from suts.simulated.deviations import Blocks
from suts.simulated.draws import Key, pick, unit
from suts.simulated.prose import invented_line

_STANDARD = 7
_LIKE_A_MARKER = re.compile(r"^(([-<=+>])\2{2,})(?: SEARCH| REPLACE)?>?\r?$", re.MULTILINE)
# What v4 refuses as left over from a marker.
_LIKE_A_BENT_MARKER = re.compile(r"^[ \t]*([-<=+>]{5,})[ \t]*(?:SEARCH|REPLACE)", re.MULTILINE | re.IGNORECASE)
_KEPT = 60


@dataclass(frozen=True, slots=True)
class Scene:
    """What an answer is written from: the key of its draws, the path, right blocks, the file before ("" = unknown)."""

    key: Key
    path: str
    blocks: Blocks
    before: str = ""


@dataclass(frozen=True, slots=True)
class Markers:
    """The three marker lines of a diff."""

    start: str
    separator: str
    end: str


def markers(blocks: Blocks, *, legacy: bool = False) -> Markers:
    """Markers of seven characters; longer ones, which fence, where lines of the blocks look like markers."""
    longest = max(_runs(blocks), default=0)
    run = max(_STANDARD, longest) + 1 if longest else _STANDARD
    start, end = "<>" if legacy else "-+"
    return Markers(f"{start * run} SEARCH\n", f"{'=' * run}\n", f"{end * run} REPLACE\n")


def _runs(blocks: Blocks) -> Iterator[int]:
    """Return the lengths of the lines that look like markers."""
    patterns = _LIKE_A_MARKER, _LIKE_A_BENT_MARKER
    return (len(match[1]) for text in chain(*blocks) for pattern in patterns for match in pattern.finditer(text))


def diff_of(blocks: Blocks, *, legacy: bool = False) -> str:
    """Return the SEARCH/REPLACE diff of the blocks; every line of it ends in a newline."""
    marks = markers(blocks, legacy=legacy)
    return "".join(f"{marks.start}{search}{marks.separator}{replace}{marks.end}" for search, replace in blocks)


def call(path: str | None, diff: str | None) -> Call:
    """Return a whole call of the edit tool; None leaves a parameter out."""
    arguments = (("path", path), ("diff", diff))
    return Call(EDIT_TOOL, tuple((name, value) for name, value in arguments if value is not None))


def invented(key: Key, shape: str = "one\n") -> str:
    """Lines that no file holds, as many and as far indented as `shape`.

    In five lines or more every fourth stays if it is short, never the first or the last: so the nearest place of
    the file is still the one that was meant, and neither equal ends nor the similarity of the whole make a match.
    """
    lines = shape.split("\n")[:-1]
    last = len(lines) - 1
    out: list[str] = []
    for at, line in enumerate(lines):
        kept = (last >= 4 and at % 4 == 2 and at < last and len(line) <= _KEPT) or (not line.strip() and 0 < at < last)
        indent = line[: len(line) - len(line.lstrip())].rstrip("\r")
        ending = "\r\n" if line.endswith("\r") else "\n"
        out.append(f"{line}\n" if kept else f"{indent}{invented_line((*key, at))}{ending}")
    return "".join(out) or f"{invented_line(key)}\n"


def repeated_line(scene: Scene) -> str | None:
    """Return a line, with its newline, that the file has twice (or the SEARCH texts, where the file is unknown).

    None where there is none: the case does not permit an ambiguous answer.
    """
    text = scene.before or "".join(search for search, _ in scene.blocks)
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for line in text.split("\n")[:-1]:
        if line in seen and line.strip() and line.strip()[0] not in "-=+<>\\":
            twice[line] = None
        seen.add(line)
    return pick((*scene.key, "repeated"), list(twice)) + "\n" if twice else None


def no_match(scene: Scene) -> Body:
    """Return the SEARCH of one block is invented; the other blocks are right."""
    at = int(unit((*scene.key, "spoilt")) * len(scene.blocks))
    search, replace = scene.blocks[at]
    invalid = (invented((*scene.key, "search"), search), replace)
    return (call(scene.path, diff_of((*scene.blocks[:at], invalid, *scene.blocks[at + 1 :]))),)


def ambiguous(scene: Scene) -> Body:
    """One block whose SEARCH is a line that the file holds twice."""
    line = repeated_line(scene) or ""
    return (call(scene.path, diff_of(((line, line + invented(scene.key, line)),))),)


def malformed_diff(scene: Scene) -> Body:
    """Return a closed call whose last block has no separator, no end marker, or an end marker too many.

    Only the last where the blocks hold lines that could be taken for the missing marker.
    """
    marks = markers(scene.blocks)
    right = diff_of(scene.blocks)
    search, replace = scene.blocks[-1]
    last = f"{marks.start}{search}{marks.separator}{replace}{marks.end}"
    without_separator = right.removesuffix(last) + f"{marks.start}{search}{replace}{marks.end}"
    wrong = [right + marks.end, right.removesuffix(marks.end), without_separator]
    return (call(scene.path, wrong[0] if any(_runs(scene.blocks)) else pick((*scene.key, "malformed"), wrong)),)


def missing_diff(scene: Scene) -> Body:
    """Return a closed call with a path alone."""
    return (call(scene.path, None),)


def truncated(scene: Scene) -> Body:
    """Return a right call cut between three and nine tenths of its diff, as a length limit does."""
    diff = diff_of(scene.blocks)
    kept = len(diff) * (0.3 + 0.6 * unit((*scene.key, "cut")))
    cut = diff[: max(len(markers(scene.blocks).start), int(kept))]
    return (replace(call(scene.path, cut), is_cut=True),)


def applied_nothing(scene: Scene) -> Body:
    """Return every REPLACE equals its SEARCH."""
    return (call(scene.path, diff_of(tuple((search, search) for search, _ in scene.blocks))),)


def no_call(scene: Scene) -> Body:
    """Prose alone."""
    return pick(
        (*scene.key, "no call"),
        (
            "Before I touch the file I would like to know which of the two behaviours you prefer.",
            "The file already seems to do what you ask for, so I would leave it as it is.",
            "I suggest to change these lines by hand, since the edit is a matter of taste.",
        ),
    )


def other_tool(scene: Scene) -> Body:
    """Return a call that reads instead of editing."""
    return pick(
        (*scene.key, "other tool"),
        (
            (Call("read_file", (("path", scene.path),)),),
            (Call("list_files", (("path", "."), ("recursive", "true"))),),
            (Call("write_to_file", (("path", scene.path), ("content", scene.blocks[0][1]))),),
        ),
    )


def wrong_path(scene: Scene) -> Body:
    """Return the right edit of a file that is not the case's."""
    return (call(f"{pick((*scene.key, 'folder'), ('old', 'backup', 'lib'))}/{scene.path}", diff_of(scene.blocks)),)


def missing_path(scene: Scene) -> Body:
    """Return the right edit of no file."""
    return (call(None, diff_of(scene.blocks)),)


def several_calls(scene: Scene) -> Body:
    """Return the right call, twice in one message."""
    repeated = call(scene.path, diff_of(scene.blocks))
    return repeated, repeated


def bad_arguments(scene: Scene) -> Body:
    """Return a native call whose arguments are not those that the tool declares, or no JSON."""
    path, diff = (orjson.dumps(text).decode() for text in (scene.path, diff_of(scene.blocks)))
    wrong = (
        f'{{"path":{path},"diff":[{diff}]}}',
        f'{{"path":{path},"patch":{diff}}}',
        f'{{"path":{path},"diff":"{diff_of(scene.blocks)}"}}',
        f'{{"path":{path},"diff":{diff}}}}}',
    )
    return (replace(call(scene.path, diff_of(scene.blocks)), raw=pick((*scene.key, "bad arguments"), wrong)),)


WRITERS: Final[Mapping[str, Callable[[Scene], Body]]] = {
    "no_match": no_match,
    "ambiguous": ambiguous,
    "malformed_diff": malformed_diff,
    "missing_diff": missing_diff,
    "truncated": truncated,
    "applied_nothing": applied_nothing,
    "no_call": no_call,
    "other_tool": other_tool,
    "wrong_path": wrong_path,
    "missing_path": missing_path,
    "several_calls": several_calls,
    "bad_arguments": bad_arguments,
}
