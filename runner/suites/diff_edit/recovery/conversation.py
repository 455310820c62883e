"""The conversation after a refused edit: the answer as the model gave it, and the refusal as the result of its call."""

from dataclasses import replace

import orjson

from parsers.blocks import Text, ToolCall
from parsers.native_calls import PARSER
from parsers.transcript import arguments_of
from runner.json_texts import readable
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.recovery.refusals import headed
from suts.sut import Message, Request
from suts.tools import ToolResult, ToolUse


def in_text(_case: DiffEditCase, request: Request, answer: str, refusal: str) -> Request:
    """Return the question after an answer in the form of an edit tool."""
    new = (Message("assistant", readable(answer)), Message("user", refusal))
    return replace(request, messages=(*request.messages, *new))


def in_product_text(case: DiffEditCase, request: Request, answer: str, refusal: str) -> Request:
    """Return the question after an answer with an XML call."""
    return in_text(case, request, answer, headed(case, refusal))


def natively(_case: DiffEditCase, request: Request, answer: str, refusal: str) -> Request:
    """Return the question after an answer with one native call."""
    blocks = PARSER.parse(answer)
    prose = "\n\n".join(block.content for block in blocks if isinstance(block, Text))
    (name,) = (block.name for block in blocks if isinstance(block, ToolCall))
    ((_, arguments),) = arguments_of(answer)
    call = ToolUse(f"call_{len(request.messages)}", name, _as_object(arguments))
    result = ToolResult(call.id, refusal, is_error=True)
    new = (Message("assistant", readable(prose), calls=(call,)), Message("user", "", results=(result,)))
    return replace(request, messages=(*request.messages, *new))


def _as_object(arguments: str) -> str:
    """Return arguments as they were; an empty object for such as are none, which no API takes back."""
    try:
        values = orjson.loads(arguments)
    except ValueError:
        values = None
    return arguments if isinstance(values, dict) else "{}"
