"""Edits that speak of one symbol: what one of them defines or imports and another uses.

After EditFlow's rule (a relation found by a language server counts if both its ends lie in edited lines), with
tree-sitter in the server's place.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from runner.suites.next_edit.commits import Commit, Touched
from runner.suites.next_edit.order.graph import Edge, Reason
from runner.suites.next_edit.order.languages import language_named
from runner.suites.next_edit.order.linking import Linker, Symbol
from runner.suites.next_edit.order.names import FileNames, Name, Role, read_names
from runner.suites.next_edit.order.versions import VERSIONS, Version, span_in, text_in
from runner.syntax import language_of

_STRENGTH_KNOWN = 0.95
_STRENGTH_UNSURE = 0.7
_STRENGTH_SAME = 0.6


@dataclass(frozen=True, slots=True)
class Mention:
    """An edit speaks of symbols by a name on one of its lines; not `sure` where that rests on the name alone."""

    edit: int
    path: str
    name: Name
    symbols: frozenset[Symbol]
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Spoken:
    """What the edits of a commit speak of in one version, and the names of its files.

    `code` are the words of each edit that are code, of edits in languages that are understood.
    """

    files: Mapping[str, FileNames]
    mentions: Sequence[Mention]
    code: Mapping[int, frozenset[str]]


def spoken(commit: Commit, version: Version) -> Spoken:
    """What the edits speak of in the version before or after the commit."""
    files = _read_files(commit, version)
    linker = Linker(files)
    found: list[Mention] = []
    whole = {each.path for each in commit.files if not each.before or not each.after}
    for edit in commit.edits:
        names = files.get(edit.path)
        span = span_in(edit, version)
        if names is None or span.start == span.end:
            continue
        if edit.path in whole:
            # A file that comes or goes defines its module.
            name = Name(edit.path, span.start, Role.DEFINE, 0)
            found.append(Mention(edit.idx, edit.path, name, frozenset({("module", edit.path)})))
        for name in names.names:
            if span.start <= name.row < span.end:
                meaning = linker.meaning(edit.path, name)
                found.append(Mention(edit.idx, edit.path, name, meaning.symbols, meaning.sure))
    return Spoken(files, found, _code(commit, files))


def _code(commit: Commit, files: Mapping[str, FileNames]) -> dict[int, frozenset[str]]:
    found: dict[int, frozenset[str]] = {}
    for path, names in files.items():
        edits = (edit for edit in commit.edits if edit.path == path)
        found |= {edit.idx: words for edit, words in zip(edits, names.code, strict=True)}
    return found


def _read_files(commit: Commit, version: Version) -> dict[str, FileNames]:
    found = {touched.path: _read_file(commit, touched, version) for touched in commit.files}
    return {path: names for path, names in found.items() if names is not None}


def _read_file(commit: Commit, touched: Touched, version: Version) -> FileNames | None:
    language = language_named(language_of(touched.path))
    text = text_in(touched, version)
    if language is None or text is None:
        return None
    return read_names(text, language, [span_in(edit, version) for edit in commit.edits if edit.path == touched.path])


def related(mentions: Sequence[Mention]) -> Iterator[tuple[Mention, Mention]]:
    """Pairs of mentions in two edits: what defines a symbol and what uses it, or what imports it into a file."""
    by_symbol: dict[Symbol, list[Mention]] = defaultdict(list)
    for mention in mentions:
        for symbol in mention.symbols:
            by_symbol[symbol].append(mention)
    for those in by_symbol.values():
        for source, target in permutations(those, 2):
            if source.edit != target.edit and _relates(source, target):
                yield source, target


def _relates(source: Mention, target: Mention) -> bool:
    if source.name.role in {Role.DEFINE, Role.FIELD}:
        return True
    imported = source.name.role == Role.IMPORT and source.path == target.path
    return imported and target.name.role not in {Role.DEFINE, Role.IMPORT}


def overridden(said: Spoken) -> Iterator[tuple[Mention, Mention]]:
    """Pairs of members in two edits: of a class, and of the same name in one that inherits from it or has its form."""
    heirs = {pair for names in said.files.values() for pair in names.heirs}
    interfaces = {name for names in said.files.values() for name in names.interfaces}
    members: dict[str, list[Mention]] = defaultdict(list)
    for mention in said.mentions:
        if mention.name.role == Role.FIELD:
            members[mention.name.text].append(mention)
    for those in members.values():
        for source, target in permutations(those, 2):
            mine, theirs = source.name.owner, target.name.owner
            inherits = (theirs, mine) in heirs or (mine in interfaces and theirs not in interfaces)
            if source.edit != target.edit and inherits:
                yield source, target


def symbol_edges(saids: Sequence[Spoken]) -> Iterator[Edge]:
    """The edges between edits that speak of one symbol, in the version before or after."""
    for said in saids:
        for source, target in related(said.mentions):
            imported = source.name.role == Role.IMPORT
            yield from _edges(source, target, Reason.IMPORTS if imported else Reason.DEFINES, _strength(source, target))
        for source, target in overridden(said):
            yield from _edges(source, target, Reason.DEFINES, _STRENGTH_UNSURE)


def _edges(source: Mention, target: Mention, reason: Reason, strength: float) -> Iterator[Edge]:
    yield Edge(source.edit, target.edit, reason, strength, source.name.text)
    yield Edge(target.edit, source.edit, Reason.USES, strength, source.name.text)


def _strength(source: Mention, target: Mention) -> float:
    if target.name.role in {Role.DEFINE, Role.FIELD}:
        return _STRENGTH_SAME
    return _STRENGTH_KNOWN if source.sure and target.sure else _STRENGTH_UNSURE


def spoken_versions(commit: Commit) -> tuple[Spoken, ...]:
    """What the edits speak of, before and after."""
    return tuple(spoken(commit, version) for version in VERSIONS)
