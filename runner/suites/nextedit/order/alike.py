"""Edits that are alike or lie together: clones, cut and paste, renames, rare names, neighbours.

Clones and cut and paste follow EditFlow's rules and thresholds; its rule for neighbours is narrowed to those that
change a common name, and renames and rare names are ours.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import combinations
from operator import or_

from runner.suites.nextedit.commits import Commit, Edit, EditKind
from runner.suites.nextedit.order.changes import Change, change_of, count_words
from runner.suites.nextedit.order.graph import Edge, Reason
from runner.suites.nextedit.order.homonyms import Homonyms
from runner.suites.nextedit.order.prose import Words
from runner.suites.nextedit.order.symbols import Mentions

_CLONE = 85.0
_MOVE = 80.0
_RARE = 3
_STRENGTH = {
    Reason.CLONE: 0.85,
    Reason.MOVE: 0.9,
    Reason.RENAME: 0.65,
    Reason.RARE_NAME: 0.55,
    Reason.NEIGHBOUR: 0.5,
}


def similarity_edges(commit: Commit, versions: Sequence[Mentions]) -> Iterator[Edge]:
    """The edges between edits that are alike; both ways, but for cut and paste, which begins with the cut."""
    homonyms = Homonyms(versions)
    changes = [change_of(edit) for edit in commit.edits]
    prose = [_words_of(edit, versions) for edit in commit.edits]
    names = [
        change.names & words.names if words else change.names for change, words in zip(changes, prose, strict=True)
    ]
    words = count_words(commit)
    for first, second in combinations(commit.edits, 2):
        if is_clone(first, second):
            yield from _both(first, second, Reason.CLONE)
        yield from _moves(first, second)
        common = homonyms.common(first.idx, second.idx, names[first.idx] & names[second.idx])
        akin = partial(homonyms.akin, first.idx, second.idx)
        for renamed in _renamed(changes[first.idx], changes[second.idx], common, akin):
            yield from _both(first, second, Reason.RENAME, renamed)
        in_code = (name for name in common - _shared_prose(first, second, prose) if words[name] <= _RARE)
        rare = [name for name in in_code if not homonyms.vague(first.idx, second.idx, name)]
        if rare:
            yield from _both(first, second, Reason.RARE_NAME, _rarest(rare, words))
        if common and first.path == second.path and second.idx == first.idx + 1:
            yield from _both(first, second, Reason.NEIGHBOUR, _rarest(common, words))


def _renamed(mine: Change, theirs: Change, common: Collection[str], akin: Callable[[str], bool]) -> Iterator[str]:
    """What two edits rename alike: the words that both remove, and each old name that both replace by one new name."""
    if common and mine.removed and mine.removed == theirs.removed:
        yield " ".join(mine.removed)
    for old, new in sorted(mine.renames & theirs.renames):
        if any(name in common or akin(name) for name in (old, new)):
            yield old


def _rarest(names: Iterable[str], words: Mapping[str, int]) -> str:
    return min(names, key=lambda name: (words[name], name))


def _words_of(edit: Edit, versions: Sequence[Mentions]) -> Words | None:
    """The words of an edit in both versions, None where its language is not understood."""
    known = [mentions.words[edit.idx] for mentions in versions if edit.idx in mentions.words]
    return reduce(or_, known) if known else None


def _shared_prose(first: Edit, second: Edit, words: Sequence[Words | None]) -> frozenset[str]:
    """Return words that are code in one of two files and that only comments and sentences of the other mention."""
    mine, theirs = words[first.idx], words[second.idx]
    if first.path == second.path or mine is None or theirs is None:
        return frozenset()
    return (mine.mentioned & theirs.code) | (theirs.mentioned & mine.code)


def is_clone(first: Edit, second: Edit) -> bool:
    """Whether two edits of one kind do nearly the same to nearly the same lines."""
    if first.kind != second.kind:
        return False
    return all(
        not mine or _ratio(mine, theirs) > _CLONE
        for mine, theirs in ((first.before, second.before), (first.after, second.after))
    )


def _moves(first: Edit, second: Edit) -> Iterator[Edge]:
    for cut, paste in ((first, second), (second, first)):
        if cut.kind == EditKind.DELETE and paste.kind == EditKind.INSERT and _ratio(cut.before, paste.after) > _MOVE:
            yield Edge(cut.idx, paste.idx, Reason.MOVE, _STRENGTH[Reason.MOVE], _first_line(cut.before))


def _both(first: Edit, second: Edit, reason: Reason, detail: str = "") -> Iterator[Edge]:
    yield Edge(first.idx, second.idx, reason, _STRENGTH[reason], detail)
    yield Edge(second.idx, first.idx, reason, _STRENGTH[reason], detail)


def _ratio(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    from rapidfuzz.fuzz import ratio

    return ratio("".join(first).strip(), "".join(second).strip(), score_cutoff=min(_CLONE, _MOVE))


def _first_line(lines: tuple[str, ...]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")
