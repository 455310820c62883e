"""Mutants: right fillings with one small fault each, which strong tests refuse (DeMillo, Lipton and Sayward 1978)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from keyword import iskeyword

from runner.suites.completion.holes import EMPTY, Hole

# Texts and comments are passed over; the longest operators come first.
_TOKEN = re.compile(
    r"""(?P<skipped>\#[^\n]*|[A-Za-z]{0,2}(?:'{3}.*?'{3}|"{3}.*?"{3})|[A-Za-z]{1,2}(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))
    | (?P<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")
    | (?P<number>\d[\w.]*)
    | (?P<word>[^\W\d]\w*)
    | (?P<sign>->|:=|\*\*=?|//=?|<<=?|>>=?|[=!<>+\-*/%&|^@]=|[-+*/%<>&|^@=~]|[^\s\w])""",
    re.VERBOSE | re.DOTALL,
)
_SWAPS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
    "+": "-", "-": "+", "*": "+", "/": "*", "//": "*", "%": "*", "+=": "-=", "-=": "+=", "*=": "+=", "&": "|", "|": "&",
    "and": "or", "or": "and", "True": "False", "False": "True", "break": "continue", "continue": "break", "not": "",
}  # fmt: skip
# Behind these a sign stands between two values.
_ENDS_A_VALUE = re.compile(r"[\w)\]}'\"]$")
_BINARY = frozenset("*&|")
# A name that is read: no attribute, and neither called, bound, nor looked into.
_READ_BEFORE = re.compile(r"(?:^|[^\w.\s]|\b(?:return|and|or|not|in|is|if|while|yield|else|await))\s*$")
_READ_AFTER = re.compile(r"\s*(?:$|[),\]}:\n]|[-+*/%<>]|[=!]=|(?:and|or|in|is|if|else)\b)")


@dataclass(frozen=True, slots=True)
class HoleMutant:
    """A right filling with one fault: `old` of its line `line`, counted from 1, is `new`; `text` is the whole."""

    line: int
    old: str
    new: str
    text: str


def mutants_of(hole: Hole, data: bytes) -> list[HoleMutant]:
    """Return the mutants of what stands in a hole, in an order by chance that depends on the hole alone.

    Comparisons and arithmetic are exchanged, `and` with `or`, `True` with `False`, `break` with `continue`; `not` and
    `return` are left out; whole numbers and texts grow by one. Last come names that are read: `None` is in their place.
    Not each of them has to compile.
    """
    if hole.kind == EMPTY:
        return []
    truth = data[hole.span.start : hole.span.end].decode()
    return sorted(_mutants(truth), key=lambda mutant: (mutant.new == "None", _draw(hole, mutant)))


def _mutants(truth: str) -> Iterator[HoleMutant]:
    for token in _TOKEN.finditer(truth):
        old, at = token[0], token.start()
        new = _changed(token, truth)
        if new is not None:
            yield HoleMutant(truth.count("\n", 0, at) + 1, old, new, truth[:at] + new + truth[token.end() :])


def _changed(token: "re.Match[str]", truth: str) -> str | None:
    """Return what stands in place of a token; None where it stays."""
    old = token[0]
    match token.lastgroup:
        case "number":
            return str(int(old) + 1) if old.isdecimal() and old.isascii() and len(old) < 10 else None
        case "text":
            return f"{old[:-1]}_{old[-1]}"
        case "word":
            return _changed_word(token, truth)
        case "sign":
            stands_alone = old in _BINARY and not _ENDS_A_VALUE.search(truth[: token.start()].rstrip(" \t"))
            return None if stands_alone else _SWAPS.get(old)
        case _:
            return None


def _changed_word(token: "re.Match[str]", truth: str) -> str | None:
    old = token[0]
    if old == "return":
        rest = truth[token.end() :].partition("\n")[0].strip()
        return "" if rest and not rest.startswith(("#", ";")) else None
    if old in _SWAPS or iskeyword(old):
        return _SWAPS.get(old)
    is_read = _READ_BEFORE.search(truth[: token.start()]) and _READ_AFTER.match(truth, token.end())
    return "None" if is_read else None


def _draw(hole: Hole, mutant: HoleMutant) -> str:
    return sha256(f"{hole.file}|{hole.span.start}|{mutant.text}".encode()).hexdigest()
