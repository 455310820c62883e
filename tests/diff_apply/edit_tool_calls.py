"""One call of each edit tool on one file, from an answer's text or arguments to what is left; raises EditError only."""

from collections.abc import Callable

from diff_apply.tools import aider_diff, aider_udiff, aider_whole, hashline, hashline_patch, opencode, patch, v4a
from diff_apply.tools.hashline import AnchoredEdit
from diff_apply.tools.line_range import LineRange, replace_ranges
from diff_apply.tools.text_editor import EditorCall, edit_file
from parsers.forms.aider_diff import read_blocks
from parsers.forms.aider_udiff import read_hunks
from parsers.forms.aider_whole import read_whole_files
from parsers.forms.hashline_patch import read_line_patch
from parsers.forms.patch import read_patch
from parsers.forms.v4a import read_sections

PATH = "src/a.py"

Call = Callable[[str, str, str], object]
"""Maps (the file, an answer or old text, a new text) to what is left."""


def in_aider_diff(file: str, old: str, new: str) -> object:
    answer = f"{old}{new}"
    return aider_diff.apply_blocks(read_blocks(answer, [PATH]).edits, {PATH: file}, [PATH], ("```", "```"))


def replaced_by_aider_diff(file: str, old: str, new: str) -> object:
    return aider_diff.apply_blocks([(PATH, old, new)], {PATH: file}, [PATH], ("```", "```"))


def in_aider_udiff(file: str, old: str, new: str) -> object:
    return aider_udiff.apply_hunks(read_hunks(old + new), {PATH: file})


def in_aider_whole(file: str, old: str, new: str) -> object:
    texts = [(read.path, read.text) for read in read_whole_files(old + new, [PATH]).files]
    return aider_whole.write_files(texts, {PATH: file})


def in_patch(file: str, old: str, new: str) -> object:
    return patch.apply_patch(read_patch(f"*** Begin Patch\n{old}{new}\n*** End Patch").changes, {PATH: file})


def in_v4a(file: str, old: str, new: str) -> object:
    return v4a.apply_sections(file, read_sections(old + new), v4a.newline_of(file))


def in_text_editor(file: str, old: str, new: str) -> object:
    return edit_file(EditorCall("str_replace", PATH, old, new), file)


def in_opencode(file: str, old: str, new: str) -> object:
    return opencode.replace_text(file, old, new)


def everywhere_in_opencode(file: str, old: str, new: str) -> object:
    return opencode.replace_text(file, old, new, replace_all=True)


def in_hashline(file: str, old: str, new: str) -> object:
    edits = [AnchoredEdit("append", line, "", new) for line in old.split("\n")]
    return hashline.edit_anchored(file, edits)


def in_hashline_patch(file: str, old: str, new: str) -> object:
    tag = hashline_patch.show_tagged(PATH, file).partition("\n")[0]
    return hashline_patch.apply_sections(read_line_patch(f"{tag}\n{old}{new}").sections, {PATH: file})


def in_line_range(file: str, old: str, new: str) -> object:
    # Each range has a text of its own, so that all of them together are no longer than an answer.
    return replace_ranges(file, [LineRange(at + 1, at + 1, new[:20]) for at in range(old.count("\n"))])


CALLS: dict[str, Call] = {
    "aider-diff": in_aider_diff,
    "aider-diff block": replaced_by_aider_diff,
    "aider-udiff": in_aider_udiff,
    "aider-whole": in_aider_whole,
    "apply-patch": in_patch,
    "v4a": in_v4a,
    "text-editor": in_text_editor,
    "opencode-edit": in_opencode,
    "opencode-edit all": everywhere_in_opencode,
    "hashline": in_hashline,
    "hashline-patch": in_hashline_patch,
    "line-range": in_line_range,
}
