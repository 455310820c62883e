"""What the last edits were, as far as it can be decided without a model: a rename, a changed signature, a clone."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from runner.suites.nextedit.commits import Edit
from runner.suites.nextedit.editor import Made
from runner.suites.nextedit.systems.trace.blocks import blocks_of
from runner.syntax import has_grammar, language_of, parse

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
    if renamed(last):
        return Service.RENAME
    if next(signature_changes(last.before, last.after), None):
        return Service.USES
    return Service.CLONE if _repeats(past_edits) else Service.NORMAL


def renamed(edit: Edit) -> dict[str, str]:
    """The names that the first changed lines exchange, if that is all they change; empty otherwise.

    Names are identifiers of the language's grammar, each with its depth in the tree: what is in strings, and the
    language's own words, are none.
    """
    language = language_of(edit.path)
    if language is None or not has_grammar(language):
        return {}
    blocks = blocks_of(edit.before, edit.after, language)
    block = next((block for block in blocks if block.modified and block.before != block.after), None)
    return _exchanged("".join(block.before), "".join(block.after), language) if block is not None else {}


def _exchanged(before: str, after: str, language: str) -> dict[str, str]:
    old, new = _identifiers(before, language), _identifiers(after, language)
    replaced, substitutes = (
        {leaf[:2] for leaf in left} - {leaf[:2] for leaf in right} for left, right in ((old, new), (new, old))
    )
    if len(old) != len(new) or not replaced or len(replaced) != len(substitutes):
        return {}
    left, right = [leaf for leaf in old if leaf[:2] in replaced], [leaf for leaf in new if leaf[:2] in substitutes]
    if len(left) != len(right) or _without(before, left) != _without(after, right):
        return {}
    names = [(mine[0], theirs[0]) for mine, theirs in zip(left, right, strict=True)]
    exchanged = dict(names)
    return exchanged if all(exchanged[mine] == theirs for mine, theirs in names) else {}


def _identifiers(text: str, language: str) -> list[tuple[str, int, int]]:
    """The identifiers of a text: name, depth in its tree, and first byte."""
    leaves = []
    waiting = [(parse(text, language).root_node, 0)]
    while waiting:
        node, depth = waiting.pop()
        waiting += [(child, depth + 1) for child in reversed(node.children)]
        if not node.child_count and "identifier" in node.type and node.text:
            leaves.append((node.text.decode("utf-8", "replace"), depth, node.start_byte))
    return leaves


def _without(text: str, leaves: Sequence[tuple[str, int, int]]) -> bytes:
    rest = text.encode(errors="replace")
    for name, _, start in reversed(leaves):
        rest = rest[:start] + rest[start + len(name.encode()) :]
    return rest


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
