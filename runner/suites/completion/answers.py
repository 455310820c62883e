"""From a model's answer to what is put into the hole: named steps, each of them total.

Codev-Bench took the last closed fence and nothing else, and an answer without one for an empty one. Here an open fence
counts too, and a text without a fence is taken as it is. Two steps cut what goes on behind the hole: what they solve
and the answer as given does not is a model that could not stop.
"""

import re
from collections.abc import Iterable

_FENCE = re.compile(r"[ \t]*(`{3,})([^\n`]*)")
_LEAST_OVERLAP = 4


def from_fence(text: str) -> str:
    """The last closed fence, else the rest behind an open one, else the whole text; indentation is kept.

    A fence of more than three marks is closed by as many at least, so that code may hold a shorter one.
    """
    lines = text.split("\n")
    opened, block = _last_fence(lines)
    if block is not None:
        return block
    return text if opened is None else "\n".join(lines[opened + 1 :])


def from_closed_fence(text: str) -> str:
    """The last closed fence, or nothing: what Codev-Bench took."""
    return _last_fence(text.split("\n"))[1] or ""


def _last_fence(lines: list[str]) -> tuple[int | None, str | None]:
    """Return the line of the first fence, and what the last closed one holds; a text is read in linear time.

    A fence that nothing closes is passed over, and its marks are remembered: no later fence with as many is closed.
    """
    opened: int | None = None
    last: tuple[int, int] | None = None
    unclosed = len("".join(lines)) + 1
    at = 0
    # The last line cannot open a fence: it has no end.
    while at < len(lines) - 1:
        marks = _opening(lines[at])
        if marks:
            opened = at if opened is None else opened
            closing = _closing(lines, at, marks) if marks < unclosed else None
            if closing is not None:
                last = at, closing
                at = closing
            else:
                unclosed = min(unclosed, marks)
        at += 1
    return opened, None if last is None else "\n".join(lines[last[0] + 1 : last[1]])


def _opening(line: str) -> int:
    """Return how many marks a line opens a fence with; 0 if it opens none."""
    match = _FENCE.fullmatch(line)
    return len(match[1]) if match else 0


def _closing(lines: list[str], opened: int, marks: int) -> int | None:
    """Return the first line that closes the fence of a line with so many marks."""
    for at in range(opened + 1, len(lines)):
        stripped = lines[at].strip(" \t")
        if len(stripped) >= marks and stripped == "`" * len(stripped):
            return at
    return None


def before_stops(text: str, stops: Iterable[str]) -> str:
    """Return the text before the first of some marks: a server that has to stop at them may still send them."""
    return min((text.partition(stop)[0] for stop in stops if stop), key=len, default=text)


def without_overlap(answer: str, suffix: str) -> str:
    """Cut from an answer's end what the text behind the hole begins with.

    Less than four characters that are no white space may be chance, and stay.
    """
    for length in range(min(len(answer), len(suffix)), 0, -1):
        if answer.endswith(suffix[:length]):
            return answer[:-length] if len("".join(suffix[:length].split())) >= _LEAST_OVERLAP else answer
    return answer


def within_block(answer: str, prefix: str) -> str:
    """Cut an answer before the first line that is indented less than the line that the hole is in."""
    line = prefix.rpartition("\n")[2]
    margin = len(line) - len(line.lstrip())
    first, *rest = answer.split("\n")
    kept = [first]
    for node in rest:
        if node.strip() and len(node) - len(node.lstrip()) < margin:
            break
        kept.append(node)
    else:
        return answer
    return "\n".join(kept).rstrip()
