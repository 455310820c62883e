"""Edits that speak of one symbol: what one of them defines or imports and another uses.

After EditFlow's rule (a relation found by a language server counts if both its ends lie in edited lines), with
tree-sitter in the server's place: scopes and imports are followed, the types of receivers are not, so that a member
whose receiver is unknown may belong to any class of the commit that has such a member.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from runner.suites.next_edit.commits import Commit
from runner.suites.next_edit.order.graph import Edge, Reason
from runner.suites.next_edit.order.languages import language_named
from runner.suites.next_edit.order.modules import imported_files
from runner.suites.next_edit.order.names import FileNames, Name, Role, read_names
from runner.suites.next_edit.order.versions import VERSIONS, Version, span_in, text_in
from runner.syntax import language_of

Symbol = tuple[str, ...]
# A member of so many classes says little about which of them is meant.
_MANY_OWNERS = 3


@dataclass(frozen=True, slots=True)
class Mention:
    """An edit speaks of a symbol, in one version."""

    edit: int
    path: str
    role: Role
    text: str
    sure: bool = True


def mentions(commit: Commit, version: Version) -> dict[Symbol, list[Mention]]:
    """Per symbol, the edits whose lines speak of it in the version before or after the commit."""
    files = _read_files(commit, version)
    linker = _Linker(files)
    found: dict[Symbol, list[Mention]] = defaultdict(list)
    for edit in commit.edits:
        names = files.get(edit.path)
        span = span_in(edit, version)
        if names is None:
            continue
        for name in names.names:
            if span.start <= name.row < span.end:
                meaning = linker.meaning(edit.path, name)
                for symbol in meaning.symbols:
                    found[symbol].append(Mention(edit.idx, edit.path, name.role, name.text, meaning.sure))
    return found


def _read_files(commit: Commit, version: Version) -> dict[str, FileNames]:
    files = {}
    for touched in commit.files:
        language = language_named(language_of(touched.path))
        text = text_in(touched, version)
        if language is not None and text is not None:
            rows = [span_in(edit, version) for edit in commit.edits if edit.path == touched.path]
            files[touched.path] = read_names(text, language, rows)
    return files


@dataclass(frozen=True, slots=True)
class Meaning:
    """The symbols that a name may mean; not `sure` where that rests on the name alone."""

    symbols: frozenset[Symbol] = frozenset()
    sure: bool = True


class _Linker:
    """Finds the symbols that names of several files mean."""

    def __init__(self, files: Mapping[str, FileNames]) -> None:
        self.files = files
        self.shared: set[Symbol] = set()
        self.owners: dict[str, set[str]] = defaultdict(set)
        self.parameters: dict[tuple[str, str], set[Symbol]] = defaultdict(set)
        for path, names in files.items():
            for name in names.names:
                self._index(path, names, name)

    def _index(self, path: str, names: FileNames, name: Name) -> None:
        if name.role == Role.FIELD:
            self.owners[name.text].add(name.owner)
        elif name.role == Role.DEFINE and name.scope == 0:
            self.shared.add(self._global(path, name.text))
        if name.parameter and name.scope >= 0:
            function = names.scopes[name.scope].owner
            callee = names.enclosing_class(name.scope) if function in _CONSTRUCTORS else function
            self.parameters[callee, name.text].add(("local", path, str(name.scope), name.text))

    def meaning(self, path: str, name: Name) -> Meaning:
        """What a name of a file may mean."""
        match name.role:
            case Role.DEFINE:
                return Meaning(frozenset({self._defined(path, name)}))
            case Role.FIELD:
                return Meaning(frozenset({("field", name.owner, name.text)}))
            case Role.IMPORT:
                return Meaning(self._imported(path, name))
            case Role.MEMBER:
                return self._member(path, name)
            case Role.KEYWORD:
                return self._keyword(name)
            case Role.USE:
                return self._used(path, name)

    def _global(self, path: str, text: str) -> Symbol:
        shares = self.files[path].language.shares_folder
        return ("global", str(PurePosixPath(path).parent) if shares else path, text)

    def _defined(self, path: str, name: Name) -> Symbol:
        return self._global(path, name.text) if name.scope == 0 else ("local", path, str(name.scope), name.text)

    def _imported(self, path: str, name: Name) -> frozenset[Symbol]:
        targets = imported_files(name.module, path, self.files[path].language, self.files)
        if not name.original:
            return frozenset({("module", *targets)} if targets else {("module", path, name.module)})
        known = {self._global(target, name.original) for target in targets} & self.shared
        return frozenset(known or {("foreign", path, name.module, name.original)})

    def _used(self, path: str, name: Name) -> Meaning:
        names = self.files[path]
        binding = names.binding(name.text, name.scope)
        if binding is not None:
            return self.meaning(path, binding)
        shared = frozenset({self._global(path, name.text)} & self.shared)
        return Meaning(shared) if shared or not names.language.bare_members else self._any_member(name.text)

    def _member(self, path: str, name: Name) -> Meaning:
        names = self.files[path]
        if name.owner in names.language.this:
            own = names.enclosing_class(name.scope)
            if own in self.owners[name.text]:
                return Meaning(frozenset({("field", own, name.text)}))
        binding = names.binding(name.owner.partition(".")[0], name.scope)
        if binding is not None and binding.role == Role.IMPORT:
            targets = imported_files(binding.module, path, names.language, self.files)
            known = frozenset({self._global(target, name.text) for target in targets} & self.shared)
            if known or not binding.original:
                return Meaning(known)
        if name.owner in self.owners[name.text]:
            return Meaning(frozenset({("field", name.owner, name.text)}))
        return self._any_member(name.text)

    def _any_member(self, text: str) -> Meaning:
        owners = self.owners[text]
        few = owners if len(owners) <= _MANY_OWNERS else ()
        return Meaning(frozenset(("field", owner, text) for owner in few), sure=False)

    def _keyword(self, name: Name) -> Meaning:
        callee = name.owner.rpartition(".")[2]
        fields = {("field", callee, name.text)} if callee in self.owners[name.text] else set()
        found = self.parameters[callee, name.text] | fields
        return Meaning(frozenset(found), sure=len(found) == 1)


_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor"})


def related(found: Mapping[Symbol, list[Mention]]) -> Iterator[tuple[Mention, Mention]]:
    """Pairs of mentions in two edits: what defines a symbol and what uses it, or what imports it into a file."""
    for those in found.values():
        for source in those:
            for target in those:
                if source.edit != target.edit and _relates(source, target):
                    yield source, target


def _relates(source: Mention, target: Mention) -> bool:
    if source.role in {Role.DEFINE, Role.FIELD}:
        return True
    return source.role == Role.IMPORT and source.path == target.path and target.role not in {Role.DEFINE, Role.IMPORT}


_STRENGTH_KNOWN = 0.95
_STRENGTH_UNSURE = 0.7
_STRENGTH_SAME = 0.6


def symbol_edges(commit: Commit) -> Iterator[Edge]:
    """The edges between edits that speak of one symbol, in the version before or after."""
    for version in VERSIONS:
        for source, target in related(mentions(commit, version)):
            strength = _strength(source, target)
            forth, back = (Reason.IMPORTS, Reason.USES) if source.role == Role.IMPORT else (Reason.DEFINES, Reason.USES)
            yield Edge(source.edit, target.edit, forth, strength, source.text)
            yield Edge(target.edit, source.edit, back, strength, source.text)


def _strength(source: Mention, target: Mention) -> float:
    if target.role in {Role.DEFINE, Role.FIELD}:
        return _STRENGTH_SAME
    return _STRENGTH_KNOWN if source.sure and target.sure else _STRENGTH_UNSURE
