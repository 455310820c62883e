"""What each edit tool makes of a call and the one file that it is about, as a diff algorithm."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from diff_apply.result import Applied
from diff_apply.tools import aider_diff, aider_udiff, aider_whole, hashline, hashline_patch, opencode, patch, v4a
from diff_apply.tools.hashline import AnchoredEdit
from diff_apply.tools.line_range import LineRange, replace_ranges
from diff_apply.tools.refusal import Cause, Edited, EditError
from diff_apply.tools.text_editor import EditorCall, edit_file
from parsers.forms import answers as forms
from parsers.forms.aider_diff import read_blocks
from parsers.forms.aider_names import fence_for
from parsers.forms.aider_udiff import read_hunks
from parsers.forms.aider_whole import read_whole_files
from parsers.forms.hashline_patch import read_line_patch
from parsers.forms.patch import read_patch
from parsers.forms.v4a import read_new_file, read_sections
from runner.edit_tools.arguments import Arguments, arguments_of, input_of

Edit = Callable[[str, str], str]
"""Maps (a file, the text of a call) to the file after it. Raises EditError only."""


@dataclass(frozen=True, slots=True)
class ToolAlgorithm:
    """The application of one tool, as a diff algorithm."""

    edit: Edit

    def __call__(self, original: str, diff: str, *, final: bool = True) -> Applied:  # noqa: ARG002 - the Protocol has it
        """Return the file after a call. Raises EditError."""
        return Applied(self.edit(original, diff))


def _only(edited: Edited, path: str, original: str) -> str:
    """Return the text of the only file; what fails in part has failed, whatever it has changed."""
    if edited.errors:
        raise edited.errors[0]
    text = edited.changed.get(path, original)
    if text is None:
        raise EditError(Cause.FILE_MISSING, "the edit removes the file or gives it another name")
    return text


def with_blocks(original: str, call: str) -> str:
    """Apply SEARCH/REPLACE blocks; whatever name they give the file, it is this one."""
    blocks = read_blocks(call, (), forms.fence_of(call))
    if blocks.fault:
        raise EditError(Cause(blocks.fault), f"the block that begins in line {blocks.line} of the answer is incomplete")
    path = blocks.edits[0].path if blocks.edits else ""
    edits = [(path, search, replace) for _, search, replace in blocks.edits]
    return _only(aider_diff.apply_blocks(edits, {path: original}, [path], fence_for([original])), path, original)


def with_hunks(original: str, call: str) -> str:
    """Apply the hunks of fenced diffs."""
    hunks = [("", hunk.lines) for hunk in read_hunks(call)]
    return _only(aider_udiff.apply_hunks(hunks, {"": original}), "", original)


def with_whole_file(original: str, call: str) -> str:
    """Write the file as it is in the answer, the first time that it is there."""
    files = read_whole_files(call, ("",), forms.fence_of(call)).files
    return _only(aider_whole.write_files([("", file.text) for file in files[:1]], {"": original}), "", original)


def with_patch(original: str, call: str) -> str:
    """Apply a patch between markers."""
    read = read_patch(call)
    if read.fault:
        raise EditError(Cause(read.fault), f"line {read.line} of the patch is wrong: {read.fault.replace('_', ' ')}")
    path = read.changes[0].path
    return _only(patch.apply_patch(read.changes, {path: original}), path, original)


def with_sections(original: str, call: str) -> str:
    """Apply the diff of one file, or create it."""
    arguments = arguments_of(call, forms.DIFF_NAMES)
    diff = arguments.needed("diff")
    if arguments.text("type") == "create_file":
        lines = read_new_file(diff)
        if lines is None:
            raise EditError(Cause.BAD_ADD_LINE, "a line of the new file does not begin with +")
        return v4a.newline_of(diff).join(lines)
    newline = v4a.newline_of(original if "\n" in original else diff)
    return v4a.apply_sections(original, read_sections(diff), newline)


def with_text_editor(original: str, call: str) -> str:
    """Run a command of the text editor."""
    arguments = arguments_of(call, forms.EDITOR_NAMES)
    text = arguments.text("insert_text")
    editor_call = EditorCall(
        command=arguments.needed("command"),
        path=arguments.text("path") or "",
        old_str=arguments.text("old_str"),
        new_str=arguments.text("new_str") if text is None else text,
        insert_line=arguments.number("insert_line"),
        file_text=arguments.text("file_text"),
    )
    result = edit_file(editor_call, original)
    return original if result.text is None else result.text


def with_opencode(original: str, call: str) -> str:
    """Replace one text by another, found with nine leniencies."""
    arguments = arguments_of(call, forms.OPENCODE_NAMES)
    old, new = arguments.needed("oldString"), arguments.needed("newString")
    return opencode.replace_text(original, old, new, replace_all=arguments.truth("replaceAll")).text


def with_anchors(original: str, call: str) -> str:
    """Edit lines named by number and hash."""
    arguments = arguments_of(call, forms.ANCHOR_NAMES)
    if arguments.truth("delete") or arguments.text("move"):
        raise EditError(Cause.FILE_MISSING, "the edit removes the file or gives it another name")
    items = arguments.items("edits")
    if items is None:
        raise EditError(Cause.MISSING_PARAM, "`edits` is missing")
    return hashline.edit_anchored(original, [_anchored(item) for item in items])


def _anchored(item: Any) -> AnchoredEdit:  # noqa: ANN401 - any JSON
    match item:
        case {"loc": "append" | "prepend" as place}:
            return AnchoredEdit(place, "", "", _content(item))
        case {"loc": {"append": str(anchor)}}:
            return AnchoredEdit("append", anchor, "", _content(item))
        case {"loc": {"prepend": str(anchor)}}:
            return AnchoredEdit("prepend", anchor, "", _content(item))
        case {"loc": {"range": {"pos": str(first), "end": str(last)}}}:
            return AnchoredEdit("range", first, last, _content(item))
    raise EditError(Cause.BAD_PARAM, "an edit has no `loc` that names its place")


def _content(item: dict[str, Any]) -> str | Sequence[str] | None:
    content = item.get("content")
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(line, str) for line in content):
        return content
    raise EditError(Cause.BAD_PARAM, "`content` is neither lines nor null")


def with_line_patch(original: str, call: str) -> str:
    """Apply a patch of numbered lines."""
    read = read_line_patch(input_of(call))
    if read.fault:
        raise EditError(Cause(read.fault), f"line {read.line} of the patch is wrong: {read.fault.replace('_', ' ')}")
    path = read.sections[0].path
    edited = hashline_patch.apply_sections(read.sections, {path: original})
    return _only(edited, path, original)


def with_ranges(original: str, call: str) -> str:
    """Replace lines by their numbers: one range, or several as a list."""
    arguments = arguments_of(call, forms.RANGE_NAMES)
    items = arguments.items("ranges")
    ranges = [_range(Arguments(item if isinstance(item, dict) else {})) for item in items or ()]
    return replace_ranges(original, ranges if items is not None else [_range(arguments)])


def _range(arguments: Arguments) -> LineRange:
    start, end = arguments.number("start_line"), arguments.number("end_line")
    if start is None or end is None:
        raise EditError(Cause.MISSING_PARAM, f"`{'start_line' if start is None else 'end_line'}` is missing")
    return LineRange(start, end, arguments.needed("new_text"))


# What the results of a tool depend on, for its digest.
LEAVES: Final[dict[str, tuple[Callable[..., object], ...]]] = {
    "aider-diff": (read_blocks, aider_diff.apply_blocks),
    "aider-udiff": (read_hunks, aider_udiff.apply_hunks),
    "aider-whole": (read_whole_files, aider_whole.write_files),
    "apply-patch": (read_patch, patch.apply_patch),
    "v4a": (read_sections, v4a.apply_sections),
    "text-editor": (edit_file,),
    "opencode-edit": (opencode.replace_text,),
    "hashline": (hashline.edit_anchored,),
    "hashline-patch": (read_line_patch, hashline_patch.apply_sections),
    "line-range": (replace_ranges,),
}
EDITS: Final[dict[str, Edit]] = {
    "aider-diff": with_blocks,
    "aider-udiff": with_hunks,
    "aider-whole": with_whole_file,
    "apply-patch": with_patch,
    "v4a": with_sections,
    "text-editor": with_text_editor,
    "opencode-edit": with_opencode,
    "hashline": with_anchors,
    "hashline-patch": with_line_patch,
    "line-range": with_ranges,
}
