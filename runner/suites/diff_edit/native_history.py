"""The conversation of a case as a model with native tools has it: calls as calls, results as results, no XML of either.

Cases hold the calls of an earlier model as XML in its messages, and each result in the user's next message, below a
line that names the call. What cannot be read so cannot be shown natively: it would show the model tags that it must not
use.
"""

import re
from collections.abc import Sequence
from functools import cache

import orjson

from parsers import PARSERS
from parsers.blocks import Text, ToolCall
from parsers.xml_tools_v2 import TOOLS
from suts.sut import Message
from suts.tools import ToolResult, ToolUse

# The vocabulary of Cline's product reads every call that its evaluation does, and more.
_PARSER = "xml-tools-v2-core"
_HEADER = re.compile(r"\s*\[\w+(?: for '.*?')?\] Result:[ \t]*\n*", re.DOTALL)
_FEEDBACK = re.compile(r"\n{0,2}(?=<(?:environment_details|feedback|user_message)>)")


class NoNativeFormError(ValueError):
    """A conversation that cannot be shown without XML; the message is why."""


@cache
def _tags() -> re.Pattern[str]:
    return re.compile(rf"</?(?:{'|'.join(sorted(TOOLS))})>")


def native_messages(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return a conversation with its calls and results as such. Raises NoNativeFormError."""
    out: list[Message] = []
    waiting: ToolUse | None = None
    for place, message in enumerate(messages):
        if message.role == "assistant":
            rendered = _assistant(message, place)
            waiting = rendered.calls[0] if rendered.calls else None
        else:
            rendered, waiting = _user(message, waiting), None
        if _tags().search(rendered.text):
            raise NoNativeFormError(f"messages[{place}] shows XML of tools beside its call")
        out.append(rendered)
    if waiting is not None:
        raise NoNativeFormError("the last call has no result")
    return tuple(out)


def _assistant(message: Message, place: int) -> Message:
    blocks = PARSERS[_PARSER].parse(message.text)
    calls = [block for block in blocks if isinstance(block, ToolCall)]
    if not calls:
        return message
    if len(calls) > 1:
        raise NoNativeFormError(f"messages[{place}] has several calls, and one result for all of them")
    if calls[0].partial:
        raise NoNativeFormError(f"messages[{place}] has a call that breaks off")
    prose = "\n\n".join(block.content for block in blocks if isinstance(block, Text) and block.content)
    call = ToolUse(f"call_{place}", calls[0].name, orjson.dumps(calls[0].params).decode())
    return Message(message.role, prose, message.images, calls=(call,))


def _user(message: Message, call: ToolUse | None) -> Message:
    """Return a message of the user's with the result of the call before it, if there was one."""
    if call is None:
        return message
    header = _HEADER.match(message.text)
    text = message.text[header.end() :] if header else message.text
    own = _FEEDBACK.search(text)
    result, rest = (text[: own.start()], text[own.end() :]) if own else (text, "")
    return Message(message.role, rest, message.images, results=(ToolResult(call.id, result),))
