"""Replaces a text in a file as opencode's `edit` does (`packages/opencode/src/tool/edit.ts`, 1.18.33)."""

import re
from typing import NamedTuple

from diff_apply.lines import trim
from diff_apply.tools.opencode_candidates import REPLACERS, Searched, units
from diff_apply.tools.refusal import Cause, EditError

_BOM = "\ufeff"
_DOLLAR = re.compile(r"\$([$&`'])")
# A text that `$` patterns may make of a file.
_LONGEST = 2**24


class Replaced(NamedTuple):
    """The file's new text, and which replacer found the place; "" for a new file."""

    text: str
    step: str = ""


def replace_text(text: str | None, old: str, new: str, *, replace_all: bool = False) -> Replaced:
    """Replace `old` in a file, None = there is none. Raises EditError."""
    if old == new:
        raise EditError(Cause.IDENTICAL, "`oldString` and `newString` are the same")
    if not old:
        if text is not None:
            raise EditError(Cause.EMPTY_SEARCH, "`oldString` is empty, but the file exists")
        return Replaced(new)
    if text is None:
        raise EditError(Cause.FILE_MISSING, "there is no such file")
    body = text.removeprefix(_BOM)
    ending = "\r\n" if "\r\n" in body else "\n"
    old, new = _with_ending(old, ending), _with_ending(new, ending)
    if old == new:
        raise EditError(Cause.IDENTICAL, "`oldString` and `newString` are the same")
    replaced = _replace(body, old, new, replace_all=replace_all)
    bom = _BOM if text.startswith(_BOM) or replaced.text.startswith(_BOM) else ""
    return Replaced(bom + replaced.text.removeprefix(_BOM), replaced.step)


def _with_ending(text: str, ending: str) -> str:
    plain = text.replace("\r\n", "\n")
    return plain if ending == "\n" else plain.replace("\n", ending)


def _replace(text: str, old: str, new: str, *, replace_all: bool) -> Replaced:
    file, is_there, seen = Searched(text), False, set[str]()
    for step, replacer in REPLACERS:
        for candidate in replacer(file, old):
            if candidate in seen:
                continue
            seen.add(candidate)
            at = text.find(candidate)
            if at < 0:
                continue
            is_there = True
            _guard(candidate, old)
            if replace_all:
                return Replaced(_replaced_everywhere(text, candidate, new), step)
            if text.rfind(candidate) == at:
                return Replaced(text[:at] + new + text[at + len(candidate) :], step)
    if is_there:
        raise EditError(Cause.NOT_UNIQUE, "`oldString` is in the file more than once; give more lines around it")
    raise EditError(Cause.NOT_FOUND, "`oldString` is not in the file")


def _guard(candidate: str, old: str) -> None:
    """Raise EditError for a candidate much longer than the text that it stands for."""
    lines, expected = candidate.count("\n") + 1, old.count("\n") + 1
    length, least = units(trim(candidate)), units(trim(old))
    is_long = expected > 1 and length > max(least + 500, 4 * least)
    if lines >= max(expected + 3, 2 * expected) or is_long:
        raise EditError(Cause.SPAN_TOO_LARGE, "the similar place is much longer than `oldString`")


def _replaced_everywhere(text: str, old: str, new: str) -> str:
    """Do what `String.prototype.replaceAll` does with a text: dollar patterns are expanded."""
    if "$" not in new:
        return text.replace(old, new) if old else new + "".join(character + new for character in text)
    out, end, length = list[str](), 0, 0
    for match in re.finditer(re.escape(old), text):
        ahead, behind = text[: match.start()], text[match.end() :]
        values = {"$": "$", "&": old, "`": ahead, "'": behind}
        out += (text[end : match.start()], _DOLLAR.sub(lambda sign: values[sign[1]], new))  # noqa: B023
        end, length = match.end(), length + len(out[-1])
        if length > _LONGEST:
            raise EditError(Cause.TOO_MUCH_WORK, "`newString` repeats the file too often")
    return "".join([*out, text[end:]])
