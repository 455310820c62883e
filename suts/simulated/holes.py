"""Answers to completion tasks: what goes into a hole, rightly or in one of the ways in which models fail."""

import re

from suts.sut import Hole

_FENCE = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


def filling(hole: Hole, kind: str) -> tuple[str, str]:
    """Return the outcome and the text of a failure of this kind.

    `wrong` takes the place of a kind that the hole has not. An empty answer is the right one where nothing is missing.
    """
    if kind == "empty" and not hole.right:
        return "solved", ""
    if kind in hole.wrong:
        return kind, hole.wrong[kind]
    return "wrong", hole.wrong["wrong"]


def in_fence(text: str) -> str:
    """Return the text as a block of code, its fence longer than any that begins a line of the text."""
    run = "`" * max([3, *(len(match[1]) + 1 for match in _FENCE.finditer(text))])
    return f"{run}python\n{text}\n{run}"
