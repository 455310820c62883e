"""How each edit tool is declared to models, in our words, and the JSON schemas of native calls."""

from collections.abc import Mapping
from typing import Any, Final

from parsers.forms import answers as forms
from runner.edit_tools.tool import Declaration

_PATH = ("path", "string", "The file, as its path is displayed.")
# OpenAI refuses the schema of a list that does not say what is in it.
_ITEMS: Final[dict[str, dict[str, Any]]] = {"array": {"items": {"type": "object"}}}


def _schema(*parameters: tuple[str, str, str], needed: tuple[str, ...] = ()) -> dict[str, Any]:
    properties = {
        name: {"type": kind, "description": about, **_ITEMS.get(kind, {})} for name, kind, about in parameters
    }
    required = [name for name, _, _ in parameters if not needed or name in needed]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _text_tool(name: str, about: str, text: str) -> Declaration:
    return Declaration(name, text, about, _schema(("input", "string", text)), f"{about} {_INPUT}\n{text}")


def tag_tool(name: str, about: str, parameters: Mapping[str, Any]) -> Declaration:
    """Return the declaration of a tool whose calls are tags, one for each parameter of a JSON schema."""
    lines = [_parameter(key, value) for key, value in parameters["properties"].items()]
    form = "".join(f"<{key}>value</{key}>\n" for key in parameters["properties"])
    text = f"""{about}
Write the call as tags: one for the tool, and inside it one for each parameter that you need. A value of several lines
stands between its tags on lines of its own. Nothing is escaped.
Parameters:
{chr(10).join(lines)}
Form:
<{name}>
{form}</{name}>"""
    return Declaration(name, text, about, parameters, about)


def _parameter(name: str, about: Mapping[str, Any]) -> str:
    return f"- {name} ({about.get('type', 'any')}): {about.get('description', '')}".rstrip(" :")


def _tag_tool(name: str, about: str, rules: str, parameters: dict[str, Any]) -> Declaration:
    return tag_tool(name, f"{about} {rules}", parameters)


_INPUT = "Its argument `input` is a text:"
_BLOCKS = """Edit by SEARCH/REPLACE blocks. Each block is, on lines of their own: the path of the file; an opening
fence; `<<<<<<< SEARCH`; lines of the file exactly as they are; `=======`; the lines that take their place;
`>>>>>>> REPLACE`; the closing fence. A block changes the first place where its lines are: give enough of them.
Form:
path/of/file
```
<<<<<<< SEARCH
old lines
=======
new lines
>>>>>>> REPLACE
```"""
_UDIFF = """Edit by unified diffs in a fence named diff. Begin each with the two lines that name the file. A hunk
begins with `@@ ... @@`, without line numbers; a line begins with a blank if it stays, `-` if it goes, `+` if it is new.
Form:
```diff
--- path/of/file
+++ path/of/file
@@ ... @@
 a line that stays
-an old line
+a new line
```"""
_WHOLE = """Edit by writing the whole file: its path on a line of its own, then its text in a fence. Nothing may be
left out.
Form:
path/of/file
```
the whole text
```"""
_PATCH = """Edit by a patch. It begins with `*** Begin Patch` and ends with `*** End Patch`. For a file, write
`*** Update File: path`, then its changes in order, each after a line `@@`, which may name a line before the change, as
in `@@ def load():`. A line of a change begins with a blank if it stays, `-` if it goes, `+` if it is new; give about
three lines that stay on either side.
Form:
*** Begin Patch
*** Update File: path/of/file
@@
 a line that stays
-an old line
+a new line
*** End Patch"""

_ANCHORED = """A JSON list of {"loc": ..., "content": [lines]}. `loc` is {"range": {"pos": anchor, "end": anchor}} to
replace lines (content null deletes them), {"append": anchor} or {"prepend": anchor} to insert after or before a line,
"append" or "prepend" for the ends of the file."""
_OPERATIONS = """It begins with the file's header as
it is displayed, with its hash. `PUT 5.=7:` replaces lines 5 to 7, `PUT <5:` inserts before line 5, `PUT >5:` after it,
`PUT >$:` at the end; the new lines follow, each after a `+`. `CUT 5.=7` deletes. All numbers are those of the display.
Form:
"""
_PATCHED = "[path/of/file#1A2B]\nPUT 5.=5:\n+new line"
_NUMBERED = f"""Edit by a patch of numbered lines between <{forms.PATCH_TOOL}> tags. {_OPERATIONS}<{forms.PATCH_TOOL}>
<input>
{_PATCHED}
</input>
</{forms.PATCH_TOOL}>"""

DECLARATIONS: Final[dict[str, Declaration]] = {
    "aider-diff": _text_tool("edit_blocks", "Edits files by blocks of old and new lines.", _BLOCKS),
    "aider-udiff": _text_tool("edit_udiff", "Edits files by unified diffs.", _UDIFF),
    "aider-whole": _text_tool("edit_whole", "Writes whole files.", _WHOLE),
    "apply-patch": _text_tool("apply_patch", "Edits files by a patch.", _PATCH),
    "v4a": _tag_tool(
        forms.DIFF_TOOL,
        "Changes one file by a diff.",
        "Each change follows a line `@@`; its lines begin with a blank if they stay, `-` if they go, `+` if new.",
        _schema(
            ("type", "string", "update_file, or create_file for a file of new lines alone."),
            _PATH,
            ("diff", "string", "The changes, in the order of the file."),
        ),
    ),
    "text-editor": _tag_tool(
        forms.EDITOR_TOOL,
        "Edits a file by one command.",
        "`str_replace` replaces a text that occurs exactly once; `insert` adds lines; `create` makes a file.",
        _schema(
            ("command", "string", "view, create, str_replace or insert."),
            _PATH,
            ("old_str", "string", "For str_replace: the text to replace, without line numbers."),
            ("new_str", "string", "For str_replace: what takes its place."),
            ("insert_line", "integer", "For insert: the line after which to insert, 0 for the start."),
            ("insert_text", "string", "For insert: the lines."),
            ("file_text", "string", "For create: the whole text."),
            needed=("command", "path"),
        ),
    ),
    "opencode-edit": _tag_tool(
        forms.OPENCODE_TOOL,
        "Replaces a text in a file.",
        "The old text must occur exactly once unless all of its places are to change; leave line numbers out.",
        _schema(
            _PATH,
            ("oldString", "string", "The text to replace, with its indentation."),
            ("newString", "string", "What takes its place."),
            ("replaceAll", "boolean", "Whether to replace it everywhere; false if left out."),
            needed=("path", "oldString", "newString"),
        ),
    ),
    "hashline": _tag_tool(
        forms.ANCHOR_TOOL,
        "Edits lines that are named by anchors.",
        "An anchor is a line's number and hash as displayed, such as 12#KM. All anchors are those of the display.",
        _schema(
            _PATH,
            (
                "edits",
                "array",
                _ANCHORED,
            ),
        ),
    ),
    "hashline-patch": Declaration(
        forms.PATCH_TOOL,
        _NUMBERED,
        "Edits numbered lines of a file that is known by a hash, by operations PUT and CUT.",
        _schema(("input", "string", "The header of the file, then the operations.")),
        f"Edits numbered lines of a file. {_INPUT}\n{_OPERATIONS}{_PATCHED}",
    ),
    "line-range": _tag_tool(
        forms.RANGE_TOOL,
        "Replaces lines by their numbers.",
        "All numbers are those of the display; `end_line` one less than `start_line` inserts before it.",
        _schema(
            _PATH,
            ("start_line", "integer", "The first line to replace."),
            ("end_line", "integer", "The last line to replace."),
            ("new_text", "string", "The lines that take their place; empty to delete."),
            ("ranges", "array", "For several places: a JSON list of such objects, in place of the three values."),
            needed=("path",),
        ),
    ),
}
