"""A foreign tool as an edit tool: it declares itself, displays files, applies and refuses edits in its own program."""

import json
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from diff_apply.result import Applied, DiffError
from diff_apply.tools.refusal import Cause, EditError
from parsers.forms.call_tags import tagged, tagged_values
from parsers.forms.declared import DeclaredCalls, declared_parser
from runner.edit_tools.declarations import tag_tool
from runner.edit_tools.foreign_pool import ForeignCell, ForeignPool
from runner.edit_tools.foreign_result import ForeignResult, ToolFailedError
from runner.edit_tools.foreign_wire import Declared, arguments_in, declared_in, edit_in, text_in
from runner.edit_tools.program import ToolProgram
from runner.edit_tools.tool import EditTool
from runner.json_texts import parse_json

# Displays that are kept: those of the conversations of a run are asked for more than once.
_KEPT = 4096


def foreign_tool(program: ToolProgram, cell: ForeignCell) -> EditTool:
    """Return the edit tool of a program, which is asked to declare itself. Raises ToolFailedError."""
    pool = ForeignPool(program.words, cell)
    try:
        declared = pool.ask("declare", {}, declared_in)
    except BaseException:
        pool.rest()
        raise
    behind = ForeignProgram(pool, declared)
    return EditTool(
        name=program.name,
        show=lru_cache(_KEPT)(behind.show),
        declaration=tag_tool(declared.name, declared.description, declared.parameters),
        parser=declared_parser(DeclaredCalls(declared.name, declared.names, declared.path), declared.place),
        algorithm=ForeignAlgorithm(behind),
        explain=behind.explain,
        write=lru_cache(_KEPT)(behind.write),
        leaves=(program, declared.canonical),
        foreign=behind,
    )


@dataclass(frozen=True, slots=True)
class ForeignProgram:
    """The program behind a foreign tool, and what it has declared. Requests raise ToolFailedError."""

    pool: ForeignPool
    declared: Declared

    @property
    def writes(self) -> bool:
        """Whether it can write the call of an edit."""
        return self.declared.writes

    def show(self, path: str, text: str) -> str:
        """Return how a file stands in a conversation."""
        return self.pool.ask("show", {"path": path, "text": text}, text_in)

    def write(self, path: str, before: str, after: str) -> str:
        """Return the call by which a right model makes an edit."""
        if not self.declared.writes:
            raise ToolFailedError("it writes no calls itself (`writes`)")
        read = partial(arguments_in, names=self.declared.names)
        arguments = self.pool.ask("write", {"path": path, "before": before, "after": after}, read)
        return tagged(self.declared.name, {name: _as_text(value) for name, value in arguments.items()})

    def explain(self, error: DiffError) -> str:
        """Return what goes back to a model after a refusal."""
        cause = error.cause if isinstance(error, EditError) else Cause.BAD_PARAM
        return self.pool.ask("error", {"cause": str(cause), "message": str(error)}, text_in)

    def apply(self, original: str, call: str) -> "Future[ForeignResult]":
        """Begin to apply a call, of tags or of JSON, to a file; what the tool does wrong is in the result."""
        try:
            arguments = self._arguments(call)
        except EditError as error:
            return _known(ForeignResult(cause=error.cause, message=str(error)))
        path = arguments.get(self.declared.path)
        fields = {"path": path if isinstance(path, str) else "", "text": original, "arguments": arguments}
        return self.pool.begin("apply", fields, edit_in, _failed)

    def _arguments(self, call: str) -> Mapping[str, Any]:
        if call.lstrip().startswith("{"):
            try:
                values = parse_json(call)
            except ValueError as error:
                raise EditError(Cause.BAD_PARAM, f"the arguments are no JSON: {error}") from error
            return values if isinstance(values, dict) else {}
        kinds = self.declared.parameters["properties"]
        tags = tagged_values(call, self.declared.names)
        return {name: _as_value(value, kinds[name].get("type", "string")) for name, value in tags.items()}

    def rest(self) -> None:
        """End its processes."""
        self.pool.rest()


@dataclass(frozen=True, slots=True)
class ForeignAlgorithm:
    """The application of a foreign tool, as a diff algorithm that waits for its program."""

    program: ForeignProgram

    def __call__(self, original: str, diff: str, *, final: bool = True) -> Applied:  # noqa: ARG002 - the Protocol has it
        """Return the file after a call. Raises EditError, ToolFailedError."""
        return self.program.apply(original, diff).result()(original, diff)


def _as_value(text: str, kind: object) -> Any:  # noqa: ANN401 - any JSON
    """Return the value that a text in tags stands for; a text that is no such value stays a text."""
    if kind == "string" or (isinstance(kind, list) and "string" in kind):
        return text
    try:
        return parse_json(text)
    except ValueError:
        return text


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _failed(error: ToolFailedError) -> ForeignResult:
    return ForeignResult(message=f"the edit tool failed: {error}")


def _known(result: ForeignResult) -> "Future[ForeignResult]":
    future = Future[ForeignResult]()
    future.set_result(result)
    return future
