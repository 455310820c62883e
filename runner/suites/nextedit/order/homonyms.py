"""Names that stand in two edits and mean two things: alike by chance, they relate nothing."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

from runner.suites.nextedit.order.linking import Symbol
from runner.suites.nextedit.order.names import FileNames, Name, Role
from runner.suites.nextedit.order.symbols import Mention, Mentions

_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class _Sense:
    """What a word means in an edit and a version, if it is `said` there.

    `open` where one of its occurrences may mean anything of that name, `path` where one is part of a module's path:
    what lies in the module and has its name is another thing. `functions` are those in which it means something.
    """

    symbols: set[Symbol] = field(default_factory=set)
    open: bool = False
    said: bool = False
    path: bool = False
    functions: set[tuple[str, int]] = field(default_factory=set)
    roles: set[Role] = field(default_factory=set)


_UNSAID = _Sense()


class Homonyms:
    """Tells words of two edits apart."""

    def __init__(self, versions: Sequence[Mentions]) -> None:
        """Take what the edits speak of, before and after."""
        self._versions = versions
        self._senses = [_senses(mentions) for mentions in versions]

    def apart(self, one: int, two: int, word: str) -> bool:
        """Whether a word surely means one thing in edit `one` and another in edit `two`."""
        mine = [senses.get((one, word), _UNSAID) for senses in self._senses]
        theirs = [senses.get((two, word), _UNSAID) for senses in self._senses]
        if any(sense.open for sense in (*mine, *theirs)):
            return False
        if any(one.functions & two.functions for one, two in zip(mine, theirs, strict=True)):
            # Within a function a field and a variable of its name have to do with each other.
            return False
        together = [(one.symbols, two.symbols) for one, two in zip(mine, theirs, strict=True) if one.said and two.said]
        if together:
            return not any(one & two for one, two in together)
        # One stood before, the other stands after: what has moved may be the same, but for what is local elsewhere.
        mine_all, theirs_all = ({symbol for sense in those for symbol in sense.symbols} for those in (mine, theirs))
        paths = [{symbol[1] for symbol in those if symbol[0] == "local"} for those in (mine_all, theirs_all)]
        local = all(symbol[0] == "local" for symbol in mine_all | theirs_all)
        return bool(mine_all and theirs_all and local and not paths[0] & paths[1])

    def vague(self, one: int, two: int, word: str) -> bool:
        """Whether a word is in both edits but a member that no touched file has, or in both but a key."""
        mine, theirs = ([senses.get((edit, word), _UNSAID) for senses in self._senses] for edit in (one, two))
        roles = [{role for sense in each for role in sense.roles} for each in (mine, theirs)]
        known = any(sense.symbols for sense in (*mine, *theirs))
        return roles[0] == roles[1] and roles[0] in ({Role.MEMBER}, {Role.KEY}) and not known

    def akin(self, one: int, two: int, word: str) -> bool:
        """Whether a word names a member of a class in one edit and of an heir in the other, or modules in both."""
        for mentions, senses in zip(self._versions, self._senses, strict=True):
            both = [senses.get((edit, word), _UNSAID) for edit in (one, two)]
            mine, theirs = map(_owners, both)
            if all(sense.path for sense in both) or any(
                mentions.inherits(*pair) or mentions.inherits(*pair[::-1]) for pair in product(mine, theirs)
            ):
                return True
        return False

    def common(self, one: int, two: int, words: Iterable[str]) -> frozenset[str]:
        """The words that may mean the same in both edits."""
        return frozenset(word for word in words if not self.apart(one, two, word))


def _owners(sense: _Sense) -> set[str]:
    return {symbol[2] for symbol in sense.symbols if symbol[0] == "field"}


def _senses(mentions: Mentions) -> dict[tuple[int, str], _Sense]:
    found: dict[tuple[int, str], _Sense] = defaultdict(_Sense)
    shared = {
        each.text for names in mentions.files.values() for each in names.names if each.scope == 0 and each.defines
    }
    for mention in mentions.mentions:
        sense = found[mention.edit, mention.name.text]
        sense.said = True
        sense.symbols |= mention.symbols
        sense.roles.add(mention.name.role)
        function = mentions.files[mention.path].enclosing_function(mention.name.scope)
        if function >= 0 and mention.symbols:
            sense.functions.add((mention.path, function))
        sense.open |= _is_open(mentions.files[mention.path], mention, shared)
    for mention in mentions.mentions:
        for word in _WORD.findall(mention.name.module):
            found[mention.edit, word].said = found[mention.edit, word].path = True
            found[mention.edit, word].roles.add(Role.IMPORT)
    return found


def _is_open(names: FileNames, mention: Mention, shared: Collection[str]) -> bool:
    """Whether a name may mean what others of its spelling mean.

    Parameters of named functions are so: what is handed on often keeps its name. A plain name that its file does not
    bind is one of the language's own, or one that a file of the commit has.
    """
    name = mention.name
    binding = names.binding(name.text, name.scope) if name.role in {Role.USE, Role.EXPORT} else name
    if binding is None and not mention.symbols:
        known = names.language.known
        return name.text in shared or (known is not None and name.text not in known)
    return not mention.sure or name.role == Role.KEYWORD or (binding is not None and _handed_on(names, binding))


def _handed_on(names: FileNames, definition: Name) -> bool:
    return definition.parameter and names.scopes[definition.scope].owner != ""
