"""A conversation with XML tool calls, read once into words, calls and results, and written again for an edit tool.

Calls that read, list or run become sentences and plain results; files stand as the tool displays them; an edit is
written as the tool would have made it. So a model sees the syntax of one tool alone.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from diff_apply import DEFAULT_ALGORITHM, DIFF_ALGORITHMS
from diff_apply.result import DiffError
from parsers import DEFAULT_PARSER, PARSERS
from parsers.blocks import Text, ToolCall
from runner.edit_tools.foreign_result import ToolFailedError
from runner.edit_tools.native_writing import native_calls
from runner.edit_tools.tool import EditTool
from suts.tools import ToolResult, ToolUse

_RESULT = re.compile(r"^\[(\w+)(?: for '([^\n]*)')?\] Result:[ \t]*\n", re.MULTILINE)
_FILE = re.compile(r'<(file_content|final_file_content) path="([^"\n]*)">\n?(.*?)\n?</\1>', re.DOTALL)
_DETAILS = re.compile(r"\n*<environment_details>.*?</environment_details>\s*\Z", re.DOTALL)
_TASK = re.compile(r"</?task>\n?")
# What would be another tool's syntax, or advice about it.
_FOREIGN = re.compile(
    r"</?(?:replace_in_file|write_to_file|read_file|execute_command|search_files|list_files)>"
    r"|^[-<]{3,} SEARCH>?$|\breplace_in_file\b|\bwrite_to_file\b",
    re.MULTILINE,
)


class UnrenderableError(Exception):
    """A history that cannot be written for an edit tool; the message says of what."""


class Turn(NamedTuple):
    """A turn of a conversation: native calls follow the text, results precede it."""

    role: str
    text: str
    calls: tuple[ToolUse, ...] = ()
    results: tuple[ToolResult, ...] = ()


@dataclass(slots=True)
class _Conversation:
    """The files as the conversation has displayed them so far; native calls, and those that wait for their results."""

    tool: EditTool
    files: dict[str, str] = field(default_factory=dict)
    called: int = 0
    waiting: list[ToolUse] = field(default_factory=list)


def rendered(turns: list[tuple[str, str]], tool: EditTool, path: str, text: str) -> list[Turn]:
    """Return the turns of a conversation for a tool; `path` and `text` are those of the file that is to be edited.

    A last display of that file shows the text itself. Raises UnrenderableError.
    """
    try:
        return _rendered(turns, tool, path, text)
    except ToolFailedError as error:
        raise UnrenderableError(f"the edit tool failed: {error}") from error


def _rendered(turns: list[tuple[str, str]], tool: EditTool, path: str, text: str) -> list[Turn]:
    conversation = _Conversation(tool)
    out = [
        _assistant(words, conversation) if role == "assistant" else _user(words, conversation) for role, words in turns
    ]
    _answered(conversation)
    if conversation.files.get(path) != text:
        # The file has changed since, or was never displayed: without it nothing could be edited by number or hash.
        last = out[-1]
        display = f"The file as it is now:\n\n{tool.show(path, text)}"
        if last.role == "user":
            out[-1] = last._replace(text=f"{last.text}\n\n{display}".lstrip("\n"))
        else:
            out.append(Turn("user", display))
    return out


def _answered(conversation: _Conversation) -> None:
    if conversation.waiting:
        raise UnrenderableError("an edit has no result")


def _assistant(words: str, conversation: _Conversation) -> Turn:
    _answered(conversation)
    text = "\n\n".join(filter(None, _parts(words, conversation)))
    calls = tuple(conversation.waiting)
    return Turn("assistant", text if text or calls else "I go on.", calls=calls)


def _parts(words: str, conversation: _Conversation) -> Iterator[str]:
    for block in PARSERS[DEFAULT_PARSER].parse(words):
        if isinstance(block, Text):
            yield _own(block.content)
        else:
            yield _CALLS.get(block.name, _other)(block, conversation)


def _reads(call: ToolCall, _conversation: _Conversation) -> str:
    return f"I look at {call.params.get('path', 'the file')}."


def _runs(call: ToolCall, _conversation: _Conversation) -> str:
    return f"I run: {_own(call.params.get('command', ''))}"


def _edits(call: ToolCall, conversation: _Conversation) -> str:
    path, diff = call.params.get("path", ""), call.params.get("diff", "")
    before = conversation.files.get(path)
    if before is None:
        raise UnrenderableError(f"it edits {path or 'a file'} before the file is displayed")
    try:
        after = DIFF_ALGORITHMS[DEFAULT_ALGORITHM](before, diff).text
    except DiffError as error:
        raise UnrenderableError(f"its edit of {path} cannot be read: {error}") from error
    conversation.files[path] = after
    answer = conversation.tool.write(path, before, after)
    if not conversation.tool.is_native:
        return answer.rstrip("\n")
    calls = native_calls(conversation.tool.name.removesuffix("+"), answer, conversation.called)
    conversation.called += len(calls)
    conversation.waiting += calls
    return ""


def _writes(call: ToolCall, conversation: _Conversation) -> str:
    path, text = call.params.get("path", ""), call.params.get("content", "")
    if not path:
        raise UnrenderableError("it writes a file without a path")
    conversation.files[path] = text
    return f"I write the file:\n\n{conversation.tool.show(path, text)}"


def _other(call: ToolCall, _conversation: _Conversation) -> str:
    values = "; ".join(f"{name}: {_own(value)}" for name, value in call.params.items())
    return f"I {call.name.replace('_', ' ')}{': ' if values else ''}{values}."


_CALLS: dict[str, Callable[[ToolCall, _Conversation], str]] = {
    "read_file": _reads,
    "execute_command": _runs,
    "replace_in_file": _edits,
    "write_to_file": _writes,
}


def _user(words: str, conversation: _Conversation) -> Turn:
    details = _DETAILS.search(words)
    body = words[: details.start()] if details else words
    heads = [*_RESULT.finditer(body)]
    parts = [_prose(body[: heads[0].start()] if heads else body, conversation)]
    results: list[ToolResult] = []
    for at, head in enumerate(heads):
        end = heads[at + 1].start() if at + 1 < len(heads) else len(body)
        result = _result(head[1], head[2] or "", body[head.end() : end], conversation)
        if head[1] == "replace_in_file" and conversation.waiting:
            results.append(ToolResult(conversation.waiting.pop(0).id, result))
        else:
            parts.append(result)
    text = "\n\n".join(filter(None, [*parts, details[0].strip() if details else ""]))
    return Turn("user", text, results=tuple(results))


def _prose(words: str, conversation: _Conversation) -> str:
    return _with_files(_TASK.sub("", words), conversation).strip("\n")


def _result(name: str, path: str, words: str, conversation: _Conversation) -> str:
    if name == "read_file":
        text = words.removeprefix("\n")
        conversation.files[path] = text
        return f"The file:\n\n{conversation.tool.show(path, text)}"
    if name in ("replace_in_file", "write_to_file"):
        display = "\n\n".join(_displays(words, conversation))
        return f"The edit was applied. The file now:\n\n{display}" if display else "The edit was applied."
    return f"The result:\n{_with_files(words, conversation).rstrip()}"


def _displays(words: str, conversation: _Conversation) -> Iterator[str]:
    for file in _FILE.finditer(words):
        conversation.files[file[2]] = file[3]
        yield conversation.tool.show(file[2], file[3])


def _with_files(words: str, conversation: _Conversation) -> str:
    """Return the words with the files in them as the tool displays them."""
    out, end = list[str](), 0
    for file in _FILE.finditer(words):
        out += (_own(words[end : file.start()]), conversation.tool.show(file[2], file[3]))
        conversation.files[file[2]] = file[3]
        end = file.end()
    return "".join([*out, _own(words[end:])])


def _own(words: str) -> str:
    """Return words that name no tool. Raises UnrenderableError."""
    if match := _FOREIGN.search(words):
        raise UnrenderableError(f"its words have the syntax of another tool: {match[0]!r}")
    return words
