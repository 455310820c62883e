"""Patches in the form of `apply_patch`, which some coding agents have in place of a tool that replaces text.

A hunk has no line numbers: its lines are looked for from the end of the hunk before. So it gets as much context as it
takes to be found at its own place.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

_CONTEXTS: Final = (3, 12)
_BEGIN: Final = "*** Begin Patch"
_END: Final = "*** End Patch"


def patch_text(path: str, before: str, after: str) -> str:
    r"""Return the patch that makes one text of another; a file without text is added.

    >>> print(patch_text("a", "x\ny\n", "x\nz\n"))
    *** Begin Patch
    *** Update File: a
    @@
     x
    -y
    +z
    *** End Patch
    """
    if not before:
        return addition_text(path, after)
    old, new = _lines(before), _lines(after)
    changes = SequenceMatcher(None, old, new, autojunk=False)
    for context in (*_CONTEXTS, len(old)):
        groups = [*changes.get_grouped_opcodes(context)]
        if _are_found(groups, old):
            break
    hunks = [line for group in groups for line in ("@@", *_hunk(group, old, new))]
    return "\n".join((_BEGIN, f"*** Update File: {path}", *hunks, _END))


def addition_text(path: str, text: str) -> str:
    """Return the patch that makes a file of a text."""
    return "\n".join((_BEGIN, f"*** Add File: {path}", *(f"+{line}" for line in _lines(text)), _END))


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _hunk(group: Sequence[tuple[str, int, int, int, int]], old: Sequence[str], new: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for kind, old_from, old_to, new_from, new_to in group:
        if kind == "equal":
            lines += [f" {line}" for line in old[old_from:old_to]]
            continue
        lines += [f"-{line}" for line in old[old_from:old_to]]
        lines += [f"+{line}" for line in new[new_from:new_to]]
    return lines


def _are_found(groups: Sequence[Sequence[tuple[str, int, int, int, int]]], old: Sequence[str]) -> bool:
    """Return whether the old lines of each hunk are first found where they belong."""
    at = 0
    for group in groups:
        begin, end = group[0][1], group[-1][2]
        sought = old[begin:end]
        if next((place for place in range(at, begin + 1) if old[place : place + len(sought)] == sought), -1) != begin:
            return False
        at = end
    return True
