"""Writes an answer that stands in the text of a message as the native calls that say the same."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from parsers.forms import answers as forms
from parsers.forms.call_tags import tagged_calls, tagged_values
from parsers.forms.native_form import NATIVE_FORMS, NativeForm
from suts.tools import ToolUse

_READS: Final[Mapping[str, Callable[[str], Any]]] = {"integer": int, "array": json.loads, "boolean": json.loads}


def native_calls(tool: str, answer: str, begin: int = 0) -> tuple[ToolUse, ...]:
    """Return the calls of an answer in the text form of a tool; their ids count from `begin`."""
    form = NATIVE_FORMS[tool]
    return tuple(
        ToolUse(f"call_{number}", form.tool, json.dumps(values, ensure_ascii=False))
        for number, values in enumerate(_arguments(form, answer), begin)
    )


def _arguments(form: NativeForm, answer: str) -> Iterator[dict[str, Any]]:
    if form.read is not None and form.tool != forms.PATCH_TOOL:
        yield {"input": answer.removesuffix("\n")}
        return
    kinds = dict(form.kinds)
    for call in tagged_calls(answer, form.tool):
        values = tagged_values(call.inner, tuple(kinds))
        yield {name: _value(text, kinds[name]) for name, text in values.items()}


def _value(text: str, kind: str) -> Any:  # noqa: ANN401 - any JSON
    """Return the value that a text in tags stands for; one that is of another type stays a text."""
    try:
        return _READS.get(kind, str)(text)
    except ValueError:
        return text
