"""From what a model said to what is put into the hole: named steps, each of them total.

Codev-Bench took the last closed fence and nothing else, and an answer without one for an empty one. Here an open fence
counts too, and a text without a fence is taken as it is. `repaired` also cuts what goes on behind the hole: what it
solves and the answer as given does not is a model that could not stop.
"""

import re

_FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)(?:\n?^[ \t]*```[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_CLOSED = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)\n?^[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)
_LEAST_OVERLAP = 4


def from_fence(text: str) -> str:
    """The last closed fence, else the rest behind an open one, else the whole text; indentation is kept."""
    found = _CLOSED.findall(text) or _FENCE.findall(text)
    return str(found[-1]) if found else text


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
    for each in rest:
        if each.strip() and len(each) - len(each.lstrip()) < margin:
            break
        kept.append(each)
    else:
        return answer
    return "\n".join(kept).rstrip()


def repaired(answer: str, prefix: str, suffix: str) -> str:
    """An answer that ends where the hole does, as far as that can be told from what is seen."""
    return without_overlap(within_block(answer, prefix), suffix)
