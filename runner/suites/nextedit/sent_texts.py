"""Answers about texts that no request can carry whole: they are read as sent, and stand for the bytes that are there.

A model sees the sign U+FFFD in place of bytes that are no UTF-8, and answers with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from runner.suites.nextedit.commits import split_lines
from runner.suites.nextedit.editor import Suggestion
from runner.suites.nextedit.questions import sendable

_SIGN = "\ufffd"


def has_sign(lines: Sequence[str]) -> bool:
    """Whether one of the lines has a sign that may stand for bytes."""
    return any(_SIGN in line for line in lines)


def sent_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines as they are sent; a system may have answered with what no request can carry, which stays."""
    return tuple(map(_sent, lines))


def _sent(text: str) -> str:
    try:
        return text if text.isascii() else sendable(text)
    except UnicodeEncodeError:
        return text


def as_sent(texts: Mapping[str, str]) -> dict[str, str]:
    """The files as a model sees them, by their names as it sees them."""
    return {sendable(path): sendable(text) for path, text in texts.items()}


def as_kept(suggestions: Sequence[Suggestion], texts: Mapping[str, str]) -> tuple[Suggestion, ...]:
    """The predictions that were read on files as sent, on the files as they are: with their names and their lines."""
    paths = {sendable(path): path for path in texts}
    return tuple(_as_kept(suggestion, paths.get(suggestion.path, suggestion.path), texts) for suggestion in suggestions)


def _as_kept(suggestion: Suggestion, path: str, texts: Mapping[str, str]) -> Suggestion:
    span = suggestion.span
    lines = split_lines(texts.get(path, ""))[span.start : span.end]
    if sent_lines(lines) != suggestion.before:
        return replace(suggestion, path=path)
    kept = {sendable(line): line for line in lines}
    return replace(suggestion, path=path, before=lines, after=tuple(kept.get(line, line) for line in suggestion.after))
