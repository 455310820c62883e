"""Applies SEARCH/REPLACE blocks as Aider's edit format "diff" does (`editblock_coder`, aider-chat 0.86.2)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from diff_apply.tools.aider_files import ChatFiles
from diff_apply.tools.line_search import CodedLines
from diff_apply.tools.refusal import Cause, Edited, EditError, Files
from diff_apply.tools.work import Work

Block = tuple[str, str, str]
"""A path, the SEARCH and the REPLACE text."""
Fence = tuple[str, str]

_DOTS = "...\n"


def apply_blocks(blocks: Sequence[Block], files: Files, chat: Sequence[str], fence: Fence) -> Edited:
    """Apply blocks in order; what is applied stays, and each block that fails is an error.

    A block whose SEARCH is not in its file goes to the first file of the chat that has it.
    """
    state = ChatFiles(files)
    targets = [_target(block, state, chat, fence) for block in blocks]
    chat = [*chat, *state.create(path for path in targets if path not in chat)]
    for number, (path, (_, search, replace)) in enumerate(zip(targets, blocks, strict=True), 1):
        block = (path, search, replace)
        for target in _candidates(block, chat, state):
            if new := _replaced(state, (target, search, replace), fence):
                state.write(target, new)
                break
        else:
            state.errors.append(
                EditError(Cause.NO_MATCH, f"block {number}: its SEARCH lines are not in {path}", block=number)
            )
    return state.edited()


def _target(block: Block, state: ChatFiles, chat: Sequence[str], fence: Fence) -> str:
    """Return the file in which a block matches before any edit, its own if none does."""
    for path in _candidates(block, chat, state):
        if _replaced(state, (path, *block[1:]), fence):
            return path
    return block[0]


def _replaced(state: ChatFiles, block: Block, fence: Fence) -> str:
    """Return the new text of a file, "" also where looking for an indentation takes too long (ours alone does so)."""
    path, search, replace = block
    try:
        return replaced(state.read(path), search, replace, path, fence)
    except EditError:
        return ""


def _candidates(block: Block, chat: Iterable[str], state: ChatFiles) -> Iterator[str]:
    path, search, _ = block
    if path in state:
        yield path
    if search.strip():
        yield from (other for other in chat if other in state)


def replaced(text: str, search: str, replace: str, path: str, fence: Fence) -> str:
    """Return a text with the first match of SEARCH replaced, "" if nothing matches; so an empty result is none.

    Raises EditError where lines match at too many places but for their indentation.
    """
    search, replace = _unwrapped(search, path, fence), _unwrapped(replace, path, fence)
    if not search.strip():
        return text + replace
    text, search, replace = (_ended(part) for part in (text, search, replace))
    lines, expected, new = (part.splitlines(keepends=True) for part in (text, search, replace))
    if out := _by_lines(lines, expected, new):
        return out
    if len(expected) > 2 and not expected[0].strip() and (out := _by_lines(lines, expected[1:], new)):
        return out
    return _by_pieces(text, search, replace)


def _ended(text: str) -> str:
    return text + "\n" if text and not text.endswith("\n") else text


def _unwrapped(text: str, path: str, fence: Fence) -> str:
    """Remove a first line that ends in the file's name, then a fence around the rest."""
    if not text:
        return text
    lines = text.splitlines()
    if lines[0].strip().endswith(PurePosixPath(path).name):
        lines = lines[1:]
    if lines and lines[0].startswith(fence[0]) and lines[-1].startswith(fence[1]):
        lines = lines[1:-1]
    return _ended("\n".join(lines))


def _by_lines(lines: list[str], expected: list[str], new: list[str]) -> str:
    at = CodedLines(lines).first(expected)
    if at >= 0 and (out := "".join([*lines[:at], *new, *lines[at + len(expected) :]])):
        return out
    return _by_indent(lines, expected, new)


def _by_indent(lines: list[str], expected: list[str], new: list[str]) -> str:
    """Replace the first lines that equal SEARCH but for one more indentation of all."""
    indents = [len(line) - len(line.lstrip()) for line in (*expected, *new) if line.strip()]
    if least := min(indents, default=0):
        expected, new = ([line[least:] if line.strip() else line for line in part] for part in (expected, new))
    if not any(line.strip() for line in expected):
        return ""
    work = Work()
    for at in CodedLines(line.lstrip() for line in lines).places([line.lstrip() for line in expected]):
        work.add(len(expected))
        ahead = _one_indent(lines[at : at + len(expected)], expected)
        if ahead is not None:
            shifted = [ahead + line if line.strip() else line for line in new]
            return "".join([*lines[:at], *shifted, *lines[at + len(expected) :]])
    return ""


def _one_indent(lines: Sequence[str], expected: Sequence[str]) -> str | None:
    ahead: str | None = None
    for line, part in zip(lines, expected, strict=True):
        if line.strip():
            own = line[: len(line) - len(part)]
            if ahead not in {None, own}:
                return None
            ahead = own
    return ahead


def _by_pieces(text: str, search: str, replace: str) -> str:
    """Replace what stands between lines of three dots; each piece occurs exactly once."""
    expected, dots = _split_at_dots(search)
    new, others = _split_at_dots(replace)
    if len(expected) != len(new) or len(expected) == 1 or dots != others:
        return ""
    for part, replacement in zip(expected, new, strict=True):
        if part:
            if text.count(part) != 1:
                return ""
            text = text.replace(part, replacement, 1)
        elif replacement:
            text = _ended(text) + replacement
    return text


def _split_at_dots(text: str) -> tuple[list[str], list[str]]:
    r"""Split at `^\s*\.\.\.\n` (multiline): the pieces, and the dots' lines between them; linear in the text."""
    pieces, dots, end = list[str](), list[str](), 0
    for match in re.finditer(re.escape(_DOTS), text):
        ahead = text[end : match.start()]
        blank = len(ahead.rstrip())
        start = end + blank
        # The blanks before the dots count from the start of a line.
        if blank or (end and text[end - 1] != "\n"):
            newline = text.find("\n", start, match.start())
            start = newline + 1 if newline >= 0 else -1
        if start >= 0:
            pieces.append(text[end:start])
            dots.append(text[start : match.end()])
            end = match.end()
    return [*pieces, text[end:]], dots
