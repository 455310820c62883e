"""The lines between evals and a foreign tool, version 1: requests as JSON, and what replies must be like."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from diff_apply.tools.refusal import Cause
from parsers.forms.answers import EDIT_CALL
from runner.edit_tools.foreign_result import ForeignResult, ToolFailedError
from runner.json_texts import parse_json

VERSION: Final = 1
MOST_PARAMETERS: Final = 40
LONGEST_DESCRIPTION: Final = 40_000
LONGEST_MESSAGE: Final = 4_000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")

Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Declared:
    """What a tool says of itself.

    `path` is the parameter that names the file; the end of `place` shows where the edit is, "" = that of the call.
    `writes` says whether the tool can write the call of an edit.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    path: str
    place: str
    writes: bool
    revision: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(self.parameters["properties"])

    @property
    def canonical(self) -> str:
        """All of it as one text, for digests."""
        parts = (self.name, self.description, self.parameters, self.path, self.place, self.writes, self.revision)
        return json.dumps(parts, sort_keys=True)


def request_line(number: int, do: str, fields: Mapping[str, Any]) -> bytes:
    """Return a request as a line of ASCII, without its end."""
    return json.dumps({"evals": VERSION, "id": number, "do": do, **fields}, separators=(",", ":")).encode("ascii")


def result_of(line: bytes, number: int) -> Result:
    """Return the result in the reply to a request. Raises ToolFailedError."""
    try:
        reply = parse_json(line)
    except ValueError:
        raise ToolFailedError("its reply is no line of JSON") from None
    if not isinstance(reply, dict):
        raise ToolFailedError("its reply is no JSON object")
    if type(reply.get("id")) is not int or reply["id"] != number:
        raise ToolFailedError(f"its reply has not the id of the request, {number}")
    if isinstance(failed := reply.get("failed"), str):
        raise ToolFailedError(f"it failed: {' '.join(failed.split())[:LONGEST_MESSAGE]}")
    if not isinstance(result := reply.get("result"), dict):
        raise ToolFailedError("its reply has no object `result`")
    return result


def text_in(result: Result, key: str = "text") -> str:
    """Return a text of a result. Raises ToolFailedError."""
    if not isinstance(value := result.get(key), str):
        raise ToolFailedError(f"its result has no text `{key}`")
    return value


def edit_in(result: Result) -> ForeignResult:
    """Return what came of an edit. Raises ToolFailedError."""
    if "refused" not in result:
        return ForeignResult(text_in(result))
    message, cause = text_in(result, "refused"), result.get("cause", Cause.BAD_PARAM)
    if "text" in result:
        raise ToolFailedError("its result has both `text` and `refused`")
    if cause not in [*Cause]:
        raise ToolFailedError("its result has a `cause` that is none of those described")
    return ForeignResult(cause=Cause(cause), message=message[:LONGEST_MESSAGE])


def arguments_in(result: Result, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the arguments of a call that a tool writes. Raises ToolFailedError."""
    arguments = result.get("arguments")
    if not isinstance(arguments, dict) or not arguments.keys() <= set(names):
        raise ToolFailedError("its result has no object `arguments` whose keys are parameters")
    return arguments


def declared_in(result: Result) -> Declared:
    """Return what a tool says of itself. Raises ToolFailedError."""
    if result.get("evals") != VERSION:
        raise ToolFailedError(f"its declaration is not of version {VERSION} (`evals`)")
    parameters, path, place = result.get("parameters"), result.get("path", "path"), result.get("place", "")
    names = _names(parameters)
    name = text_in(result, "name")
    if not _NAME.fullmatch(name) or name in (*names, EDIT_CALL):
        raise ToolFailedError("its `name` is not made of letters, digits, `_` and `-`, or is that of a parameter")
    if path not in names or place not in ("", *names):
        raise ToolFailedError("its `path` or `place` is no parameter")
    description = text_in(result, "description")
    if len(description) > LONGEST_DESCRIPTION:
        raise ToolFailedError(f"its `description` has more than {LONGEST_DESCRIPTION:,} characters")
    if not isinstance(writes := result.get("writes", False), bool):
        raise ToolFailedError("its `writes` is neither true nor false")
    revision = text_in({"revision": "", **result}, "revision")[:LONGEST_MESSAGE]
    return Declared(name, description, parameters or {}, path, place, writes, revision)


def _names(parameters: object) -> tuple[str, ...]:
    """Return the names of the parameters in a JSON schema. Raises ToolFailedError."""
    match parameters:
        case {"type": "object", "properties": dict(properties)} if 0 < len(properties) <= MOST_PARAMETERS:
            if all(_NAME.fullmatch(name) and isinstance(about, dict) for name, about in properties.items()):
                return tuple(properties)
    raise ToolFailedError(f"its `parameters` are no JSON schema of an object with 1 to {MOST_PARAMETERS} properties")
