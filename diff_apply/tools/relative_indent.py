"""Texts whose lines state how their indentation differs from the line before, so that a block is found at any depth.

As in Aider's `search_replace` (aider-chat 0.86.2): each line becomes its change of indentation, a newline, and the
rest of the line. Fewer characters of indentation than before are counted by a marker that no text has.
"""

from collections.abc import Sequence

_ARROW = "\u2190"


def marker_for(texts: Sequence[str]) -> str:
    """Return a character that none of the texts has; an arrow if possible."""
    if not any(_ARROW in text for text in texts):
        return _ARROW
    used = set().union(*texts)
    return next(chr(code) for code in range(0x10FFFF, 0x10000, -1) if chr(code) not in used)


def relative(text: str, marker: str) -> str:
    """Return a text with relative indentation."""
    out, previous = list[str](), 0
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\n\r")
        width = len(body) - len(body.lstrip())
        more = width - previous
        out.append(line[previous:width] if more > 0 else marker * -more)
        out.append("\n")
        out.append(line[width:])
        previous = width
    return "".join(out)


def absolute(text: str, marker: str) -> str | None:
    """Return a text with its indentation put together again; None if its lines are not in pairs or a marker is left."""
    lines, out, indent = text.splitlines(keepends=True), list[str](), ""
    if len(lines) % 2:
        return None
    for change, rest in zip(lines[::2], lines[1::2], strict=True):
        dent = change.rstrip("\r\n")
        indent = indent[: -len(dent)] if dent.startswith(marker) else indent + dent
        out.append(indent + rest if rest.rstrip("\r\n") else rest)
    whole = "".join(out)
    return None if marker in whole else whole
