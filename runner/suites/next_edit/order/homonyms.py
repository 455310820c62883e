"""Names that stand in two edits and mean two things: alike by chance, they relate nothing."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from runner.suites.next_edit.order.linking import Symbol
from runner.suites.next_edit.order.names import FileNames, Name, Role
from runner.suites.next_edit.order.symbols import Mention, Spoken


@dataclass(slots=True)
class _Sense:
    """What a word means in an edit and a version, if it is `said` there.

    `open` where one of its occurrences may mean anything of that name.
    """

    symbols: set[Symbol] = field(default_factory=set)
    open: bool = False
    said: bool = False


_UNSAID = _Sense()


class Homonyms:
    """Tells words of two edits apart."""

    def __init__(self, saids: Sequence[Spoken]) -> None:
        """Take what the edits speak of, before and after."""
        self._senses = [_senses(said) for said in saids]

    def apart(self, one: int, two: int, word: str) -> bool:
        """Whether a word surely means one thing in edit `one` and another in edit `two`."""
        mine = [senses.get((one, word), _UNSAID) for senses in self._senses]
        theirs = [senses.get((two, word), _UNSAID) for senses in self._senses]
        if any(sense.open for sense in (*mine, *theirs)):
            return False
        together = [(one.symbols, two.symbols) for one, two in zip(mine, theirs, strict=True) if one.said and two.said]
        if together:
            return not any(one & two for one, two in together)
        # One stood before, the other stands after: what has moved may be the same, but for what is local elsewhere.
        mine_all, theirs_all = ({symbol for sense in those for symbol in sense.symbols} for those in (mine, theirs))
        paths = [{symbol[1] for symbol in those if symbol[0] == "local"} for those in (mine_all, theirs_all)]
        local = all(symbol[0] == "local" for symbol in mine_all | theirs_all)
        return bool(mine_all and theirs_all and local and not paths[0] & paths[1])

    def common(self, one: int, two: int, words: Iterable[str]) -> frozenset[str]:
        """The words that may mean the same in both edits."""
        return frozenset(word for word in words if not self.apart(one, two, word))


def _senses(said: Spoken) -> dict[tuple[int, str], _Sense]:
    found: dict[tuple[int, str], _Sense] = defaultdict(_Sense)
    shared = {each.text for names in said.files.values() for each in names.names if each.scope == 0 and each.defines}
    for mention in said.mentions:
        sense = found[mention.edit, mention.name.text]
        sense.said = True
        sense.symbols |= mention.symbols
        sense.open |= _is_open(said.files[mention.path], mention, shared)
    return found


def _is_open(names: FileNames, mention: Mention, shared: Collection[str]) -> bool:
    """Whether a name may mean what others of its spelling mean.

    Parameters of named functions are so: what is handed on often keeps its name. A plain name that its file does not
    bind is one of the language's own, or one that a file of the commit has.
    """
    name = mention.name
    binding = names.binding(name.text, name.scope) if name.role == Role.USE else name
    if binding is None and not mention.symbols:
        known = names.language.known
        return name.text in shared or (known is not None and name.text not in known)
    return not mention.sure or name.role == Role.KEYWORD or (binding is not None and _handed_on(names, binding))


def _handed_on(names: FileNames, definition: Name) -> bool:
    return definition.parameter and names.scopes[definition.scope].owner != ""
