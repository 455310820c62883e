"""own_tool, an edit tool for `evals diff --edit-tool 'exec:python own_tool.py'`: it replaces one text that occurs once.

evals writes requests to standard input and reads replies from standard output: one JSON object on each line, in UTF-8.
Texts are exact: line ends, a byte order mark, a missing last newline are what they are. What is printed to standard
error is for people. Change the five functions to make your own tool; docs/foreign-tools.md describes each request.
"""

import json
import sys
from typing import Any


class RefusedCallError(Exception):
    """The edit is refused: `cause` is one of those that docs/foreign-tools.md lists."""

    def __init__(self, cause: str, message: str) -> None:
        super().__init__(message)
        self.cause = cause


def declare() -> dict[str, Any]:
    """Return what models read of the tool: its name, a description, a JSON schema."""
    text = {"type": "string"}
    return {
        "evals": 1,
        "name": "replace_text",
        "description": "Replaces a text in a file by another. The old text must occur exactly once.",
        "parameters": {
            "type": "object",
            "properties": {
                "path": {**text, "description": "The file, as its path is displayed."},
                "old": {**text, "description": "The text to replace, exactly as it stands in the file."},
                "new": {**text, "description": "What takes its place."},
            },
            "required": ["path", "old", "new"],
        },
        "path": "path",
        "place": "old",
        "writes": True,
    }


def show(path: str, text: str) -> str:
    """Return how a file stands in the conversation."""
    return f"{path}\n```\n{text}\n```"


def apply(text: str, arguments: dict[str, Any]) -> str:
    """Return the file after a call. Raises RefusedCallError."""
    old, new = arguments.get("old"), arguments.get("new")
    if not isinstance(old, str) or not isinstance(new, str):
        raise RefusedCallError("missing_param", "`old` or `new` is missing")
    if not old:
        raise RefusedCallError("empty_search", "`old` is empty")
    if (count := text.count(old)) != 1:
        raise RefusedCallError("not_unique" if count else "not_found", f"`old` occurs {count} times")
    return text.replace(old, new)


def error(message: str) -> str:
    """Return what a model reads after a refusal."""
    return f"The file was not changed: {message}. Correct the call and send it again."


def write(path: str, before: str, after: str) -> dict[str, Any]:
    """Return the arguments by which a right model makes an edit; simulated models and past edits need it."""
    start, end = 0, 0
    most = min(len(before), len(after))
    while start < most and before[start] == after[start]:
        start += 1
    while end < most - start and before[len(before) - end - 1] == after[len(after) - end - 1]:
        end += 1
    old = before[start : len(before) - end]
    # More and more around the change, until it occurs once.
    while (not old or before.count(old) != 1) and (start or end):
        start, end = max(0, start - 20), max(0, end - 20)
        old = before[start : len(before) - end]
    return {"path": path, "old": old, "new": after[start : len(after) - end]}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a request."""
    do = request["do"]
    if do == "declare":
        return declare()
    if do == "show":
        return {"text": show(request["path"], request["text"])}
    if do == "apply":
        try:
            return {"text": apply(request["text"], request["arguments"])}
        except RefusedCallError as refused:
            return {"refused": str(refused), "cause": refused.cause}
    if do == "error":
        return {"text": error(request["message"])}
    return {"arguments": write(request["path"], request["before"], request["after"])}


def main() -> None:
    """Answer requests until there are no more."""
    # Bytes, so that no line end is changed on the way.
    for line in sys.stdin.buffer:
        request = json.loads(line)
        try:
            reply = {"id": request["id"], "result": answer(request)}
        except Exception as failure:  # noqa: BLE001 - whatever went wrong, it is this request's
            reply = {"id": request["id"], "failed": f"{type(failure).__name__}: {failure}"}
        sys.stdout.buffer.write(json.dumps(reply).encode("ascii") + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
