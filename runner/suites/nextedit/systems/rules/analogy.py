"""The same change somewhere else: what an edit did to its lines, done to lines that are like them.

A change of a line is a list of segments: the tokens taken out, those put in, and the tokens on either side. It can be
made on another line if every segment's tokens stand there too; how much of their surroundings agrees says how likely
that is meant. It serves as rename, clone and every other substitution that repeats.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_NAME = re.compile(r"[^\W\d]\w*")
_CONTEXT = 3
# Without a name taken out, this much of the surroundings has to agree before a place is a place.
_LEAST_CONTEXT = 3
_ALIKE = 60.0


@dataclass(frozen=True, slots=True)
class Segment:
    """Tokens taken out and put in, between up to three other tokens, blanks left aside, nearest first."""

    removed: tuple[str, ...]
    added: tuple[str, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """A line with a change made on it, and how well the surroundings matched, 0 to 1."""

    line: str
    agreement: float


def tokenize(line: str) -> tuple[str, ...]:
    """Words, runs of blanks, and single other characters; joined they are the line."""
    return tuple(_TOKEN.findall(line))


def segments_of(before: str, after: str) -> tuple[Segment, ...]:
    """What leads from one line to another, along a longest common sequence of tokens."""
    from rapidfuzz.distance import Indel

    old, new = tokenize(before), tokenize(after)
    segments: list[Segment] = []
    bounds = [
        (opcode.src_start, opcode.src_end, opcode.dest_start, opcode.dest_end)
        for opcode in Indel.opcodes(old, new)
        if opcode.tag == "equal" and is_solid(old[opcode.src_start : opcode.src_end])
    ]
    old_at = new_at = 0
    for old_start, old_end, new_start, new_end in [*bounds, (len(old), len(old), len(new), len(new))]:
        removed, added = old[old_at:old_start], new[new_at:new_start]
        if removed != added:
            left = tuple(token for token in reversed(old[:old_at]) if not token.isspace())[:_CONTEXT]
            right = tuple(token for token in old[old_start:] if not token.isspace())[:_CONTEXT]
            segments.append(Segment(*_without_common_ends(removed, added), left, right))
        old_at, new_at = old_end, new_end
    return tuple(segments)


def _without_common_ends(left: Sequence[str], right: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Two different runs of tokens without the blanks that both begin or end with."""
    head, tail = 0, 0
    while head < min(len(left), len(right)) and left[head] == right[head]:
        head += 1
    while tail < min(len(left), len(right)) - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    return tuple(left[head : len(left) - tail]), tuple(right[head : len(right) - tail])


def is_solid(tokens: Sequence[str]) -> bool:
    """Whether tokens are more than blanks, which stand between changes by chance."""
    return any(not token.isspace() for token in tokens)


def change_line(line: str, segments: Sequence[Segment]) -> Changed | None:
    """The change made on another line, or None where it does not fit."""
    tokens = list(tokenize(line))
    agreements = []
    position = 0
    for segment in segments:
        place = _find(tokens, segment, position)
        if place is None:
            return None
        at, agreement = place
        tokens[at : at + len(segment.removed)] = segment.added
        agreements.append(agreement)
        position = at + len(segment.added)
    changed = "".join(tokens)
    if not agreements or changed == line:
        return None
    return Changed(changed, sum(agreements) / len(agreements))


def _find(tokens: Sequence[str], segment: Segment, start: int) -> tuple[int, float] | None:
    """Where a segment's tokens stand with the most of their surroundings, from `start` on."""
    best: tuple[int, float] | None = None
    size = len(segment.removed)
    for at in range(start, len(tokens) - size + 1):
        if tuple(tokens[at : at + size]) != segment.removed:
            continue
        weight = _matching_weight(tokens[:at][::-1], segment.left) + _matching_weight(
            tokens[at + size :], segment.right
        )
        possible = len(segment.left) + len(segment.right)
        if weight < _needed(segment, possible):
            continue
        agreement = weight / possible if possible else 1.0
        if best is None or agreement > best[1]:
            best = at, agreement
    return best


def _needed(segment: Segment, possible: int) -> int:
    if any(_NAME.fullmatch(token) and len(token) > 2 for token in segment.removed):
        return 0
    return min(possible, _LEAST_CONTEXT)


def _matching_weight(tokens: Sequence[str], context: Sequence[str]) -> int:
    solid = (token for token in tokens if not token.isspace())
    weight = 0
    for mine, theirs in zip(context, solid, strict=False):
        if mine != theirs:
            break
        weight += 1
    return weight


def paired_lines(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The lines of an edit that became other lines: in order, each old line with the likest new one that is left."""
    from rapidfuzz.fuzz import ratio

    if len(before) == len(after):
        yield from ((old, new) for old, new in zip(before, after, strict=True) if old != new)
        return
    at = 0
    for old in before:
        rest = [(ratio(old, new), -number, new) for number, new in enumerate(after[at:])]
        score, number, new = max(rest, default=(0.0, 0, ""))
        if score > _ALIKE:
            at += 1 - number
            if old != new:
                yield old, new


def transfer(after: Sequence[str], source: Sequence[str], target: Sequence[str]) -> tuple[str, ...]:
    """Lines that belong to `source`, made to belong to `target`: names that differ, and indentation, are exchanged."""
    exchange = _exchange("".join(source), "".join(target))
    shift = (_indentation(source), _indentation(target))
    return tuple(_shift("".join(exchange.get(token, token) for token in tokenize(line)), *shift) for line in after)


def _exchange(source: str, target: str) -> dict[str, str]:
    """Which names of one text stand where other names stand in the other."""
    from rapidfuzz.distance import Levenshtein

    old = [token for token in tokenize(source) if not token.isspace()]
    new = [token for token in tokenize(target) if not token.isspace()]
    exchange = {}
    for operation in Levenshtein.opcodes(old, new):
        if operation.tag != "replace":
            continue
        mine, theirs = old[operation.src_start : operation.src_end], new[operation.dest_start : operation.dest_end]
        pairs = zip(mine, theirs, strict=True)
        exchange.update({left: right for left, right in pairs if _NAME.fullmatch(left) and _NAME.fullmatch(right)})
    return exchange


def _indentation(lines: Sequence[str]) -> str:
    line = next((line for line in lines if line.strip()), "")
    return line[: len(line) - len(line.lstrip())]


def _shift(line: str, old: str, new: str) -> str:
    return new + line.removeprefix(old) if old != new and line.startswith(old) and line.strip() else line
