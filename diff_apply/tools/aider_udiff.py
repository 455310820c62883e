"""Applies hunks as Aider's edit format "udiff" does (`unified_diff_coder`, aider-chat 0.86.2).

A hunk replaces every occurrence of its old lines. Where they do not occur, context that the file has in between is put
in; then each change is tried alone with less and less context.
"""

import difflib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from diff_apply.tools.aider_files import ChatFiles
from diff_apply.tools.line_diff import line_diff
from diff_apply.tools.refusal import Cause, Edited, EditError, Files
from diff_apply.tools.relative_indent import absolute, marker_for, relative

Lines = Sequence[str]

_SHORT = 10
_LEAST_KEPT = 0.66
# Characters that the tries of one answer may search; the original has no bound.
MOST_SEARCHED = 2**31


class _Sides(NamedTuple):
    before: list[str]
    after: list[str]

    @property
    def search(self) -> str:
        return "".join(self.before)

    @property
    def replace(self) -> str:
        return "".join(self.after)


def apply_hunks(hunks: Sequence[tuple[str | None, Lines]], files: Files) -> Edited:
    """Apply hunks in order; what is applied stays, and each hunk that fails is an error.

    A hunk before any file name (the original crashes there) refuses the whole answer.
    """
    state, work = ChatFiles(files), _Work()
    expected = list(_distinct(hunks))
    unnamed = next((number for number, path, _ in expected if path is None), 0)
    if unnamed:
        missing = EditError(Cause.MISSING_FILENAME, f"hunk {unnamed}: no file is named before it", block=unnamed)
        return Edited({}, (missing,))
    state.create(path for path, _ in hunks if path)
    for number, path, hunk in expected:
        assert path is not None
        try:
            new = _applied(state.read(path), hunk, work)
        except EditError as error:
            state.errors.append(error)
            break
        if new:
            state.write(path, new)
        else:
            message = f"hunk {number}: its context and removed lines are not in {path}"
            state.errors.append(EditError(Cause.NO_MATCH, message, block=number))
    return state.edited()


class _Work:
    """What was searched so far, and the texts with relative indentation that are needed again."""

    def __init__(self) -> None:
        self.searched = 0
        self.relatives: dict[tuple[str, str], str] = {}

    def add(self, characters: int) -> None:
        self.searched += characters
        if self.searched > MOST_SEARCHED:
            raise EditError(Cause.TOO_MUCH_WORK, "its hunks have too much context to be tried in all parts")

    def relative(self, text: str, marker: str) -> str:
        if (text, marker) not in self.relatives:
            self.relatives = {(text, marker): relative(text, marker)}
        return self.relatives[text, marker]


def _distinct(hunks: Sequence[tuple[str | None, Lines]]) -> Iterator[tuple[int, str | None, list[str]]]:
    seen = set[tuple[str | None, str]]()
    for number, (path, lines) in enumerate(hunks, 1):
        hunk = _normal(lines)
        key = path, "".join(hunk)
        if hunk and key not in seen:
            seen.add(key)
            yield number, path, hunk


def _sides(lines: Lines) -> _Sides:
    before, after = list[str](), list[str]()
    for line in lines:
        sign, text = (line[0], line[1:]) if len(line) > 1 else (" ", line)
        if sign in " -":
            before.append(text)
        if sign in " +":
            after.append(text)
    return _Sides(before, after)


def _normal(lines: Lines) -> list[str]:
    sides = _sides(lines)
    return _unified([_bare(line) for line in sides.before], [_bare(line) for line in sides.after])


def _unified(before: Lines, after: Lines) -> list[str]:
    """Return the lines of one hunk with full context, none if the sides are equal."""
    return list(difflib.unified_diff(before, after, n=max(len(before), len(after))))[3:]


def _bare(line: str) -> str:
    """Return a blank line's end; of CRLF only the CR, of no end the first blank, as the original does."""
    if line.strip() or not line:
        return line
    return line[len(line.rstrip("\r\n")) - len(line)]


def _applied(text: str, hunk: Lines, work: _Work) -> str:
    sides = _sides(hunk)
    if not sides.search.strip():
        return text + sides.replace
    return _direct(text, hunk, work) or _in_parts(text, _explicit(text, hunk, work), work)


def _direct(text: str, hunk: Lines, work: _Work) -> str:
    """Replace the old lines wherever they occur; "" if nowhere, or if they are too short to occur twice."""
    sides = _sides(hunk)
    search = sides.search
    work.add(len(text))
    if not search or (sum(len(line.strip()) for line in sides.before) < _SHORT and text.count(search) > 1):
        return ""
    texts = (search, sides.replace, text)
    stripped = tuple(part.strip("\n") + "\n" for part in texts)
    return next(
        (new for way in (_plainly, _by_indent) for parts in (texts, stripped) if (new := way(parts, work))),
        "",
    )


def _plainly(texts: tuple[str, ...], work: _Work) -> str:
    search, replace, text = texts
    work.add(len(text))
    return text.replace(search, replace) if search in text else ""


def _by_indent(texts: tuple[str, ...], work: _Work) -> str:
    marker = marker_for(texts)
    search, replace = (relative(text, marker) for text in texts[:2])
    new = _plainly((search, replace, work.relative(texts[2], marker)), work)
    return (absolute(new, marker) or "") if new else ""


def _explicit(text: str, hunk: Lines, work: _Work) -> Lines:
    """Put lines that the file has between the old lines into the hunk, as far as most of these are kept."""
    sides = _sides(hunk)
    script = [line for line in line_diff(sides.search, text) if not line.startswith("+")]
    new = _direct(sides.search, script, work)
    kept = new.splitlines(keepends=True)
    if len(new.strip()) < _SHORT or len(kept) < len(sides.before) * _LEAST_KEPT:
        return hunk
    return _unified(kept, sides.replace.splitlines(keepends=True))


def _in_parts(text: str, hunk: Lines, work: _Work) -> str:
    """Apply each change of a hunk with the context next to it; "" unless all apply."""
    parts = _sections(hunk)
    if len(parts) < 3:
        return text
    for at in range(2, len(parts), 2):
        text = _with_less_context(text, parts[at - 2 : at + 1], work)
        if not text:
            return ""
    return text


def _sections(hunk: Lines) -> list[list[str]]:
    """Return context, changes, context, ...: an odd number of lists."""
    sections: list[list[str]] = [[]]
    changing = False
    for line in hunk:
        if (line[0] in "-+") is not changing:
            sections.append([])
            changing = not changing
        sections[-1].append(line)
    return [*sections, []] if changing else sections


def _with_less_context(text: str, parts: Sequence[list[str]], work: _Work) -> str:
    ahead, changes, behind = parts
    for total in range(len(ahead) + len(behind), -1, -1):
        for above in range(min(len(ahead), total), max(total - len(behind), 0) - 1, -1):
            hunk = [*ahead[len(ahead) - above :], *changes, *behind[: total - above]]
            if new := _direct(text, hunk, work):
                return new
    return ""
