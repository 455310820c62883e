"""The file that a line before an edit names, as Aider's edit formats read it."""

import difflib
from collections.abc import Sequence
from pathlib import PurePosixPath

FENCE = ("```", "```")
TICKS = "```"
# Opening and closing; the first one that no line of a shown file starts with is used.
FENCES = (FENCE, ("````", "````"), *((f"<{tag}>", f"</{tag}>") for tag in ("source", "code", "pre", "codeblock")))
FENCES_AND_LAST = (*FENCES, ("<sourcecode>", "</sourcecode>"))

# A longer name is not compared with the files: the comparison is quadratic.
_LONGEST_COMPARED = 1000


def fence_for(texts: Sequence[str]) -> tuple[str, str]:
    """Return the first fence that no line of the texts starts with, the first of all if there is none."""
    lines = {line for text in texts for line in text.splitlines()}
    for fence in FENCES_AND_LAST:
        if not any(line.startswith(fence) for line in lines):
            return fence
    return FENCE


def named_file(lines: Sequence[str], opener: str, chat: Sequence[str]) -> str:
    """Return the file named by up to three lines before a block, "" if none is; the last line is the nearest."""
    names = []
    for line in lines[:-4:-1]:
        if name := _stripped(line, opener):
            names.append(name)
        if not line.startswith((opener, TICKS)):
            break
    return _chosen(names, chat)


def _stripped(line: str, opener: str) -> str:
    name = line.strip()
    if name == "...":
        return ""
    for fence in (opener, TICKS):
        if name.startswith(fence):
            rest = name[len(fence) :]
            return rest if "." in rest or "/" in rest else ""
    return name.rstrip(":").lstrip("#").strip().strip("`").strip("*")


def _chosen(names: Sequence[str], chat: Sequence[str]) -> str:
    for name in names:
        if name in chat:
            return name
    for name in names:
        for path in chat:
            if name == PurePosixPath(path).name:
                return path
    for name in names:
        close = difflib.get_close_matches(name[:_LONGEST_COMPARED], chat, n=1, cutoff=0.8)
        if close:
            return close[0]
    return next((name for name in names if "." in name), names[0] if names else "")
