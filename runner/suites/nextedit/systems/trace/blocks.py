"""An edit in finer grain: runs of lines that were modified, deleted or inserted, distinguished by shared tokens."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"\w+|[^\w\s]")
_TRIVIAL = frozenset(",:.;()[]{}")


@dataclass(frozen=True, slots=True)
class ChangeBlock:
    """Lines and what became of them; one of the two may be empty, not both."""

    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def modified(self) -> bool:
        """Whether there are lines on both sides."""
        return bool(self.before and self.after)


def blocks_of(before: Sequence[str], after: Sequence[str]) -> tuple[ChangeBlock, ...]:
    """The blocks of an edit in order; lines that share no token, or in no order, are one deletion and one insertion."""
    groups = _groups(_shared(before, after))
    if not groups or not all(_is_run(opcode) for group in groups for opcode in group):
        return tuple(_between(before, after))
    blocks: list[ChangeBlock] = []
    at = (0, 0)
    for old, new in groups:
        start, beyond = (min(old), min(new)), (max(old) + 1, max(new) + 1)
        if start[0] < at[0] or start[1] < at[1]:
            continue
        blocks += _between(before[at[0] : start[0]], after[at[1] : start[1]])
        blocks.append(ChangeBlock(tuple(before[start[0] : beyond[0]]), tuple(after[start[1] : beyond[1]])))
        at = beyond
    blocks += _between(before[at[0] :], after[at[1] :])
    return tuple(blocks)


def _between(before: Sequence[str], after: Sequence[str]) -> Iterator[ChangeBlock]:
    if before:
        yield ChangeBlock(tuple(before), ())
    # Blank lines alone are no insertion.
    if "".join(after).strip():
        yield ChangeBlock((), tuple(after))


def _tokens(lines: Sequence[str]) -> list[tuple[str, int]]:
    """Return the tokens that distinguish lines, with their lines; punctuation only where it is the whole line."""
    return [
        (token, at)
        for at, line in enumerate(lines)
        for token in _TOKEN.findall(line)
        if token not in _TRIVIAL or line.strip() == token
    ]


def _shared(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of lines that have a token of a longest common sequence in common."""
    from rapidfuzz.distance import Indel

    old, new = _tokens(before), _tokens(after)
    for opcode in Indel.opcodes([token for token, _ in old], [token for token, _ in new]):
        if opcode.tag == "equal":
            left, right = old[opcode.src_start : opcode.src_end], new[opcode.dest_start : opcode.dest_end]
            yield from ((mine[1], theirs[1]) for mine, theirs in zip(left, right, strict=True))


def _groups(pairs: Iterable[tuple[int, int]]) -> list[tuple[set[int], set[int]]]:
    """Pairs of lines, those that share a line on either side together, in their order."""
    groups: list[tuple[set[int], set[int]]] = []
    for old, new in pairs:
        joined = [group for group in groups if old in group[0] or new in group[1]]
        kept = [group for group in groups if group not in joined]
        lines = ({old}.union(*(group[0] for group in joined)), {new}.union(*(group[1] for group in joined)))
        groups = [*kept, lines]
    return sorted(groups, key=lambda group: (min(group[0]), min(group[1])))


def _is_run(lines: set[int]) -> bool:
    return max(lines) - min(lines) + 1 == len(lines)
