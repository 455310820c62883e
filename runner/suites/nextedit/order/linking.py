"""What a name of one file means, given the names of all touched files: the symbols it may stand for.

Scopes and imports are followed, and the types of receivers as far as they are declared: a member whose receiver is
unknown may belong to any class of the commit that has such a member.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from runner.suites.nextedit.order.modules import imported_files, is_library
from runner.suites.nextedit.order.names import DEFAULT, FileNames, Name, Role

Symbol = tuple[str, ...]
# A member of so many classes says little about which of them is meant.
_MANY_OWNERS = 3
# What begins a text, a list, an object or a tag, none of a class of ours, and a call that may make one that is.
_LITERAL = tuple("\"'`[{<0123456789")
_MADE = re.compile(r"(?:new\s+)?((?:\w+\.)*\w+)\([^()]*\)")
_REQUIRED = re.compile(r"require\(\s*['\"]([^'\"]+)['\"]\s*\)")
CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor"})


@dataclass(frozen=True, slots=True)
class Meaning:
    """The symbols that a name may mean; not `sure` where that rests on the name alone."""

    symbols: frozenset[Symbol] = frozenset()
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Owner:
    """A class, by the file or folder that its name is known in."""

    place: str
    name: str


class Linker:
    """Finds the symbols that names of several files mean.

    A symbol is a tuple: ("global", place, name), ("local", path, scope, name), ("field", place, class, name),
    ("module", path), ("passed", path, name) for what a file got from elsewhere and others take from it, or
    ("foreign", path, module, name) for what no touched file defines.
    """

    def __init__(self, files: Mapping[str, FileNames], former: Mapping[str, str] | None = None) -> None:
        """Index the definitions of the files; `former` are the paths at which imports knew files that have moved."""
        self.files = files
        self._former = former or {}
        self._at = {self._former.get(path, path): path for path in files}
        self.shared: set[Symbol] = set()
        self.shared_texts: set[str] = set()
        self.owners: dict[str, set[Owner]] = defaultdict(set)
        self.makers: dict[str, set[Owner]] = defaultdict(set)
        self.parameters: dict[tuple[str, str], set[Symbol]] = defaultdict(set)
        self.functions: dict[Symbol, list[tuple[str, int]]] = defaultdict(list)
        self.places: dict[tuple[str, int], dict[int, str]] = defaultdict(dict)
        self.types: dict[tuple[str, str], tuple[str, Name]] = {}
        self.returns: dict[Symbol, str] = {}
        self._targets: dict[tuple[str, str], tuple[str, ...]] = {}
        self.heirs = frozenset(pair for names in files.values() for pair in names.heirs)
        for path, names in files.items():
            for name in names.names:
                self._index(path, names, name)

    def _index(self, path: str, names: FileNames, name: Name) -> None:
        if name.role == Role.PART:
            self.makers[name.text].add(self.owner(path, name.owner))
        elif name.role == Role.FIELD:
            self.owners[name.text].add(self.owner(path, name.owner))
            if name.type:
                self.types.setdefault((name.owner, name.text), (path, name))
        elif name.role == Role.DEFINE and name.scope == 0:
            self.shared.add(self._global(path, name.text))
            self.shared_texts.add(name.text)
        if name.type and not name.type.endswith("?") and name.role in {Role.FIELD, Role.DEFINE}:
            self.returns.update(dict.fromkeys(self.meaning(path, name).symbols, name.type))
        self._index_function(path, names, name)

    def _index_function(self, path: str, names: FileNames, name: Name) -> None:
        """Index what calls may be of, and what they may hand over by name."""
        if name.opens >= 0:
            for symbol in self.meaning(path, name).symbols:
                self.functions[symbol].append((path, name.opens))
        if name.parameter and name.scope >= 0:
            self.places[path, name.scope][name.place] = name.text
            function = names.scopes[name.scope].owner
            callee = names.enclosing_class(name.scope) if function in CONSTRUCTORS else function
            self.parameters[callee, name.text].add(("local", path, str(name.scope), name.text))

    def meaning(self, path: str, name: Name) -> Meaning:
        """What a name of a file may mean."""
        match name.role:
            case Role.DEFINE:
                return Meaning(self._defined(path, name))
            case Role.FIELD | Role.PART:
                return Meaning(_fields([self.owner(path, name.owner)], name.text))
            case Role.IMPORT:
                return Meaning(self._imported(path, name))
            case Role.MODULE:
                return Meaning(frozenset(("module", file) for file in self._files_of(name.text, path)))
            case Role.MEMBER | Role.KEY:
                return self._member(path, name)
            case Role.KEYWORD | Role.ARGUMENT:
                return self._keyword(name) if name.role == Role.KEYWORD else self._argument(path, name)
            case Role.USE | Role.EXPORT | Role.DOCUMENT:
                return self._used(path, name)

    def owner(self, path: str, name: str) -> Owner:
        """The class of a name as a file knows it."""
        return Owner(path if name.startswith("?") else self._place(path), name)

    def _place(self, path: str) -> str:
        return self.files[path].place(path)

    def _global(self, path: str, text: str) -> Symbol:
        return ("global", self._place(path), text)

    def _defined(self, path: str, name: Name) -> frozenset[Symbol]:
        if name.scope:
            return frozenset({("local", path, str(name.scope), name.text)})
        default = self.files[path].bound.get((0, DEFAULT))
        if default is not None and name.text in {DEFAULT, default.original}:
            return frozenset({self._global(path, name.text), self._global(path, DEFAULT), ("module", path)})
        return frozenset({self._global(path, name.text)})

    def _imported(self, path: str, name: Name) -> frozenset[Symbol]:
        targets = self._files_of(name.module, path)
        if not name.original:
            return frozenset(("module", file) for file in targets or (f"{path} {name.module}",))
        symbols = {*self._static(targets, name.original), *self._exported(targets, name.original)}
        symbols = symbols or {("foreign", path, name.module, name.original)}
        return frozenset(symbols | {("passed", path, name.text)} if self._passes(path, name) else symbols)

    def _passes(self, path: str, name: Name) -> bool:
        """Whether others may take from a file what an import brings into it."""
        return name.scope == 0 and not self.files[path].language.shares_folder

    def _exported(
        self, targets: Collection[str], text: str, seen: frozenset[tuple[str, str]] = frozenset()
    ) -> set[Symbol]:
        """What files define under a name, or else what they pass on."""
        known = {self._global(target, text) for target in targets} & self.shared
        return known or self._passed_on(targets, text, seen)

    def _passed_on(self, targets: Collection[str], text: str, seen: frozenset[tuple[str, str]]) -> set[Symbol]:
        """What files that define no such name import under it, and so pass on; `seen` are those asked already."""
        symbols: set[Symbol] = set()
        for target in targets:
            binding = self.files[target].bound.get((0, text))
            if binding is None or binding.role != Role.IMPORT or (target, text) in seen:
                continue
            if not self._passes(target, binding):
                continue
            sources = self._files_of(binding.module, target)
            known = self._exported(sources, binding.original, seen | {(target, text)})
            symbols |= known | {("passed", target, text)} if known or not sources else set()
        return symbols

    def _files_of(self, module: str, path: str) -> tuple[str, ...]:
        """The touched files that an import in a file speaks of."""
        if (module, path) not in self._targets:
            importer = self._former.get(path, path)
            places = imported_files(module, importer, self.files[path].language, self._at)
            self._targets[module, path] = tuple(self._at[place] for place in places)
        return self._targets[module, path]

    def _static(self, targets: Iterable[str], text: str) -> frozenset[Symbol]:
        """The members of a class that has the imported file's own name, as Java imports them."""
        stems = {(target, PurePosixPath(target).stem) for target in targets if self.files[target].language.bare_members}
        owners = [self.owner(target, stem) for target, stem in stems]
        return _fields([owner for owner in owners if owner in self.owners[text]], text)

    def _used(self, path: str, name: Name) -> Meaning:
        names = self.files[path]
        binding = names.binding(name.text, name.scope)
        if binding is not None:
            return self.meaning(path, binding)
        shared = frozenset({self._global(path, name.text)} & self.shared)
        return Meaning(shared) if shared or not names.language.bare_members else self._bare_member(path, name)

    def _bare_member(self, path: str, name: Name) -> Meaning:
        """A member that is named without a receiver: of an ancestor, or of what a `switch` is about."""
        if name.owner:
            return self._member_of_type(path, name)
        names = self.files[path]
        # A class without a name may stand anywhere, and a class that nobody touched may inherit from any.
        heir = names.enclosing_class(name.scope)
        ancestors = {ancestor for heir_name, ancestor in names.heirs if heir_name in {heir, ""}}
        inherits = bool(ancestors) or (0, "*") in names.bound
        return self._any_member(path, name.text) if inherits else Meaning()

    def _member(self, path: str, name: Name) -> Meaning:
        known = self._known_member(path, name)
        if known is not None:
            return known
        return Meaning() if self._is_foreign(path, name) else self._member_of_type(path, name)

    def _is_foreign(self, path: str, name: Name) -> bool:
        """Whether the receiver of a member comes from a library."""
        names = self.files[path]
        binding = names.binding(name.owner.partition(".")[0], name.scope)
        if binding is None or binding.role != Role.IMPORT or self._files_of(binding.module, path):
            return False
        return is_library(binding.module, names.language)

    def _known_member(self, path: str, name: Name) -> Meaning | None:
        """A member of an object's own class, of a module or of a class that is named; None for other receivers."""
        names = self.files[path]
        if name.owner in names.language.this:
            own = self.owner(path, names.enclosing_class(name.scope))
            if own in self.owners[name.text]:
                return Meaning(_fields([own], name.text))
        if (module := _REQUIRED.fullmatch(name.owner)) is not None:
            return Meaning(frozenset(self._exported(self._files_of(module[1], path), name.text)))
        binding = names.binding(name.owner.partition(".")[0], name.scope)
        if binding is not None and binding.role == Role.IMPORT:
            targets = self._files_of(binding.module, path)
            known = {self._global(target, name.text) for target in targets} & self.shared
            if known or not (binding.original or self._is_object(targets)):
                return Meaning(frozenset(self._exported(targets, name.text)))
        named = [owner for owner in self._having(name.text) if owner.name == name.owner]
        return Meaning(_fields(named, name.text)) if named else None

    def _is_object(self, targets: Iterable[str]) -> bool:
        """Whether what files export without a name is of a known type."""
        defaults = (self.files[target].bound.get((0, DEFAULT)) for target in targets)
        return any(default is not None and default.type for default in defaults)

    def _member_of_type(self, path: str, name: Name) -> Meaning:
        """A member of what is of a known type, or else of anything."""
        kind = self._type(path, name.owner, name.scope)
        declared = kind.removesuffix("?")
        fit = [owner for owner in self._having(name.text) if declared and self._fits(declared, owner.name)]
        if fit:
            return Meaning(_fields(fit, name.text))
        return Meaning() if declared and declared == kind else self._any_member(path, name.text)

    def _having(self, text: str) -> set[Owner]:
        """The classes, and the objects by what they are called or made by, that have a member of this name."""
        return self.owners[text] | self.makers[text]

    def _fits(self, kind: str, owner: str) -> bool:
        """Whether a member of the class `owner` may be one of the type `kind`."""
        return kind == owner or (kind, owner) in self.heirs or (owner, kind) in self.heirs

    def _type(self, path: str, receiver: str, scope: int) -> str:
        """The type of a receiver such as `a` or `this.a.b`, "" where it is unknown."""
        names = self.files[path]
        if receiver[:1] in _LITERAL:
            return "literal"
        if (call := _MADE.fullmatch(receiver)) is not None:
            return self._returned(path, call[1], scope)
        first, *others = receiver.split(".")
        binding = names.binding(first, scope)
        if binding is None and first in names.language.objects:
            return first
        # What an object has of its own may come from ancestors that nobody touched.
        own = f"{names.enclosing_class(scope)}?"
        kind = own if first in names.language.this else self._declared(path, binding) if binding else ""
        for part in others:
            kind_of_part = self.types.get((kind.removesuffix("?"), part))
            if kind_of_part is None and kind and self._is_the_languages(path, Name(kind, 0, Role.USE, scope)):
                return kind
            kind = self._declared(*kind_of_part) if kind_of_part else ""
        return kind

    def _declared(self, path: str, name: Name) -> str:
        """The type of what a definition defines, or an import brings."""
        if name.role == Role.IMPORT:
            targets = [(target, self.files[target].bound) for target in self._files_of(name.module, path)]
            bindings = [(target, bound.get((0, name.original or DEFAULT))) for target, bound in targets]
            kinds = {
                self._declared(target, binding)
                for target, binding in bindings
                if binding and binding.role != Role.IMPORT
            }
            return kinds.pop() if len(kinds) == 1 else ""
        return self._returned(path, name.type[:-1], max(name.scope, 0)) if name.type.endswith("?") else name.type

    def _returned(self, path: str, callee: str, scope: int) -> str:
        """The type of what a call gives: what the function says, else what may be made of a class of its name."""
        receiver, _, text = callee.rpartition(".")
        name = Name(text, 0, Role.MEMBER if receiver else Role.USE, scope, receiver)
        meaning = self._known_member(path, name) if receiver else self._used(path, name)
        symbols = meaning.symbols if meaning is not None and meaning.sure else frozenset()
        known = {self.returns[symbol] for symbol in symbols & self.returns.keys()}
        if len(known) == 1:
            return known.pop()
        return text if not receiver and self._is_the_languages(path, name) else f"{text}?"

    def _is_the_languages(self, path: str, name: Name) -> bool:
        """Whether a plain name is one of the language's own."""
        names = self.files[path]
        if names.binding(name.text, name.scope) is not None:
            return False
        known = names.language.known
        return name.text in known if known is not None else name.text not in self.shared_texts

    def _any_member(self, path: str, text: str) -> Meaning:
        """A member of a class without a name in the same file, or else of any class that has one."""
        owners = self.owners[text]
        here = [owner for owner in owners if owner.place == path and owner.name.startswith("?")]
        if here:
            return Meaning(_fields(here, text))
        return Meaning(_fields(owners if len(owners) <= _MANY_OWNERS else (), text), sure=False)

    def _keyword(self, name: Name) -> Meaning:
        callee = name.owner.rpartition(".")[2]
        fields = _fields([owner for owner in self.owners[name.text] if owner.name == callee], name.text)
        parameter = self.parameters[callee, name.text] | fields
        return Meaning(frozenset(parameter), sure=len(parameter) == 1)

    def _argument(self, path: str, name: Name) -> Meaning:
        """The parameter that an argument given by its place is for, in every function that the call may be of."""
        receiver, _, callee = name.owner.rpartition(".")
        called = self.meaning(path, Name(callee, name.row, Role.MEMBER if receiver else Role.USE, name.scope, receiver))
        functions = (place for symbol in called.symbols for place in self.functions.get(symbol, ()))
        symbols = (self._parameter(file, scope, name.place) for file, scope in functions)
        return Meaning(frozenset(symbol for symbol in symbols if symbol is not None), called.sure)

    def _parameter(self, path: str, scope: int, place: int) -> Symbol | None:
        """The parameter of a function at a place, the object that a method is called on aside."""
        names, own = self.files[path], self.places[path, scope]
        parent = names.scopes[scope].parent
        shift = names.scopes[parent].kind == "class" and own.get(0) in names.language.this
        parameter = own.get(place + shift)
        return ("local", path, str(scope), parameter) if parameter else None


def _fields(owners: Iterable[Owner], text: str) -> frozenset[Symbol]:
    return frozenset(("field", owner.place, owner.name, text) for owner in owners)
