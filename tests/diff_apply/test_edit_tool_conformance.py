"""Edit tools read and apply answers as their originals do, recorded vector by vector."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from diff_apply.tools import aider_diff, aider_udiff, aider_whole, hashline, hashline_patch, opencode, patch, v4a
from diff_apply.tools.hashline import AnchoredEdit, show_anchored
from diff_apply.tools.refusal import Cause, Edited, EditError
from diff_apply.tools.text_editor import EditorCall, edit_file
from parsers.forms.aider_diff import read_blocks
from parsers.forms.aider_udiff import read_hunks
from parsers.forms.aider_whole import read_whole_files
from parsers.forms.hashline_patch import read_line_patch
from parsers.forms.patch import read_patch
from parsers.forms.v4a import read_new_file, read_sections
from tests.vectors import rows, vectors

pytestmark = pytest.mark.conformance

Vector = dict[str, Any]
Outcome = tuple[str | None, Mapping[str, str | None]]
"""The class of the error, None without one, and what changed."""


def left(edited: Edited) -> Outcome:
    return (str(edited.errors[0].cause) if edited.errors else None), dict(edited.changed)


def with_aider_diff(vector: Vector) -> Outcome:
    chat, fence = vector.get("chat") or [*vector["files"]], tuple(vector["fence"])
    read = read_blocks(vector["answer"], chat, fence)
    if read.fault:
        return read.fault, {}
    expected = vector["expected"]
    edited = aider_diff.apply_blocks(read.edits, vector["files"], chat, fence)
    assert [[*edit] for edit in read.edits] == expected["parsed"]
    assert [*read.shell] == (expected.get("shell") or [])
    assert len(edited.errors) == (expected.get("failed") or 0)
    return left(edited)


def with_aider_udiff(vector: Vector) -> Outcome:
    hunks = read_hunks(vector["answer"])
    edited = aider_udiff.apply_hunks(hunks, vector["files"])
    if (vector["expected"]["error_class"] or "").startswith("crash"):
        # Where the original crashes, ours refuses.
        assert edited.errors[0].cause is Cause.MISSING_FILENAME
        return vector["expected"]["error_class"], edited.changed
    assert [[hunk.path, "".join(hunk.lines)] for hunk in hunks] == vector["expected"]["parsed"]
    return left(edited)


def with_aider_whole(vector: Vector) -> Outcome:
    read = read_whole_files(vector["answer"], vector.get("chat") or [*vector["files"]], tuple(vector["fence"]))
    if read.fault:
        return read.fault, {}
    assert [[file.path, file.source] for file in read.files] == vector["expected"]["parsed"]
    return left(aider_whole.write_files([(file.path, file.text) for file in read.files], vector["files"]))


def with_apply_patch(vector: Vector) -> Outcome:
    read = read_patch(vector["answer"])
    if read.fault:
        assert vector["expected"].get("line") in {None, read.line}
        return read.fault, {}
    return left(patch.apply_patch(read.changes, vector["files"]))


def with_v4a(vector: Vector) -> Outcome:
    text, answer = vector.get("original", ""), vector["answer"]
    if vector["mode"] == "create":
        new = read_new_file(answer)
        return ("bad_add_line", {}) if new is None else (None, {"": v4a.newline_of(answer).join(new)})
    newline = v4a.newline_of(text if "\n" in text else answer)
    return whole(lambda: v4a.apply_sections(text, read_sections(answer), newline))


def with_lines(error: EditError, expected: list[int] | None) -> Outcome:
    assert expected in (None, [*error.lines])
    return str(error.cause), {}


def whole(edit: Callable[[], str]) -> Outcome:
    try:
        return None, {"": edit()}
    except EditError as error:
        return str(error.cause), {}


def with_text_editor(vector: Vector) -> Outcome:
    arguments, before = dict(vector["answer"]), vector["files"]
    if "insert_text" in arguments:
        arguments["new_str"] = arguments.pop("insert_text")
    if "view_range" in arguments:
        arguments["view_range"] = tuple(arguments["view_range"])
    call, expected = EditorCall(**arguments), vector["expected"]
    try:
        result = edit_file(call, before.get(call.path))
    except EditError as error:
        return with_lines(error, expected.get("lines"))
    assert expected.get("shown") is None or [*result.display] == expected["shown"]
    is_changed = result.text is not None and result.text != before.get(call.path)
    return None, ({call.path: result.text} if is_changed else {})


def with_opencode(vector: Vector) -> Outcome:
    answer = vector["answer"]
    try:
        replaced = opencode.replace_text(
            vector["original"], answer["oldString"], answer["newString"], replace_all=bool(answer.get("replaceAll"))
        )
    except EditError as error:
        return str(error.cause), {}
    assert vector["expected"].get("step") in {None, replaced.step}
    return None, {"": replaced.text}


def anchored(edit: dict[str, Any]) -> AnchoredEdit:
    loc, content = edit["loc"], edit["content"]
    if isinstance(loc, str):
        return AnchoredEdit(loc, "", "", content)  # type: ignore[arg-type] # append or prepend
    if "range" in loc:
        return AnchoredEdit("range", loc["range"]["pos"], loc["range"]["end"], content)
    ((place, anchor),) = loc.items()
    return AnchoredEdit(place, anchor, "", content)


def with_hashline(vector: Vector) -> Outcome:
    edits = [anchored(edit) for edit in vector["answer"]["edits"]]
    try:
        return None, {"": hashline.edit_anchored(vector["original"], edits)}
    except EditError as error:
        return with_lines(error, vector["expected"].get("mismatched"))


def with_hashline_patch(vector: Vector) -> Outcome:
    read = read_line_patch(vector["answer"])
    if read.fault:
        return read.fault, {}
    return left(hashline_patch.apply_sections(read.sections, vector["files"]))


TOOLS: dict[str, Callable[[Vector], Outcome]] = {
    "aider-diff": with_aider_diff,
    "aider-udiff": with_aider_udiff,
    "aider-whole": with_aider_whole,
    "apply-patch": with_apply_patch,
    "v4a-sdk": with_v4a,
    "text-editor": with_text_editor,
    "opencode-edit": with_opencode,
    "hashline-anchor": with_hashline,
    "hashline-patch": with_hashline_patch,
}


def is_core(vector: Vector) -> bool:
    """Whether the vector is not about repairs that the original makes with a warning or with the help of a grammar."""
    return vector["tool"] != "hashline-patch" or not (vector["syntax_aware"] or vector["expected"].get("warnings"))


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_does_what_its_original_did(tool: str) -> None:
    recorded = [vector for vector in rows(vectors("edit-tools") / f"{tool}.jsonl.xz") if is_core(vector)]

    differing = []
    for vector in recorded:
        expected = vector["expected"]
        changed = expected["files"] if "files" in expected else {"": expected["text"]} if expected["ok"] else {}
        if TOOLS[tool](vector) != (expected["error_class"], changed):
            differing.append(vector["id"])

    assert recorded
    assert differing == []


def test_lines_are_shown_with_the_hashes_of_the_original() -> None:
    recorded = [*rows(vectors("edit-tools") / "hashline-display.jsonl.xz")]

    assert recorded
    assert [vector["id"] for vector in recorded if show_anchored(vector["text"]) != vector["shown"]] == []
