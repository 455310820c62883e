"""What the last edits were, as far as it can be decided without a model: a rename, a changed signature, a clone."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from runner.suites.nextedit.editor import Made
from runner.suites.nextedit.systems.rules.analogy import segments_of
from runner.suites.nextedit.systems.trace.blocks import blocks_of

_NAME = re.compile(r"[^\W\d]\w*")
_CALLED = re.compile(r"(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_ALIKE = 90.0


class Service(StrEnum):
    """What an edit asks to be followed by."""

    RENAME = "rename"
    USES = "def&ref"
    CLONE = "clone"
    NORMAL = "normal"


def gate(past_edits: Sequence[Made]) -> Service:
    """The service that the last edits ask for, the first that fits."""
    last = past_edits[-1].edit
    if renamed(last.before, last.after):
        return Service.RENAME
    if next(signature_changes(last.before, last.after), None):
        return Service.USES
    return Service.CLONE if _repeats(past_edits) else Service.NORMAL


def renamed(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    """The names that the first changed lines exchange, if that is all they change; empty otherwise."""
    block = next((block for block in blocks_of(before, after) if block.modified and block.before != block.after), None)
    if block is None:
        return {}
    names: dict[str, str] = {}
    for segment in segments_of("".join(block.before), "".join(block.after)):
        if len(segment.removed) != 1 or len(segment.added) != 1:
            return {}
        old, new = segment.removed[0], segment.added[0]
        if not (_NAME.fullmatch(old) and _NAME.fullmatch(new)) or names.setdefault(old, new) != new:
            return {}
    return names


def signature_changes(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """The names that are defined or called with another number of arguments than before."""
    old, new = _called("".join(before)), _called("".join(after))
    yield from (name for name in old if name in new and old[name] != new[name])


def _called(text: str) -> dict[str, int]:
    """How many arguments each name has where it first stands before parentheses."""
    counts: dict[str, int] = {}
    for call in _CALLED.finditer(text):
        counts.setdefault(call.group(1), len([part for part in call.group(2).split(",") if part.strip()]))
    return counts


def _repeats(past_edits: Sequence[Made]) -> bool:
    from rapidfuzz.fuzz import ratio

    if len(past_edits) < 2:
        return False
    last, previous = "".join(past_edits[-1].edit.before), "".join(past_edits[-2].edit.before)
    return bool(last.strip() and previous.strip()) and ratio(last, previous) > _ALIKE
