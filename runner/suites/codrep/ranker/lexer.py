"""Tokens of a program in a language of the C family, and what kind of word each of them is.

The grammar is loose on purpose: it never fails, needs no parser, and reads a line of a comment like code.
"""

import re
from enum import IntEnum
from functools import lru_cache

TOKEN = re.compile(
    r"""[A-Za-z_$][\w$]*
    | [.();,{}\[\]@\n]
    | "(?:[^"\\\n]|\\.)*"
    | '(?:[^'\\\n]|\\[^'\n]+|\\')'
    | \d[\w.]*
    | &&|\|\||\+\+|--|->|::|//|/\*|\*/|[=!<>+\-*/%&|^]=
    | [^\s\w]
    | \w""",
    re.VERBOSE,
)
NEWLINE = "\n"

SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


# Files share most of their words; a few megabytes at most.
REMEMBERED = 1 << 15


class WordKind(IntEnum):
    """What a word is."""

    NEWLINE = 0
    NAME = 1
    TYPE = 2
    CONSTANT = 3
    KEYWORD = 4
    PRIMITIVE = 5
    NUMBER = 6
    STRING = 7
    PUNCTUATION = 8


PRIMITIVES = frozenset(
    "boolean bool byte char double float int long short void unsigned signed string var let auto".split()  # noqa: SIM905 - words read better so
)
KEYWORDS = frozenset(
    """abstract and as assert async await break case catch class const continue def default delete do elif else enum
    except export extends false final finally fn for from func function goto if impl implements import in instanceof
    interface is lambda namespace native new nil None not null or package pass private protected public pub raise
    return self static strictfp struct super switch synchronized template this throw throws transient true True False
    try typedef typeof use using virtual volatile where while with yield""".split()  # noqa: SIM905 - the same
)


@lru_cache(REMEMBERED)
def kind_of(word: str) -> WordKind:
    """The kind of a token that `TOKEN` found."""
    head = word[0]
    if head.isalpha() or head in "_$":
        return _kind_of_name(word)
    if head.isdigit():
        return WordKind.NUMBER
    if head in "\"'":
        return WordKind.STRING if len(word) > 1 else WordKind.PUNCTUATION
    return WordKind.NEWLINE if word == NEWLINE else WordKind.PUNCTUATION


def _kind_of_name(word: str) -> WordKind:
    if word in KEYWORDS:
        return WordKind.KEYWORD
    if word in PRIMITIVES:
        return WordKind.PRIMITIVE
    if word.isupper() and len(word) > 1:
        return WordKind.CONSTANT
    return WordKind.TYPE if word[0].isupper() else WordKind.NAME


@lru_cache(REMEMBERED)
def subwords(word: str) -> tuple[str, ...]:
    """The parts of a name in lower case: `parseXMLFile2` -> parse, xml, file, 2; also the words of a string."""
    return tuple([part.lower() for part in SUBWORD.findall(word)])
