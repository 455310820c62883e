"""Edits that are alike or lie together: clones, cut and paste, renames, rare names, neighbours.

Clones and cut and paste follow EditFlow's rules and thresholds; its rule for neighbours is narrowed to those that
change a common name, and renames and rare names are ours.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import combinations
from operator import or_

from runner.suites.nextedit.commits import Commit, Edit, Kind
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


def likeness_edges(commit: Commit, versions: Sequence[Mentions]) -> Iterator[Edge]:
    """The edges between edits that are alike; both ways, but for cut and paste, which begins with the cut."""
    homonyms = Homonyms(versions)
    changes = [change_of(edit) for edit in commit.edits]
    said = [_words_of(edit, versions) for edit in commit.edits]
    names = [each.names & told.names if told else each.names for each, told in zip(changes, said, strict=True)]
    words = count_words(commit)
    for one, two in combinations(commit.edits, 2):
        if is_clone(one, two):
            yield from _both(one, two, Reason.CLONE)
        yield from _moves(one, two)
        common = homonyms.common(one.idx, two.idx, names[one.idx] & names[two.idx])
        akin = partial(homonyms.akin, one.idx, two.idx)
        for renamed in _renamed(changes[one.idx], changes[two.idx], common, akin):
            yield from _both(one, two, Reason.RENAME, renamed)
        in_code = (name for name in common - _told_of(one, two, said) if words[name] <= _RARE)
        rare = [name for name in in_code if not homonyms.vague(one.idx, two.idx, name)]
        if rare:
            yield from _both(one, two, Reason.RARE_NAME, _rarest(rare, words))
        if common and one.path == two.path and two.idx == one.idx + 1:
            yield from _both(one, two, Reason.NEIGHBOUR, _rarest(common, words))


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


def _told_of(one: Edit, two: Edit, said: Sequence[Words | None]) -> frozenset[str]:
    """The words that are code in one of two files and that only comments and sentences of the other tell of."""
    mine, theirs = said[one.idx], said[two.idx]
    if one.path == two.path or mine is None or theirs is None:
        return frozenset()
    return (mine.told & theirs.code) | (theirs.told & mine.code)


def is_clone(one: Edit, two: Edit) -> bool:
    """Whether two edits of one kind do nearly the same to nearly the same lines."""
    if one.kind != two.kind:
        return False
    return all(
        not mine or _ratio(mine, theirs) > _CLONE for mine, theirs in ((one.before, two.before), (one.after, two.after))
    )


def _moves(one: Edit, two: Edit) -> Iterator[Edge]:
    for cut, paste in ((one, two), (two, one)):
        if cut.kind == Kind.DELETE and paste.kind == Kind.INSERT and _ratio(cut.before, paste.after) > _MOVE:
            yield Edge(cut.idx, paste.idx, Reason.MOVE, _STRENGTH[Reason.MOVE], _first_line(cut.before))


def _both(one: Edit, two: Edit, reason: Reason, detail: str = "") -> Iterator[Edge]:
    yield Edge(one.idx, two.idx, reason, _STRENGTH[reason], detail)
    yield Edge(two.idx, one.idx, reason, _STRENGTH[reason], detail)


def _ratio(one: tuple[str, ...], two: tuple[str, ...]) -> float:
    from rapidfuzz.fuzz import ratio

    return ratio("".join(one).strip(), "".join(two).strip(), score_cutoff=min(_CLONE, _MOVE))


def _first_line(lines: tuple[str, ...]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")
