"""Edits that speak of one symbol: what one of them defines or imports and another uses.

After EditFlow's rule (a relation found by a language server counts if both its ends lie in edited lines), with
tree-sitter in the server's place.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from runner.suites.nextedit.commits import Commit, Edit, Touched
from runner.suites.nextedit.order.changes import kept_names
from runner.suites.nextedit.order.graph import Edge, Reason
from runner.suites.nextedit.order.languages import language_named
from runner.suites.nextedit.order.linking import Linker, Symbol
from runner.suites.nextedit.order.names import FileNames, Name, Role, read_names
from runner.suites.nextedit.order.prose import Words
from runner.suites.nextedit.order.versions import VERSIONS, Version, former_paths, span_in, text_in
from runner.syntax import language_of

_STRENGTH_KNOWN = 0.95
_STRENGTH_UNSURE = 0.7
_STRENGTH_SAME = 0.6
_HANDS_OVER = frozenset({Role.ARGUMENT, Role.KEYWORD})


@dataclass(frozen=True, slots=True)
class Mention:
    """An edit speaks of symbols by a name on one of its lines; not `sure` where that rests on the name alone.

    `kept` where it speaks of the name in the other version too.
    """

    edit: int
    path: str
    name: Name
    symbols: frozenset[Symbol]
    sure: bool = True
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Mentions:
    """What the edits of a commit speak of in one version, and the names of its files.

    `words` are those of each edit, of edits in languages that are understood. `heirs` and `interfaces` are those of
    the files.
    """

    files: Mapping[str, FileNames]
    mentions: Sequence[Mention]
    words: Mapping[int, Words]
    heirs: frozenset[tuple[str, str]]
    interfaces: frozenset[str]

    def inherits(self, heir: str, ancestor: str) -> bool:
        """Whether a class inherits from another, or has its form, by their names."""
        return (heir, ancestor) in self.heirs or (ancestor in self.interfaces and heir not in self.interfaces)


def mentions_in(commit: Commit, version: Version) -> Mentions:
    """What the edits speak of in the version before or after the commit."""
    files = _read_files(commit, version)
    linker = Linker(files, former_paths(commit, version))
    mentions: list[Mention] = []
    whole = {file.path for file in commit.files if not file.before or not file.after}
    for edit in commit.edits:
        names = files.get(edit.path)
        span = span_in(edit, version)
        if names is None or span.start == span.end:
            continue
        if edit.path in whole:
            # A file that comes or goes defines its module.
            name = Name(edit.path, span.start, Role.DEFINE, 0)
            mentions.append(Mention(edit.idx, edit.path, name, frozenset({("module", edit.path)})))
        kept = kept_names(edit)
        for name in names.names:
            if span.start <= name.row < span.end and name.text not in names.language.this:
                meaning = linker.meaning(edit.path, name)
                stays = _stays(edit, name.original) if name.role == Role.ARGUMENT else name.text in kept
                mentions.append(Mention(edit.idx, edit.path, name, meaning.symbols, meaning.sure, stays))
    heirs = frozenset(pair for names in files.values() for pair in names.heirs)
    interfaces = frozenset(name for names in files.values() for name in names.interfaces)
    return Mentions(files, mentions, _words(commit, files), heirs, interfaces)


def _stays(edit: Edit, argument: str) -> bool:
    """Whether an edit hands over an argument before and after."""
    return all(argument in "".join(lines) for lines in (edit.before, edit.after))


def _words(commit: Commit, files: Mapping[str, FileNames]) -> dict[int, Words]:
    words: dict[int, Words] = {}
    for path, names in files.items():
        edits = (edit for edit in commit.edits if edit.path == path)
        words |= {edit.idx: words for edit, words in zip(edits, names.words, strict=True)}
    return words


def _read_files(commit: Commit, version: Version) -> dict[str, FileNames]:
    names = {touched.path: _read_file(commit, touched, version) for touched in commit.files}
    return {path: names for path, names in names.items() if names is not None}


def _read_file(commit: Commit, touched: Touched, version: Version) -> FileNames | None:
    language = language_named(language_of(touched.path))
    text = text_in(touched, version)
    if language is None or text is None:
        return None
    return read_names(text, language, [span_in(edit, version) for edit in commit.edits if edit.path == touched.path])


def related(mentions: Sequence[Mention]) -> Iterator[tuple[Mention, Mention]]:
    """Pairs of mentions in two edits: what defines a symbol and what uses it, or imports it, or hands it on."""
    by_symbol: dict[Symbol, list[Mention]] = defaultdict(list)
    defined = frozenset(symbol for mention in mentions if mention.name.defines for symbol in mention.symbols)
    parameters = frozenset(symbol for mention in mentions if mention.name.parameter for symbol in mention.symbols)
    for mention in mentions:
        for symbol in mention.symbols:
            by_symbol[symbol].append(mention)
    for symbol, those in by_symbol.items():
        for source, target in permutations(those, 2):
            if source.edit == target.edit:
                continue
            if _relates(source, target, symbol, defined) or (symbol in parameters and _threads(source, target)):
                yield source, target


def _relates(source: Mention, target: Mention, symbol: Symbol, defined: Collection[Symbol]) -> bool:
    match source.name.role:
        case Role.DEFINE if target.name.role in _HANDS_OVER and symbol[0] == "local":
            # What a function makes of its parameter later is not the callers'.
            return source.name.parameter
        case Role.DEFINE | Role.FIELD | Role.PART:
            return True
        case Role.EXPORT | Role.IMPORT if source.path != target.path:
            # What hands on what no edit defines stands for its definition.
            handed = source.name.role == Role.EXPORT or symbol == ("passed", source.path, source.name.text)
            return (
                handed and not source.kept and not any(symbol in defined for symbol in source.symbols & target.symbols)
            )
        case Role.IMPORT:
            return target.name.role not in {Role.DEFINE, Role.IMPORT}
        case _:
            return False


def _threads(source: Mention, target: Mention) -> bool:
    """Whether a call newly hands over to a parameter of this commit, and the function does something with it."""
    return source.name.role in _HANDS_OVER and not source.kept and target.name.role == Role.USE


def overridden(mentions: Mentions) -> Iterator[tuple[Mention, Mention]]:
    """Pairs of members in two edits: of a class, and of the same name in one that inherits from it or has its form."""
    members: dict[str, list[Mention]] = defaultdict(list)
    for mention in mentions.mentions:
        if mention.name.role == Role.FIELD:
            members[mention.name.text].append(mention)
    for those in members.values():
        for source, target in permutations(those, 2):
            if source.edit != target.edit and mentions.inherits(target.name.owner, source.name.owner):
                yield source, target


def symbol_edges(versions: Sequence[Mentions]) -> Iterator[Edge]:
    """The edges between edits that speak of one symbol, in the version before or after."""
    for mentions in versions:
        for source, target in related(mentions.mentions):
            imported = source.name.role == Role.IMPORT
            yield from _edges(source, target, Reason.IMPORTS if imported else Reason.DEFINES, _strength(source, target))
        for source, target in overridden(mentions):
            yield from _edges(source, target, Reason.DEFINES, _STRENGTH_UNSURE)


def _edges(source: Mention, target: Mention, reason: Reason, strength: float) -> Iterator[Edge]:
    yield Edge(source.edit, target.edit, reason, strength, source.name.text)
    yield Edge(target.edit, source.edit, Reason.USES, strength, source.name.text)


def _strength(source: Mention, target: Mention) -> float:
    if target.name.role in {Role.DEFINE, Role.FIELD, Role.PART}:
        return _STRENGTH_SAME
    return _STRENGTH_KNOWN if source.sure and target.sure else _STRENGTH_UNSURE


def mentions_by_version(commit: Commit) -> tuple[Mentions, ...]:
    """What the edits speak of, before and after."""
    return tuple(mentions_in(commit, version) for version in VERSIONS)
