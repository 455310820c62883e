"""The arguments of native calls held against what their tool declares."""

import json
from collections.abc import Sequence

from parsers.blocks import ToolCall
from parsers.transcript import arguments_of

# The arguments of the edit tool, all of them texts.
_DECLARED = frozenset({"path", "diff"})


def argument_fault(transcript: str, calls: Sequence[ToolCall], tool: str) -> str:
    """Return what is wrong with the arguments of the only call of an edit tool; "" if nothing is.

    Arguments that break off are no fault of their own, nor are those that leave something out: both have outcomes.
    """
    if len(calls) != 1 or calls[0].name != tool or calls[0].partial:
        return ""
    ((_, arguments),) = arguments_of(transcript)
    try:
        values = json.loads(arguments)
    except (ValueError, RecursionError) as error:
        return f"the arguments are not JSON: {error}"
    if not isinstance(values, dict):
        return "the arguments are no object"
    unknown = sorted(values.keys() - _DECLARED)
    if unknown:
        return f"the tool has no argument {', '.join(map(repr, unknown))}"
    wrong = sorted(name for name, value in values.items() if not isinstance(value, str))
    return f"{', '.join(wrong)}: no string" if wrong else ""
