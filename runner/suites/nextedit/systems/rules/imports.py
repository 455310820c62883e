"""Imports that follow from an edit: a name that came into use, or that fell out of it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from runner.suites.nextedit.commits import split_lines
from runner.suites.nextedit.editor import EditorSession, Made, Suggestion
from runner.suites.nextedit.order.changes import change_of, names_in
from runner.suites.nextedit.order.languages import language_named
from runner.suites.nextedit.order.modules import imported_files
from runner.suites.nextedit.order.names import DEFAULT, FileNames, Name, Role, read_names
from runner.syntax import language_of

_SURE = 0.9
_LIKELY = 0.75
_WORD = re.compile(r"\w+")
_DEFINED = re.compile(r"\b(?:def|class|func|function)\s+(?:\([^()]*\)\s*)?(\w+)")


def unused_imports(past_edit: Made, session: EditorSession) -> Iterator[Suggestion]:
    """Imports of the edited file whose name the edit took out, and that nothing else uses any more."""
    path = past_edit.edit.path
    removed = names_in(change_of(past_edit.edit).removed)
    text = session.texts.get(path, "")
    if not removed:
        return
    lines = split_lines(text)
    words = Counter(word for line in lines for word in set(_WORD.findall(line)))
    lonely = {name for name in removed if words[name] == 1}
    for name in _imports(path, text) if lonely else ():
        if name.text in lonely:
            line = lines[name.row]
            shorter = _without(line, name.text)
            yield Suggestion(path, name.row, (line,), (shorter,) if shorter else (), _SURE)


def _without(line: str, name: str) -> str:
    """An import line without one of its names; "" where it has no other."""
    for pattern in (rf",\s*{re.escape(name)}\b", rf"\b{re.escape(name)}\s*,\s*"):
        shorter = re.sub(pattern, "", line, count=1)
        if shorter != line:
            return shorter
    return ""


def _imports(path: str, text: str) -> list[Name]:
    language = language_named(language_of(path))
    if language is None:
        return []
    return [name for name in read_names(text, language, ()).names if name.role == Role.IMPORT]


def missing_imports(past_edit: Made, session: EditorSession) -> Iterator[Suggestion]:
    """An import for a name that the edit put in and nothing binds: as in another file, or from where it is defined."""
    path = past_edit.edit.path
    language = language_named(language_of(path))
    if language is None or not past_edit.edit.after:
        return
    text = session.texts.get(path, "")
    names = read_names(text, language, [past_edit.now])
    added = names_in(change_of(past_edit.edit).added)
    lacking = {
        name.text
        for name in names.names
        if name.role == Role.USE and name.text in added and names.binding(name.text, name.scope) is None
    }
    for name in sorted(lacking):
        yield from _import_of(name, path, names, split_lines(text), session)


def _import_of(
    name: str, path: str, names: FileNames, lines: Sequence[str], session: EditorSession
) -> Iterator[Suggestion]:
    place = _after_last_import(names)
    for other, text in session.texts.items():
        language = language_named(language_of(other))
        if other == path or name not in text or language is None or language.name != names.language.name:
            continue
        theirs = read_names(text, language, ())
        for imported_name in theirs.names:
            if imported_name.text != name or imported_name.scope != 0:
                continue
            if imported_name.role == Role.IMPORT:
                yield Suggestion(path, place, (), (split_lines(text)[imported_name.row],), _LIKELY)
                return
            if imported_name.role == Role.DEFINE:
                yield from _extended(name, other, path, names, lines)
                return


def _after_last_import(names: FileNames) -> int:
    rows = [name.row for name in names.names if name.role == Role.IMPORT and name.scope == 0]
    return max(rows) + 1 if rows else 0


def _extended(name: str, source: str, path: str, names: FileNames, lines: Sequence[str]) -> Iterator[Suggestion]:
    """A line that imports from the defining file already, with the name added behind its last one."""
    for known in reversed(names.names):
        by_name = known.role == Role.IMPORT and known.original not in {"", DEFAULT}
        if by_name and source in imported_files(known.module, path, names.language, [source]):
            line = lines[known.row]
            at = line.rfind(known.text) + len(known.text)
            yield Suggestion(path, known.row, (line,), (f"{line[:at]}, {name}{line[at:]}",), _LIKELY)
            return


def dangling_uses(past_edit: Made, session: EditorSession) -> Iterator[Suggestion]:
    """Lines that only call, or import, a function or class that the edit took away and nothing defines any more."""
    names = set(_DEFINED.findall("".join(past_edit.edit.before))) - set(_DEFINED.findall("".join(past_edit.edit.after)))
    for name in sorted(names):
        if not any(name in _DEFINED.findall(text) for text in session.texts.values()):
            for path, text in session.texts.items():
                yield from _uses_alone(name, path, text)


def _uses_alone(name: str, path: str, text: str) -> Iterator[Suggestion]:
    call = re.compile(rf"^\s*(?:await\s+)?(?:\w+\.)*{re.escape(name)}\([^()]*\);?\s*$")
    for at, line in enumerate(split_lines(text)):
        if call.match(line):
            yield Suggestion(path, at, (line,), (), _LIKELY)
    for imported in _imports(path, text) if name in text else ():
        if imported.text == name:
            line = split_lines(text)[imported.row]
            shorter = _without(line, name)
            yield Suggestion(path, imported.row, (line,), (shorter,) if shorter else (), _LIKELY)
