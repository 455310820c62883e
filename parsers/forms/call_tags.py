"""Reads a tool call that is written as tags: one named after the tool, and inside it one for each parameter.

Values are exact: of a value on lines of its own, the newline after the opening and before the closing tag is not part.
A value ends at the last closing tag of its name, so that it may hold that tag itself.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class TaggedCall(NamedTuple):
    """The text inside a call, and whether its closing tag is there."""

    inner: str
    closed: bool


def tagged_calls(text: str, tool: str) -> tuple[TaggedCall, ...]:
    """Return the calls of a tool in a text, in order."""
    opening, closing, calls, at = f"<{tool}>", f"</{tool}>", list[TaggedCall](), 0
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start)
        stop = end if end >= 0 else len(text)
        calls.append(TaggedCall(text[start + len(opening) : stop], end >= 0))
        at = stop + len(closing)
    return tuple(calls)


def tagged_values(inner: str, names: Sequence[str]) -> Mapping[str, str]:
    """Return the values of the parameters in a call, those of the names given; one that is not closed is left out."""
    values: dict[str, str] = {}
    pattern = re.compile("<({})>".format("|".join(map(re.escape, names))))
    at = 0
    while match := pattern.search(inner, at):
        name, closing = match[1], f"</{match[1]}>"
        if name in values:
            # Only the first value of a name counts; looking for the ends of others would take too long.
            at = match.end()
            continue
        end = _end(inner, match.end(), closing, names)
        if end < 0:
            break
        value = inner[match.end() : end]
        is_block = value.startswith("\n") and value.endswith("\n") and len(value) > 1
        values[name] = value[1:-1] if is_block else value
        at = end + len(closing)
    return values


def _end(inner: str, start: int, closing: str, names: Sequence[str]) -> int:
    """Return where a value ends: at the last closing tag before another parameter begins on a line of its own."""
    first = inner.find(closing, start)
    if first < 0:
        return -1
    follows = re.compile(r"\s*(?:\Z|<(?:{})>)".format("|".join(map(re.escape, names))))
    at = first
    while at >= 0:
        if follows.match(inner, at + len(closing)):
            return at
        at = inner.find(closing, at + 1)
    return first


def tagged(tool: str, values: Mapping[str, str]) -> str:
    """Return a call in this form: one-line values within their tags, others on lines of their own."""
    parts = (
        f"<{name}>\n{value}\n</{name}>" if "\n" in value or not value.strip() else f"<{name}>{value}</{name}>"
        for name, value in values.items()
    )
    return "\n".join((f"<{tool}>", *parts, f"</{tool}>")) + "\n"
