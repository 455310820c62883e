"""Names that stand in two edits and mean two different symbols: alike by chance, they relate nothing."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

from runner.suites.nextedit.order.linking import CONSTRUCTORS, Symbol
from runner.suites.nextedit.order.names import FileNames, Role
from runner.suites.nextedit.order.symbols import Mention, Mentions

_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class _Sense:
    """What a word means in an edit and a version, if it is `stated` there.

    `open` where one of its occurrences may mean anything of that name, `path` where one is part of a module's path:
    what lies in the module and has its name is another symbol. `functions` are those in which it means something.
    """

    symbols: set[Symbol] = field(default_factory=set)
    open: bool = False
    stated: bool = False
    path: bool = False
    functions: set[tuple[str, int]] = field(default_factory=set)
    roles: set[Role] = field(default_factory=set)


_NO_SENSE = _Sense()


class Homonyms:
    """Distinguishes the words of two edits."""

    def __init__(self, versions: Sequence[Mentions]) -> None:
        """Take what the edits speak of, before and after."""
        self._versions = versions
        self._senses = [_senses(mentions) for mentions in versions]

    def apart(self, left: int, right: int, word: str) -> bool:
        """Whether a word surely means different symbols in edits `left` and `right`."""
        mine, theirs = self._of(left, word), self._of(right, word)
        if any(sense.open for sense in (*mine, *theirs)):
            return False
        versions = list(zip(mine, theirs, strict=True))
        if any(before.functions & after.functions for before, after in versions):
            # Within a function a field and a variable of its name have to do with each other.
            return False
        in_both = [(before, after) for before, after in versions if before.stated and after.stated]
        if in_both:
            return not any(before.symbols & after.symbols for before, after in in_both)
        return _apart_across_versions(_symbols(mine), _symbols(theirs))

    def vague(self, left: int, right: int, word: str) -> bool:
        """Whether a word is in both edits but a member that no touched file has, or in both but a key."""
        mine, theirs = self._of(left, word), self._of(right, word)
        roles = _roles(mine)
        if roles != _roles(theirs) or roles not in ({Role.MEMBER}, {Role.KEY}):
            return False
        return not (_symbols(mine) or _symbols(theirs))

    def akin(self, left: int, right: int, word: str) -> bool:
        """Whether a word names a member of a class in one edit and of an heir in the other, or modules in both."""
        for mentions, senses in zip(self._versions, self._senses, strict=True):
            both = [senses.get((edit, word), _NO_SENSE) for edit in (left, right)]
            if all(sense.path for sense in both):
                return True
            for mine, theirs in product(*map(_owners, both)):
                if mentions.inherits(mine, theirs) or mentions.inherits(theirs, mine):
                    return True
        return False

    def common(self, left: int, right: int, words: Iterable[str]) -> frozenset[str]:
        """The words that may mean the same in both edits."""
        return frozenset(word for word in words if not self.apart(left, right, word))

    def _of(self, edit: int, word: str) -> list[_Sense]:
        """What a word means in an edit, version by version."""
        return [senses.get((edit, word), _NO_SENSE) for senses in self._senses]


def _apart_across_versions(mine: set[Symbol], theirs: set[Symbol]) -> bool:
    """Whether a word that one edit has before and the other after means two symbols: what is local to two files does.

    Anything else may be one symbol that has moved.
    """
    if not mine or not theirs or any(symbol[0] != "local" for symbol in mine | theirs):
        return False
    return {symbol[1] for symbol in mine}.isdisjoint(symbol[1] for symbol in theirs)


def _symbols(versions: Iterable[_Sense]) -> set[Symbol]:
    """All that a word may mean in any of its versions."""
    return {symbol for sense in versions for symbol in sense.symbols}


def _roles(versions: Iterable[_Sense]) -> set[Role]:
    return {role for sense in versions for role in sense.roles}


def _owners(sense: _Sense) -> set[str]:
    return {symbol[2] for symbol in sense.symbols if symbol[0] == "field"}


def _senses(mentions: Mentions) -> dict[tuple[int, str], _Sense]:
    senses: dict[tuple[int, str], _Sense] = defaultdict(_Sense)
    shared = _shared(mentions)
    for mention in mentions.mentions:
        sense = senses[mention.edit, mention.name.text]
        sense.stated = True
        sense.symbols |= mention.symbols | _fields_of(mentions.files[mention.path], mention)
        sense.roles.add(mention.name.role)
        function = mentions.files[mention.path].enclosing_function(mention.name.scope)
        if function >= 0 and mention.symbols:
            sense.functions.add((mention.path, function))
        sense.open |= _is_open(mentions.files[mention.path], mention, shared)
    for mention in mentions.mentions:
        for word in _WORD.findall(mention.name.module):
            senses[mention.edit, word].stated = senses[mention.edit, word].path = True
            senses[mention.edit, word].roles.add(Role.IMPORT)
    return senses


def _fields_of(names: FileNames, mention: Mention) -> set[Symbol]:
    """The field that a constructor makes of a parameter, if it is called like it."""
    name = mention.name
    if not name.parameter or name.scope < 0:
        return set()
    function, owner = names.scopes[name.scope].owner, names.enclosing_class(name.scope)
    if not owner or function not in {*CONSTRUCTORS, owner}:
        return set()
    return {("field", names.place(mention.path), owner, name.text)}


def _shared(mentions: Mentions) -> set[str]:
    """The names that any touched file defines for others: those of its outermost scope."""
    return {name.text for names in mentions.files.values() for name in names.names if name.scope == 0 and name.defines}


def _is_open(names: FileNames, mention: Mention, shared: Collection[str]) -> bool:
    """Whether a name may mean what others of its spelling mean.

    A plain name that its file does not bind is one of the language's own, or one that a file of the commit has.
    """
    name = mention.name
    binding = names.binding(name.text, name.scope) if name.role in {Role.USE, Role.EXPORT, Role.DOCUMENT} else name
    if binding is None and not mention.symbols:
        known = names.language.known
        return name.text in shared or (known is not None and name.text not in known)
    return not mention.sure or (name.role == Role.KEYWORD and not mention.symbols)
