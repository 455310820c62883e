"""The arguments of an edit tool's call, from JSON as native calls have it or from tags."""

from collections.abc import Mapping, Sequence
from typing import Any

from diff_apply.tools.refusal import Cause, EditError
from parsers.forms.call_tags import tagged_values


class Arguments:
    """Named values of a call; a value of another type than asked for is an EditError."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        """Keep the values."""
        self._values = values

    def text(self, name: str) -> str | None:
        """Return a text, None if it is missing."""
        value = self._values.get(name)
        if value is None or isinstance(value, str):
            return value
        raise EditError(Cause.BAD_PARAM, f"`{name}` is no text")

    def needed(self, name: str) -> str:
        """Return a text that must be there."""
        value = self.text(name)
        if value is None:
            raise EditError(Cause.MISSING_PARAM, f"`{name}` is missing")
        return value

    def number(self, name: str) -> int | None:
        """Return a whole number, None if it is missing."""
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, str) and value.strip().lstrip("-").isdecimal() and len(value.strip()) < 10:
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise EditError(Cause.BAD_PARAM, f"`{name}` is no whole number")

    def truth(self, name: str) -> bool:
        """Return a truth value; false if it is missing."""
        value = self._values.get(name, False)
        return value is True or (isinstance(value, str) and value.strip().lower() == "true")

    def items(self, name: str) -> Sequence[Any] | None:
        """Return a list, None if it is missing; in tags it is written as JSON."""
        value = self._values.get(name)
        if isinstance(value, str):
            value = _json(value)
        if value is None or isinstance(value, list):
            return value
        raise EditError(Cause.BAD_PARAM, f"`{name}` is no list")


def arguments_of(call: str, names: Sequence[str]) -> Arguments:
    """Return the arguments in the text of a call: one JSON object, or tags. Raises EditError."""
    if call.lstrip().startswith("{"):
        values = _json(call)
        if isinstance(values, dict):
            return Arguments(values)
    return Arguments(tagged_values(call, names))


def input_of(call: str) -> str:
    """Return the text of a call that has only one: the value `input` of a JSON object or tag, else the call itself.

    A tag counts at the start alone: further on it is part of the text, such as a line of HTML.
    """
    begun = call.lstrip()
    if begun.startswith("{"):
        try:
            values = _json(call)
        except EditError:
            return call
        if isinstance(values, dict) and isinstance(values.get("input"), str):
            return str(values["input"])
    return tagged_values(call, ("input",)).get("input", call) if begun.startswith("<input>") else call


def _json(text: str) -> Any:  # noqa: ANN401 - any JSON
    from runner.json_texts import parse_json

    try:
        return parse_json(text)
    except ValueError as error:
        raise EditError(Cause.BAD_PARAM, f"the arguments are no JSON: {error}") from error
