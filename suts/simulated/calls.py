"""Tool calls of a simulated answer, and their two forms: XML in the text, and native calls beside it."""

from dataclasses import dataclass

import orjson

# The tool that simulated models edit with. The runner knows it by the same name.
EDIT_TOOL = "replace_in_file"
# Values that stand on lines of their own.
_LONG = frozenset({"diff", "content"})


@dataclass(frozen=True, slots=True)
class Call:
    """A call; `params` in their order. With `is_cut` the last value breaks off and the call stays open.

    `raw` are arguments for the native form that no parameters could give.
    """

    name: str
    params: tuple[tuple[str, str], ...]
    is_cut: bool = False
    raw: str = ""


@dataclass(frozen=True, slots=True)
class NativeCall:
    """A native call with its arguments as JSON text, which may break off or be wrong.

    With `free` its tool takes free text, which stands in place of arguments.
    """

    name: str
    arguments: str
    free: bool = False


# What an answer says: calls, or prose alone.
Body = str | tuple[Call, ...]


def xml(body: Body) -> str:
    """Return the body as text, its calls as XML."""
    return body if isinstance(body, str) else "\n\n".join(map(_element, body))


def native_calls(body: Body) -> tuple[NativeCall, ...]:
    """Return the native calls of a body; prose has none."""
    return () if isinstance(body, str) else tuple(NativeCall(call.name, _arguments(call)) for call in body)


def _element(call: Call) -> str:
    inner = "".join(f"<{name}>\n{text}</{name}>\n" if name in _LONG else f"<{name}>{text}</{name}>\n"
                    for name, text in call.params)  # fmt: skip
    if call.is_cut:
        name = call.params[-1][0]
        return f"<{call.name}>\n{inner.removesuffix(f'</{name}>{chr(10)}')}"
    return f"<{call.name}>\n{inner}</{call.name}>"


def _arguments(call: Call) -> str:
    whole = call.raw or orjson.dumps(dict(call.params)).decode()
    return whole.removesuffix('"}') if call.is_cut else whole
