"""Writes, from a file before and after an edit, the answer by which a right model makes this edit with a tool."""

import difflib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from diff_apply.changes import changes
from diff_apply.generate import edit_blocks
from diff_apply.tools.aider_files import universal
from diff_apply.tools.hashline_patch import show_tagged
from diff_apply.tools.line_hash import line_tag
from diff_apply.tools.refusal import EditError
from diff_apply.tools.text_endings import normal
from parsers.forms import answers as forms
from parsers.forms.aider_names import fence_for
from parsers.forms.call_tags import tagged
from runner.edit_tools.application import EDITS

# Lines around the changed ones.
_MORE = (0, 1, 3, 10)

Write = Callable[[str, str, str], str]
"""Maps (path, before, after) to an answer."""


def _plain(text: str) -> str:
    """Return a text as Aider reads it, with a final newline, so that no block has to be about that."""
    text = universal(text)
    return text if not text or text.endswith("\n") else text + "\n"


def _blocks(before: str, after: str) -> tuple[tuple[str, str], ...]:
    return edit_blocks(_plain(before), _plain(after))


def aider_diff(path: str, before: str, after: str) -> str:
    """Write SEARCH/REPLACE blocks."""
    opener, closer = fence_for([before])

    def answer(blocks: Iterable[tuple[str, str]]) -> str:
        return "".join(
            f"{path}\n{opener}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n{closer}\n"
            for search, replace in blocks
        )

    return _in_few_places("aider-diff", answer, before, after)


def _in_few_places(name: str, answer: Callable[[Iterable[tuple[str, str]]], str], before: str, after: str) -> str:
    """Return the answer of small blocks, or of one block, with more and more lines around it, if these go wrong.

    Small blocks are applied one after the other and may match what an earlier one has written.
    """
    ways = [_blocks(before, after), *([_one_place(_plain(before), _plain(after), more)] for more in _MORE)]
    return next((text for text in map(answer, ways) if _gives(name, before, text) == _plain(after)), answer(ways[0]))


def _gives(name: str, before: str, answer: str) -> str | None:
    try:
        return EDITS[name](before, answer)
    except EditError:
        return None


def _signed(search: str, replace: str) -> Iterator[str]:
    old, new = search.split("\n")[:-1], replace.split("\n")[:-1]
    for line in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        kind, start, end, begin, stop = line
        if kind == "equal":
            yield from (f" {text}\n" for text in old[start:end])
        else:
            yield from (f"-{text}\n" for text in old[start:end])
            yield from (f"+{text}\n" for text in new[begin:stop])


def _hunks(before: str, after: str) -> str:
    return "".join(f"@@\n{''.join(_signed(search, replace))}" for search, replace in edit_blocks(before, after))


def aider_udiff(path: str, before: str, after: str) -> str:
    """Write a fenced diff."""

    def answer(blocks: Iterable[tuple[str, str]]) -> str:
        hunks = "".join(f"@@ @@\n{''.join(_signed(search, replace))}" for search, replace in blocks)
        return f"```diff\n--- {path}\n+++ {path}\n{hunks}```\n"

    return _in_few_places("aider-udiff", answer, before, after)


def aider_whole(path: str, before: str, after: str) -> str:
    """Write the whole file."""
    opener, closer = fence_for([before, after])
    text = after if after.endswith("\n") or not after else after + "\n"
    return f"{path}\n{opener}\n{text}{closer}\n"


def _without_returns(text: str) -> str:
    text = text.replace("\r\n", "\n")
    return text if not text or text.endswith("\n") else text + "\n"


def apply_patch(path: str, before: str, after: str) -> str:
    """Write a patch between markers."""
    hunks = _hunks(_without_returns(before), _without_returns(after))
    return f"*** Begin Patch\n*** Update File: {path}\n{hunks}*** End Patch\n"


def v4a(path: str, before: str, after: str) -> str:
    """Write the diff of one file, its last line without a newline like any other."""
    old, new = (f"{text.replace(chr(13) + chr(10), chr(10))}\n" for text in (before, after))
    return tagged(forms.DIFF_TOOL, {"type": "update_file", "path": path, "diff": _hunks(old, new).removesuffix("\n")})


def _one_place(before: str, after: str, more: int = 0) -> tuple[str, str]:
    """Return a text that occurs once in the file and what replaces it: the changed lines, and lines around them."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    edits = changes(old, new)
    if not edits:
        return before, after
    above, below = min(more, edits[0].start), min(more, len(old) - edits[-1].end)
    start, end, tail = edits[0].start - above, edits[-1].end + below, len(new) - edits[-1].stop - below
    while (text := "".join(old[start:end])) == "" or before.find(text) != before.rfind(text):
        if not start and end == len(old):
            break
        start, end, tail = max(0, start - 1), min(len(old), end + 1), max(0, tail - 1)
    return "".join(old[start:end]), "".join(new[start : len(new) - tail])


def text_editor(path: str, before: str, after: str) -> str:
    """Write a call that replaces one text."""
    old, new = _one_place(universal(before).expandtabs(), universal(after).expandtabs())
    return tagged(forms.EDITOR_TOOL, {"command": "str_replace", "path": path, "old_str": old, "new_str": new})


def opencode_edit(path: str, before: str, after: str) -> str:
    """Write a call that replaces one text."""
    old, new = _one_place(before.removeprefix("\ufeff"), after.removeprefix("\ufeff"))
    return tagged(forms.OPENCODE_TOOL, {"path": path, "oldString": old, "newString": new})


def hashline(path: str, before: str, after: str) -> str:
    """Write a call that edits lines by number and hash."""
    old, new = (normal(text).text.split("\n") for text in (before, after))

    def anchor(row: int) -> str:
        return f"{row + 1}#{line_tag(row + 1, old[row])}"

    edits = list[dict[str, Any]]()
    for change in changes(old, new):
        lines = list(new[change.begin : change.stop])
        if change.start < change.end:
            loc: Any = {"range": {"pos": anchor(change.start), "end": anchor(change.end - 1)}}
        else:
            loc = {"append": anchor(change.start - 1)} if change.start else "prepend"
        edits.append({"loc": loc, "content": lines or None})
    return tagged(forms.ANCHOR_TOOL, {"path": path, "edits": json.dumps(edits, ensure_ascii=False)})


def hashline_patch(path: str, before: str, after: str) -> str:
    """Write a patch of numbered lines."""
    old, new = (normal(text).text.split("\n") for text in (before, after))
    parts = [show_tagged(path, before).partition("\n")[0]]
    for change in changes(old, new):
        rows = new[change.begin : change.stop]
        if not rows:
            parts.append(f"CUT {change.start + 1}.={change.end}")
            continue
        span = f"{change.start + 1}.={change.end}"
        parts.append(f"PUT {span}:" if change.start < change.end else f"PUT {_side(change.start)}:")
        parts += (f"+{row}" for row in rows)
    return tagged(forms.PATCH_TOOL, {"input": "\n".join(parts)})


def _side(row: int) -> str:
    return f">{row}" if row else "<1"


def line_range(path: str, before: str, after: str) -> str:
    """Write a call that replaces lines by number."""
    old, new = (_rows(text) for text in (before, after))
    ranges = [
        {"start_line": change.start + 1, "end_line": change.end, "new_text": _joined(new[change.begin : change.stop])}
        for change in changes(old, new)
    ]
    if len(ranges) == 1:
        return tagged(forms.RANGE_TOOL, {"path": path} | {name: str(value) for name, value in ranges[0].items()})
    return tagged(forms.RANGE_TOOL, {"path": path, "ranges": json.dumps(ranges, ensure_ascii=False)})


def _rows(text: str) -> list[str]:
    rows = text.replace("\r\n", "\n").split("\n")
    return rows[:-1] if not rows[-1] else rows


def _joined(rows: Sequence[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


WRITERS: Final[dict[str, Write]] = {
    "aider-diff": aider_diff,
    "aider-udiff": aider_udiff,
    "aider-whole": aider_whole,
    "apply-patch": apply_patch,
    "v4a": v4a,
    "text-editor": text_editor,
    "opencode-edit": opencode_edit,
    "hashline": hashline,
    "hashline-patch": hashline_patch,
    "line-range": line_range,
}
