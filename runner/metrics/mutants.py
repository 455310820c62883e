"""Answers where no model gave any: wrong, partial and equivalent variants of the reference edit."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from runner.metrics.alignment import align, intern
from runner.metrics.labelled_answers import Problem

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]+")
_ASSIGNED = re.compile(r"^\s*(?:for\s+)?([a-z_]\w*)\s*(?:=(?!=)|\bin\b)", re.MULTILINE)
_OTHERS = {
    "+": "-",
    "-": "+",
    "*": "//",
    "//": "*",
    "%": "//",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "and": "or",
    "or": "and",
    "not": "",
    "True": "False",
    "False": "True",
    "min": "max",
    "max": "min",
    "append": "extend",
    "continue": "break",
    "return": "yield",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A text that answers a problem, made by one kind of change."""

    problem: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class _Hunk:
    """A piece of the edit: `old` of the origin's parts became `new` of the reference's."""

    old: slice
    new: slice


def mutants(problem: Problem, *, rounds: int, seed: int) -> Iterator[Mutant]:
    """Up to `rounds` different mutants of each kind, none of them the reference; the seed settles them.

    Only the tests show which are right: an equivalent variant may break something, and a wrong one nothing.
    """
    random = Random(f"{seed}/{problem.name}")
    reference = problem.references[0]
    seen = {reference}
    for kind, make in KINDS.items():
        for _ in range(rounds):
            text = make(problem.origin, reference, random)
            if text is not None and text not in seen:
                seen.add(text)
                yield Mutant(problem.name, kind, text)


def _nothing(origin: str, _reference: str, _random: Random) -> str | None:
    return origin


def _some_hunks(origin: str, reference: str, random: Random) -> str | None:
    return _partly(origin.splitlines(keepends=True), reference.splitlines(keepends=True), random)


def _token_undone(origin: str, reference: str, random: Random) -> str | None:
    old, new = _TOKEN.findall(origin), _TOKEN.findall(reference)
    hunks = _hunks(old, new)
    undone = random.randrange(len(hunks)) if hunks else 0
    return _applied(old, new, hunks, {at for at in range(len(hunks)) if at != undone})


def _partly(old: Sequence[str], new: Sequence[str], random: Random) -> str | None:
    hunks = _hunks(old, new)
    if len(hunks) < 2:
        return None
    return _applied(old, new, hunks, set(random.sample(range(len(hunks)), random.randrange(1, len(hunks)))))


def _wrong_in_edit(origin: str, reference: str, random: Random) -> str | None:
    return _wrong(origin, reference, random, inside=True)


def _wrong_elsewhere(origin: str, reference: str, random: Random) -> str | None:
    return _wrong(origin, reference, random, inside=False)


def _wrong(origin: str, reference: str, random: Random, *, inside: bool) -> str | None:
    """Return the reference with one operator, number or name exchanged, inside or outside of what was edited."""
    old, new = _TOKEN.findall(origin), _TOKEN.findall(reference)
    edited = {at for hunk in _hunks(old, new) for at in range(len(new))[hunk.new]}
    names = sorted({token for token in new if token.isidentifier() and token not in _OTHERS})
    places = [at for at, token in enumerate(new) if (at in edited) is inside and not token.isspace()]
    random.shuffle(places)
    for at in places:
        other = _exchanged(new[at], names, random)
        if other is not None:
            return "".join([*new[:at], other, *new[at + 1 :]])
    return None


def _exchanged(token: str, names: Sequence[str], random: Random) -> str | None:
    if token in _OTHERS:
        return _OTHERS[token]
    if token.isdecimal():
        return str(abs(int(token) + random.choice([-1, 1])))
    # One name in three: exchanged names mostly crash, which is the easiest mistake to see.
    if token in names and random.random() < 1 / 3:
        return random.choice(names)
    return None


def _line_moved(origin: str, reference: str, random: Random) -> str | None:
    """Return the reference with an edited line and the line after it exchanged."""
    lines = reference.splitlines(keepends=True)
    edited = [at for at in _edited_lines(origin, lines) if at + 1 < len(lines)]
    if not edited:
        return None
    at = random.choice(edited)
    return "".join([*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]])


def _line_deleted(origin: str, reference: str, random: Random) -> str | None:
    """Return the reference without one of the lines of the edit."""
    lines = reference.splitlines(keepends=True)
    edited = _edited_lines(origin, lines)
    if not edited:
        return None
    at = random.choice(edited)
    return "".join([*lines[:at], *lines[at + 1 :]])


def _renamed(_origin: str, reference: str, random: Random) -> str | None:
    """Return the reference with one of its local names spelt differently throughout."""
    names = sorted(set(_ASSIGNED.findall(reference)))
    if not names:
        return None
    name = random.choice(names)
    return re.sub(rf"\b{name}\b", f"{name}_{random.choice(['now', 'here', 'one'])}", reference)


def _superfluous(origin: str, reference: str, random: Random) -> str | None:
    """Return the reference with an unneeded statement before an edited line."""
    lines = reference.splitlines(keepends=True)
    edited = [at for at in _edited_lines(origin, lines) if lines[at].strip()]
    if not edited:
        return None
    at = random.choice(edited)
    indentation = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    statement = random.choice(["unused = None", "pass", "noted = []"])
    return "".join([*lines[:at], f"{indentation}{statement}\n", *lines[at:]])


KINDS: dict[str, Callable[[str, str, Random], str | None]] = {
    "nothing": _nothing,
    "some-hunks": _some_hunks,
    "token-undone": _token_undone,
    "wrong-in-edit": _wrong_in_edit,
    "wrong-elsewhere": _wrong_elsewhere,
    "line-moved": _line_moved,
    "line-deleted": _line_deleted,
    "renamed": _renamed,
    "superfluous": _superfluous,
}


def _hunks(old: Sequence[str], new: Sequence[str]) -> list[_Hunk]:
    kept_old, kept_new = align(*intern(old, new))
    hunks = []
    at_old = at_new = 0
    for keep_old, keep_new in zip([*kept_old, len(old)], [*kept_new, len(new)], strict=True):
        if keep_old > at_old or keep_new > at_new:
            hunks.append(_Hunk(slice(at_old, keep_old), slice(at_new, keep_new)))
        at_old, at_new = keep_old + 1, keep_new + 1
    return hunks


def _applied(old: Sequence[str], new: Sequence[str], hunks: Sequence[_Hunk], chosen: set[int]) -> str:
    """Return the old text with the chosen hunks applied."""
    parts: list[str] = []
    done = 0
    for number, hunk in enumerate(hunks):
        parts += old[done : hunk.old.start]
        parts += new[hunk.new] if number in chosen else old[hunk.old]
        done = hunk.old.stop
    return "".join([*parts, *old[done:]])


def _edited_lines(origin: str, lines: Sequence[str]) -> list[int]:
    hunks = _hunks(origin.splitlines(keepends=True), lines)
    return [at for hunk in hunks for at in range(len(lines))[hunk.new]]
