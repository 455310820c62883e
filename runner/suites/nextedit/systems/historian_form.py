"""Edits in Historian's form and out of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

from runner.suites.nextedit.commits import Edit, Span, split_lines
from runner.suites.nextedit.editor import EditorError, Made, Mishap, Place, Suggestion
from runner.suites.nextedit.historian.snapshots import EditDict

_SIDES = 3


def as_read(message: str) -> str:
    """A commit's message as the original reads it from git: without blanks around, every line end one newline."""
    return message.replace("\r\n", "\n").replace("\r", "\n").strip()


def made_dict(past_edit: Made, number: int, text: str) -> EditDict:
    """The edit that was made as number `number`, from 0, in a file whose text is now `text`.

    It has all fields of the original, but says nothing of edits yet to come: `idx` is its number, the child's range and
    the lines around it are those of now, and the path of enclosing constructs is empty.
    """
    edit = replace(past_edit.edit, idx=number, child=past_edit.now)
    return _edit_dict(_with_sides(edit, past_edit.now, text), past_edit.now.start, simulated=True)


def place_dict(place: Place, number: int, text: str) -> EditDict:
    """An edit of which all is known but its new lines: `after` is empty, the child's range ends nowhere."""
    nowhere, lines = Span(place.start, place.start), Span(place.start, place.start + len(place.before))
    edit = Edit(number, place.path, place.before, (), place.parent or nowhere, nowhere)
    known = _edit_dict(_with_sides(edit, lines, text), place.start, simulated=False)
    return {**known, "type": place.kind.value, "allowed_as_next": True}


def _with_sides(edit: Edit, now: Span, text: str) -> Edit:
    """The edit with the lines around it as they are now: where those of the parent end, the next edit begins."""
    lines = split_lines(text)
    return replace(edit, prefix=lines[max(0, now.start - _SIDES) : now.start], suffix=lines[now.end : now.end + _SIDES])


def _edit_dict(edit: Edit, now: int, *, simulated: bool) -> EditDict:
    return {
        "type": edit.kind.value,
        "before": list(edit.before),
        "after": list(edit.after),
        "parent_version_range": {"start": edit.parent.start, "end": edit.parent.end},
        "child_version_range": {"start": edit.child.start, "end": edit.child.end},
        "prefix": list(edit.prefix),
        "suffix": list(edit.suffix),
        "structural_path": [],
        "idx": edit.idx,
        "simulated": simulated,
        "allowed_as_next": False,
        "file_path": edit.path,
        "currently_start_at_line": now,
    }


def suggestions_of(answer: object) -> list[Suggestion]:
    """The edits of an answer {path: [unchanged lines or edits]}. Raises EditorError for what has another form."""
    if not answer:
        return []
    if not isinstance(answer, dict):
        raise EditorError(Mishap.NONSENSE, f"the answer is a {type(answer).__name__}, not an object of files")
    return [suggestion for path, windows in answer.items() for suggestion in _edits_in(str(path), windows)]


def _edits_in(path: str, windows: object) -> list[Suggestion]:
    if not isinstance(windows, list):
        raise EditorError(Mishap.NONSENSE, f"the answer for {path} is no list of windows")
    line = 0
    suggestions = []
    for window in windows:
        if isinstance(window, dict):
            suggestion = _suggestion(path, line, window)
            suggestions.append(suggestion)
            line += len(suggestion.before)
        elif isinstance(window, list):
            line += len(window)
        else:
            raise EditorError(Mishap.NONSENSE, f"a window of {path} is neither lines nor an edit")
    return suggestions


def _suggestion(path: str, line: int, window: Mapping[str, object]) -> Suggestion:
    before, after, confidence = window.get("before"), window.get("after"), window.get("confidence")
    if not _are_lines(before) or not _are_lines(after):
        raise EditorError(Mishap.NONSENSE, f"an edit of {path} has no lists of lines in before and after")
    return Suggestion(path, line, split_lines("".join(before)), split_lines("".join(after)), _worth(confidence))


def with_ends_of(text: str, suggestion: Suggestion) -> Suggestion:
    """The prediction with the file's line ends: who reads a file as text has one newline for a return and one."""
    lines = split_lines(text)
    lines_there = lines[suggestion.span.start : suggestion.span.end]
    model = (lines_there or lines or ("",))[0]
    if not model.endswith("\r\n") or tuple(map(_plain, lines_there)) != suggestion.before:
        return suggestion
    after = tuple(f"{_plain(line)[:-1]}\r\n" if line.endswith("\n") else line for line in suggestion.after)
    return replace(suggestion, before=lines_there, after=after)


def _plain(line: str) -> str:
    return f"{line[:-2]}\n" if line.endswith("\r\n") else line


def _worth(confidence: object) -> float | None:
    """A confidence that can be compared with others; None for what is no number, or an endless one."""
    if not isinstance(confidence, int | float):
        return None
    try:
        return float(confidence) if math.isfinite(confidence) else None
    except OverflowError:
        return None


def _are_lines(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(line, str) for line in value)


def lines_at(place: Place, suggestions: Sequence[Suggestion], text: str) -> tuple[str, ...] | None:
    """What predictions make of the lines of a place; None where none touches them.

    However they are cut, if together they change nothing else; otherwise the first that touches the place counts.
    """
    lines = split_lines(text)
    start, end = place.start, place.start + len(place.before)
    edited = _edited([suggestion for suggestion in suggestions if suggestion.path == place.path], lines)
    rest = len(edited) - (len(lines) - end)
    if edited != lines and start <= rest and (edited[:start], edited[rest:]) == (lines[:start], lines[end:]):
        return edited[start:rest]
    for suggestion in suggestions:
        span, after = suggestion.span, suggestion.after
        if suggestion.path != place.path or span.end < start or end < span.start:
            continue
        # Lines around the place that the prediction keeps are not part of it, those in it that it leaves alone are.
        above, below = lines[span.start : start], lines[end : span.end]
        after = after[len(above) :] if above and after[: len(above)] == above else after
        after = after[: len(after) - len(below)] if below and after[-len(below) :] == below else after
        return (*lines[start : span.start], *after, *lines[span.end : end])
    return None


def _edited(suggestions: Sequence[Suggestion], lines: tuple[str, ...]) -> tuple[str, ...]:
    """The lines with the predictions made; of those that are for one place the first given."""
    chosen: list[Suggestion] = []
    for suggestion in suggestions:
        span = suggestion.span
        taken = any(
            other.start == span.start or (other.start < span.end and span.start < other.span.end) for other in chosen
        )
        if not taken and span.start <= len(lines) and lines[span.start : span.end] == suggestion.before:
            chosen.append(suggestion)
    for suggestion in sorted(chosen, key=lambda suggestion: suggestion.start, reverse=True):
        lines = (*lines[: suggestion.start], *suggestion.after, *lines[suggestion.span.end :])
    return lines
