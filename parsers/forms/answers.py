"""Reads answers in the form of each edit tool to blocks: one call per file that is edited, with the edit as it stands.

A call is `edit_file` with the parameters `path` and `diff`, the text from which the edit is read again to be applied.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from parsers.blocks import Block, Text, ToolCall
from parsers.forms.aider_diff import read_blocks
from parsers.forms.aider_names import FENCES_AND_LAST, TICKS
from parsers.forms.aider_udiff import read_hunks
from parsers.forms.aider_whole import read_whole_files
from parsers.forms.call_tags import tagged_calls, tagged_values
from parsers.forms.hashline_patch import read_line_patch
from parsers.forms.patch import read_patch
from parsers.forms.streaming import FormParser, Read

EDIT_CALL: Final = "edit_file"
_PATCH = re.compile(r"^\*\*\* Begin Patch[ \t]*\r?$(?:.*?^\*\*\* End Patch[ \t]*\r?$|.*)", re.MULTILINE | re.DOTALL)
_END = re.compile(r"\*\*\* End Patch[ \t]*\r?\Z")
_UPDATED = re.compile(r"^\*\*\* (?:Add|Delete|Update) File: (.+)$", re.MULTILINE)


def fence_of(answer: str) -> tuple[str, str]:
    """Return the fence that an answer uses for its first block: an answer says itself which one it was given."""
    places = [(at, fence) for fence in FENCES_AND_LAST if (at := f"\n{answer}".find(f"\n{fence[0]}")) >= 0]
    # Of two at one place, such as ``` and ````, the longer one.
    return min(places, key=lambda place: (place[0], -len(place[1][0])))[1] if places else (TICKS, TICKS)


def _calls(answer: str, paths: Iterable[str | None], *, partial: bool = False) -> tuple[Block, ...]:
    """Return a call for each file, or the answer as prose where there is none."""
    distinct = tuple(dict.fromkeys(paths))
    if not distinct:
        return (Text(answer.strip()),) if answer.strip() else ()
    return tuple(ToolCall(EDIT_CALL, _params(path, answer), partial) for path in distinct)


def _params(path: str | None, diff: str) -> dict[str, str]:
    return {"path": path, "diff": diff} if path else {"diff": diff}


def in_blocks(answer: str, files: Sequence[str]) -> tuple[Block, ...]:
    """Read SEARCH/REPLACE blocks; without an end the last one was cut off.

    A block about lines of an unknown file is tried in the files of the chat, so it is about the only one.
    """
    blocks = read_blocks(answer, files, fence_of(answer))
    paths: list[str | None] = [
        files[0] if len(files) == 1 and edit.search.strip() else edit.path for edit in blocks.edits
    ]
    if blocks.fault:
        paths.append(blocks.path or None)
    return _calls(answer, paths, partial=blocks.fault in ("missing_divider", "missing_end"))


def in_hunks(answer: str, _files: Sequence[str]) -> tuple[Block, ...]:
    """Read fenced diffs; without a closing fence the last one was cut off."""
    fences = sum(line.startswith(TICKS) for line in answer.split("\n"))
    return _calls(answer, (hunk.path for hunk in read_hunks(answer)), partial=bool(fences % 2))


def in_whole_files(answer: str, files: Sequence[str]) -> tuple[Block, ...]:
    """Read whole files; without a closing fence the last one was cut off."""
    fence = fence_of(answer)
    whole = read_whole_files(answer, files, fence)
    fences = sum(line.startswith(fence) for line in answer.split("\n"))
    paths: list[str | None] = [file.path for file in whole.files]
    return _calls(answer, [None] if whole.fault else paths, partial=bool(fences % 2))


def in_patches(answer: str, _files: Sequence[str]) -> tuple[Block, ...]:
    """Read patches between their markers."""
    blocks = list[Block]()
    for match in _PATCH.finditer(answer):
        patch = read_patch(match[0])
        paths: list[str | None] = [change.path for change in patch.changes]
        # A patch with a fault names its files as well.
        paths = paths or [name.strip() for name in _UPDATED.findall(match[0])] or [None]
        blocks += _calls(match[0], paths, partial=not _END.search(match[0].rstrip()))
    return tuple(blocks) or _calls(answer, ())


def in_tags(tool: str, names: Sequence[str], reads: Mapping[str, str]) -> Read:
    """Return what reads calls of a tool in tags; `reads` maps a value of `command` to the tool that it would be."""

    def read(answer: str, _files: Sequence[str]) -> tuple[Block, ...]:
        blocks = list[Block]()
        for call in tagged_calls(answer, tool):
            values = tagged_values(call.inner, names)
            name = reads.get(values.get("command", ""), EDIT_CALL)
            blocks.append(ToolCall(name, _params(values.get("path"), call.inner), not call.closed))
        return tuple(blocks) or _calls(answer, ())

    return read


def in_line_patch(tool: str) -> Read:
    """Return what reads calls of a tool whose value is a patch of numbered lines."""

    def read(answer: str, _files: Sequence[str]) -> tuple[Block, ...]:
        blocks = list[Block]()
        for call in tagged_calls(answer, tool):
            patch = tagged_values(call.inner, ("input",)).get("input", call.inner)
            paths: list[str | None] = [section.path for section in read_line_patch(patch).sections]
            paths = paths or [*re.findall(r"^\[([^\]#\n]+)(?:#\w*)?\][ \t]*\r?$", patch, re.MULTILINE)] or [None]
            blocks += _calls(call.inner, paths, partial=not call.closed)
        return tuple(blocks) or _calls(answer, ())

    return read


def _in_call(tool: str, names: Sequence[str], place: str, reads: Mapping[str, str] | None = None) -> FormParser:
    """Return the parser of calls in tags; `place` is the parameter whose end makes the place of the edit known."""
    return FormParser(in_tags(tool, names, reads or {}), (f"<{tool}>", f"</{place}>", f"</{tool}>"))


_ANY_LINE: Callable[[str], re.Pattern[str]] = re.compile
_CHANGED = _ANY_LINE(r"[-+](?![-+]{2} ).*")
_FENCE_LINE = _ANY_LINE(r"(?:```|<source>|<code>|<pre>|<codeblock>|<sourcecode>|</).*")

EDITOR_TOOL, EDITOR_NAMES = "str_replace_based_edit_tool", (
    *("command", "path", "old_str", "new_str", "insert_line", "insert_text", "file_text", "view_range"),
)  # fmt: skip
OPENCODE_TOOL, OPENCODE_NAMES = "edit", ("path", "oldString", "newString", "replaceAll")
ANCHOR_TOOL, ANCHOR_NAMES = "edit_lines", ("path", "edits", "delete", "move")
RANGE_TOOL, RANGE_NAMES = "replace_lines", ("path", "start_line", "end_line", "new_text", "ranges")
DIFF_TOOL, DIFF_NAMES = "apply_diff", ("path", "type", "diff")
PATCH_TOOL = "patch_lines"

FORMS: Final[Mapping[str, FormParser]] = {
    "aider-diff": FormParser(
        in_blocks,
        (_ANY_LINE(r"\s*<{5,9} SEARCH>?\s*"), _ANY_LINE(r"\s*={5,9}\s*"), _ANY_LINE(r"\s*>{5,9} REPLACE\s*")),
    ),
    "aider-udiff": FormParser(in_hunks, (_ANY_LINE(r"```diff.*"), _CHANGED, _ANY_LINE(r"```.*"))),
    "aider-whole": FormParser(in_whole_files, (_FENCE_LINE, _ANY_LINE(r".*"), _FENCE_LINE)),
    "apply-patch": FormParser(
        in_patches, (_ANY_LINE(r"\*\*\* Begin Patch\s*"), _CHANGED, _ANY_LINE(r"\*\*\* End Patch\s*"))
    ),
    "v4a": FormParser(in_tags(DIFF_TOOL, DIFF_NAMES, {}), (f"<{DIFF_TOOL}>", _CHANGED, f"</{DIFF_TOOL}>")),
    "text-editor": _in_call(EDITOR_TOOL, EDITOR_NAMES, "old_str", {"view": "read_file"}),
    "opencode-edit": _in_call(OPENCODE_TOOL, OPENCODE_NAMES, "oldString"),
    "hashline": _in_call(ANCHOR_TOOL, ANCHOR_NAMES, "edits"),
    "hashline-patch": FormParser(
        in_line_patch(PATCH_TOOL), (f"<{PATCH_TOOL}>", _ANY_LINE(r"(?:PUT|CUT|REM|MV)\b.*"), f"</{PATCH_TOOL}>")
    ),
    "line-range": _in_call(RANGE_TOOL, RANGE_NAMES, "path"),
}  # fmt: skip
