"""Native calls of the edit tools: the transcript of an answer to the blocks that the text forms have.

A call is `edit_file` with the parameters `path` and `diff`. Of a tool with one argument, `input`, the diff is its text,
read as that of an answer would be; of the others it is the arguments as they came, JSON.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from parsers.blocks import Block, EditMarks, Text, ToolCall
from parsers.forms import answers as forms
from parsers.forms.answers import EDIT_CALL
from parsers.forms.argument_marks import ArgumentMarks
from parsers.forms.hashline_patch import read_line_patch
from parsers.forms.streaming import Read
from parsers.json_arguments import JsonArguments
from parsers.transcript import TranscriptReader

_PROSE = -1
_INPUT = "input"
_HEADER = re.compile(r"^\[([^\]#\n]+)(?:#\w*)?\][ \t]*\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NativeForm:
    """The parser of native calls of one tool, and what watches its first edit.

    `kinds` are the arguments that the tool declares with the types of their values; `read` reads the text of the only
    one of them, `input`, None where there are several. The lines of `first`, found one after the other in values named
    `new`, lead to the first replacement line. `reads` maps a value of `command` to the tool that it would be.
    """

    tool: str
    kinds: tuple[tuple[str, str], ...]
    new: tuple[str, ...]
    first: tuple[re.Pattern[str], ...]
    read: Read | None = None
    reads: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()

    def about(self, *files: str) -> "NativeForm":
        """Return the parser of answers to a question in which these files were displayed."""
        return replace(self, files=files)

    def start(self) -> "NativeFormParse":
        """Begin an answer."""
        return NativeFormParse(self)

    def parse(self, text: str) -> tuple[Block, ...]:
        """Return the blocks of a whole transcript."""
        blocks: list[Block] = []
        for name, body in _runs(text):
            if name is None:
                blocks += [Text(body.strip())] if body.strip() else []
            else:
                blocks += self._calls(name, body)
        return tuple(blocks)

    def _calls(self, name: str, body: str) -> Iterator[ToolCall]:
        arguments = JsonArguments()
        arguments.feed(body)
        strings, partial = arguments.strings, not (arguments.is_closed or arguments.is_broken)
        if name != self.tool:
            yield ToolCall(name, strings, partial)
        elif self.read is None or _INPUT not in strings:
            path = strings.get("path")
            command = dict(self.reads).get(strings.get("command", ""), EDIT_CALL)
            yield ToolCall(command, {**({"path": path} if path else {}), "diff": body}, partial)
        else:
            yield from self._edits(strings[_INPUT], partial=partial)

    def _edits(self, text: str, *, partial: bool) -> Iterator[ToolCall]:
        """Yield a call for each file of the text; one without an edit is about the only file that was displayed."""
        assert self.read is not None
        calls = [block for block in self.read(text, self.files) if isinstance(block, ToolCall)]
        path = {"path": self.files[0]} if len(self.files) == 1 else {}
        for call in calls or [ToolCall(EDIT_CALL, {**path, "diff": text})]:
            yield replace(call, partial=partial or call.partial)


def _runs(transcript: str) -> Iterator[tuple[str | None, str]]:
    """Yield runs of prose (None, text) and calls (name, arguments), in the order in which they began."""
    names: dict[int, str] = {}
    order: list[tuple[int, list[str]]] = []
    calls: dict[int, list[str]] = {}
    for part in TranscriptReader().feed(transcript):
        if part.call == _PROSE:
            if not order or order[-1][0] != _PROSE:
                order.append((_PROSE, []))
            order[-1][1].append(part.text)
        else:
            names[part.call] = names.get(part.call) or part.name
            if part.call not in calls:
                order.append((part.call, calls.setdefault(part.call, [])))
            calls[part.call].append(part.text)
    for call, texts in order:
        yield (None if call == _PROSE else names[call]), "".join(texts)


class NativeFormParse:
    """One transcript being read; see `Parse`. Its marks are those of the first call of the tool."""

    __slots__ = ("_begun", "_call", "_form", "_names", "_pieces", "_reader", "_watch", "marks")

    def __init__(self, form: NativeForm) -> None:
        """Begin before the first character."""
        self.marks = EditMarks()
        self._form = form
        self._pieces: list[str] = []
        self._reader = TranscriptReader()
        self._call = _PROSE
        self._watch = ArgumentMarks(form.new, form.first)

    def feed(self, piece: str) -> None:
        """Process the next piece; costs O(piece)."""
        self._pieces.append(piece)
        if self.marks.closed is not None:
            return
        for part in self._reader.feed(piece):
            if self._call == _PROSE and part.name == self._form.tool and part.call != _PROSE:
                self._call = part.call
                self.marks = EditMarks(part.end - len(part.text))
            if part.call == self._call != _PROSE and part.text and self.marks.closed is None:
                self._extend(part.text, part.end)

    def snapshot(self) -> tuple[Block, ...]:
        """Return the blocks of all text so far, equal to a fresh parse of it."""
        return self._form.parse("".join(self._pieces))

    def _extend(self, text: str, end: int) -> None:
        """Take arguments up to the position `end`; offsets of the watch become positions of the transcript."""
        watch = self._watch
        watch.feed(text, end - len(text))
        self.marks = EditMarks(self.marks.opened, watch.first_line, watch.closed)


def _in_line_patch(text: str, _files: Sequence[str]) -> tuple[Block, ...]:
    """Read a patch of numbered lines."""
    paths: list[str] = [section.path for section in read_line_patch(text).sections]
    paths = paths or _HEADER.findall(text)
    return tuple(ToolCall(EDIT_CALL, {"path": path, "diff": text}) for path in dict.fromkeys(paths))


_LINE: Callable[[str], re.Pattern[str]] = re.compile
_ANY, _CHANGED = _LINE(r".*"), _LINE(r"[-+](?![-+]{2} ).*")
_TEXT: Final = ((_INPUT, "string"),)


def _of_text(tool: str, read: Read, *first: re.Pattern[str]) -> NativeForm:
    return NativeForm(tool, _TEXT, (_INPUT,), first, read)


NATIVE_FORMS: Final[Mapping[str, NativeForm]] = {
    "aider-diff": _of_text("edit_blocks", forms.in_blocks, _LINE(r"\s*={5,9}\s*"), _ANY),
    "aider-udiff": _of_text("edit_udiff", forms.in_hunks, _LINE(r"```diff.*"), _CHANGED),
    "aider-whole": _of_text(
        "edit_whole", forms.in_whole_files, _LINE(r"(?:```|<source>|<code>|<pre>|<codeblock>|<sourcecode>).*"), _ANY
    ),
    "apply-patch": _of_text("apply_patch", forms.in_patches, _LINE(r"\*\*\* Begin Patch\s*"), _CHANGED),
    "v4a": NativeForm(
        forms.DIFF_TOOL, (("type", "string"), ("path", "string"), ("diff", "string")), ("diff",), (_CHANGED,)
    ),
    "text-editor": NativeForm(
        forms.EDITOR_TOOL,
        (
            *(("command", "string"), ("path", "string"), ("old_str", "string"), ("new_str", "string")),
            *(("insert_line", "integer"), ("insert_text", "string"), ("file_text", "string")),
        ),
        ("new_str", "insert_text", "file_text"),
        (_ANY,),
        reads=(("view", "read_file"),),
    ),
    "opencode-edit": NativeForm(
        forms.OPENCODE_TOOL,
        (("path", "string"), ("oldString", "string"), ("newString", "string"), ("replaceAll", "boolean")),
        ("newString",),
        (_ANY,),
    ),
    "hashline": NativeForm(forms.ANCHOR_TOOL, (("path", "string"), ("edits", "array")), ("content",), (_ANY,)),
    "hashline-patch": _of_text(forms.PATCH_TOOL, _in_line_patch, _LINE(r"\+.*|(?:CUT|REM|MV)\b.*")),
    "line-range": NativeForm(
        forms.RANGE_TOOL,
        (
            *(("path", "string"), ("start_line", "integer"), ("end_line", "integer"), ("new_text", "string")),
            ("ranges", "array"),
        ),
        ("new_text",),
        (_ANY,),
    ),
}
