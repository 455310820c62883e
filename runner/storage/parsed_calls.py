"""The parsed calls of an answer as the database keeps them: values that stand in its text are kept as places in it."""

from collections.abc import Sequence
from typing import Any

from parsers.blocks import ToolCall
from runner.errors import InputError
from runner.json_texts import stored_json


def slices_of(calls: Sequence[ToolCall], text: str) -> list[dict[str, Any]]:
    """Return the calls for the database: a value that stands in the answer is kept as {"at": [start, end]}.

    Values stand in the order of the calls, nearly always: so each is searched for behind the one before it first.
    """
    slices: list[dict[str, Any]] = []
    position = 0
    for call in calls:
        places: dict[str, str | dict[str, list[int]]] = {}
        for name, value in call.params.items():
            start = _place(value, text, position)
            places[name] = value if start < 0 else {"at": [start, start + len(value)]}
            position = max(position, start)
        slices.append({"name": call.name, "input": places})
    return slices


def _place(value: str, text: str, position: int) -> int:
    """Return where a value stands, -1 if nowhere or if its place takes as many characters as the value."""
    if len(value) <= len('{"at":[,]}'):
        return -1
    start = text.find(value, position)
    return start if start >= 0 else text.find(value)


def calls_of(parsed_calls: str, text: str) -> list[dict[str, Any]]:
    """Return the calls as {name, input} again, from what the database keeps of them and the answer's text.

    Raises InputError for anything else in the column.
    """

    def value_of(kept: str | dict[str, list[int]]) -> str:
        return kept if isinstance(kept, str) else text[slice(*kept["at"])]

    try:
        calls: list[dict[str, Any]] = stored_json(parsed_calls)
        return [
            {"name": call["name"], "input": {name: value_of(kept) for name, kept in call["input"].items()}}
            for call in calls
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            "column parsed_calls of a scoring: holds no calls, so the database is damaged; restore it from a copy"
        ) from error
