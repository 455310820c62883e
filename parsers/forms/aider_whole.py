"""Reads the whole files of Aider's edit format "whole" (`wholefile_coder`, aider-chat 0.86.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from parsers.forms.aider_names import FENCE

_LONGEST_NAME = 250
_ENDS_OF_WORDS = ".:,;!"
Source = Literal["block", "saw", "chat"]


class WholeFile(NamedTuple):
    """A new text, and where its name stands: on the line before, in the prose, or nowhere, as it is the only file."""

    path: str
    source: Source
    text: str


@dataclass(frozen=True, slots=True)
class WholeFiles:
    """The files of an answer, each once; without a name for one of them an answer changes nothing."""

    files: tuple[WholeFile, ...] = ()
    fault: Literal["", "missing_filename"] = ""


def read_whole_files(answer: str, chat: Sequence[str], fence: tuple[str, str] = FENCE) -> WholeFiles:
    """Return the files of an answer, those with the most reliable names first."""
    matches: list[WholeFile] = []
    name: tuple[str, Source] | None = None
    lines, text, seen, previous = answer.rstrip().splitlines(keepends=True), list[str](), "", None
    quoted = {f"`{path}`": path for path in chat}
    for line in lines:
        if line.startswith(fence):
            if name is not None:
                matches.append(WholeFile(*name, "".join(text)))
                name, seen, text = None, "", []
            else:
                name = _named(previous, seen, chat)
                if name is None:
                    return WholeFiles((), "missing_filename")
        elif name is not None:
            text.append(line)
        else:
            words = (word.rstrip(_ENDS_OF_WORDS) for word in line.split())
            seen = next((quoted[word] for word in reversed([*words]) if word in quoted), seen)
        previous = line
    if name is not None:
        matches.append(WholeFile(*name, "".join(text)))
    return WholeFiles(tuple(_most_reliable(matches)))


def _named(previous: str | None, seen: str, chat: Sequence[str]) -> tuple[str, Source] | None:
    name = _on_line(previous, chat) if previous is not None else ""
    if name:
        return name, "block"
    if seen:
        return seen, "saw"
    return (chat[0], "chat") if len(chat) == 1 else None


def _on_line(line: str, chat: Sequence[str]) -> str:
    name = line.strip().strip("*").rstrip(":").strip("`").lstrip("#").strip()
    if len(name) > _LONGEST_NAME:
        return ""
    last = PurePosixPath(name).name
    return last if name not in chat and last in chat else name


def _most_reliable(matches: Sequence[WholeFile]) -> list[WholeFile]:
    best: dict[str, WholeFile] = {}
    for source in ("block", "saw", "chat"):
        for file in matches:
            if file.source == source:
                best.setdefault(file.path, file)
    return list(best.values())
