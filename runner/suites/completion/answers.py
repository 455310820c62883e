"""From a model's answer to what is put into the hole: named steps, each of them total.

Codev-Bench took the last closed fence and nothing else, and an answer without one for an empty one. Here an open fence
counts too, and a text without a fence is taken as it is. Two steps cut what goes on behind the hole: what they solve
and the answer as given does not is a model that could not stop.
"""

import re
from collections.abc import Iterable

_CLOSED = re.compile(r"^[ \t]*(`{3,})[^\n`]*\n(.*?)\n?^[ \t]*\1`*[ \t]*$", re.MULTILINE | re.DOTALL)
_OPEN = re.compile(r"^[ \t]*(`{3,})[^\n`]*\n(.*)\Z", re.MULTILINE | re.DOTALL)
_LEAST_OVERLAP = 4


def from_fence(text: str) -> str:
    """The last closed fence, else the rest behind an open one, else the whole text; indentation is kept.

    A fence of more than three marks is closed by as many at least, so that code may hold a shorter one.
    """
    blocks = _CLOSED.findall(text) or _OPEN.findall(text)
    return str(blocks[-1][1]) if blocks else text


def from_closed_fence(text: str) -> str:
    """The last closed fence, or nothing: what Codev-Bench took."""
    blocks = _CLOSED.findall(text)
    return str(blocks[-1][1]) if blocks else ""


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
