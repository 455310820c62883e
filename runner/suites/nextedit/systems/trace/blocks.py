"""An edit in finer grain: runs of lines that were modified, deleted or inserted, distinguished by shared tokens."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from runner.suites.nextedit.systems.trace.shared_tokens import shared_lines


@dataclass(frozen=True, slots=True)
class ChangeBlock:
    """Lines and what became of them; one of the two may be empty, not both."""

    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def modified(self) -> bool:
        """Whether there are lines on both sides."""
        return bool(self.before and self.after)


def blocks_of(before: Sequence[str], after: Sequence[str], language: str | None = None) -> tuple[ChangeBlock, ...]:
    """The blocks of an edit in order; lines that share no token, or in no order, are one deletion and one insertion.

    `language` is that of the file, whose grammar says what a token is; without one these are words and punctuation.
    """
    groups = _groups(shared_lines(before, after, language))
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


def _groups(pairs: Iterable[tuple[int, int]]) -> list[tuple[set[int], set[int]]]:
    """Pairs of lines, those that share a line on either side together, in their order.

    Pairs come from the end to the start and never cross, so that only the group begun last can share a line.
    """
    groups: list[tuple[set[int], set[int]]] = []
    for old, new in pairs:
        if not groups or (old not in groups[-1][0] and new not in groups[-1][1]):
            groups.append((set(), set()))
        groups[-1][0].add(old)
        groups[-1][1].add(new)
    return groups[::-1]


def _is_run(lines: set[int]) -> bool:
    return max(lines) - min(lines) + 1 == len(lines)
