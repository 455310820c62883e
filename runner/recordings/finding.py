"""Finds recorded sessions: in the usual places of each agent, or below folders that the user names."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from runner.errors import InputError
from runner.input_files import open_input
from runner.recordings.aider import CHAT, read_aider
from runner.recordings.atif import is_atif, read_atif
from runner.recordings.claude_code import read_claude_code
from runner.recordings.cline import is_task, read_cline
from runner.recordings.cline_cli import ENDING, read_cline_cli
from runner.recordings.codex import read_codex
from runner.recordings.gemini import read_gemini
from runner.recordings.vocabulary import AgentSession

# Most files show what they are at once; some begin with a long record that says nothing.
_HEADS = (1 << 12, 1 << 18)


class SessionReader(Protocol):
    """Reads the session of a file; its turns are kept if they are asked for."""

    def __call__(self, path: Path, *, turns: bool = False) -> AgentSession: ...  # noqa: D102 - the class says it


@dataclass(frozen=True, slots=True)
class RecordedForm:
    """A form of recorded sessions: who writes it, whether a file is one, how it is read, and where such files are.

    `is_one` may read so many bytes of a file's beginning; `places` are folders below the user's home.
    """

    agent: str
    is_one: Callable[[Path, int], bool]
    read: SessionReader
    places: tuple[str, ...]


def _begins_with(*parts: bytes) -> Callable[[Path, int], bool]:
    def is_one(path: Path, size: int) -> bool:
        if path.suffix != ".jsonl" or "subagents" in path.parts:
            return False
        try:
            with open_input(path) as file:
                head = file.read(size)
        except OSError:
            # Whether it is a session cannot be seen.
            return False
        return any(part in head for part in parts)

    return is_one


_VS_CODE = (
    ".config/Code/User/globalStorage",
    "Library/Application Support/Code/User/globalStorage",
    ".cline/data/tasks",
)
FORMS: tuple[RecordedForm, ...] = (
    RecordedForm(
        "codex", _begins_with(b'"session_meta"', b'"response_item"', b'"event_msg"'), read_codex, (".codex/sessions",)
    ),
    RecordedForm("gemini-cli", _begins_with(b'"projectHash"', b'"toolCalls"'), read_gemini, (".gemini/tmp",)),
    RecordedForm("cline", lambda path, _: is_task(path), read_cline, _VS_CODE),
    RecordedForm("cline-cli", lambda path, _: path.name.endswith(ENDING), read_cline_cli, (".cline/data/sessions",)),
    RecordedForm("aider", lambda path, _: path.name.endswith(CHAT), read_aider, ()),
    RecordedForm("atif", is_atif, read_atif, ()),
    RecordedForm(
        "claude-code",
        _begins_with(b'"sessionId"', b'"parentUuid"'),
        read_claude_code,
        (".claude/projects",),
    ),
)


def usual_places(environment: Mapping[str, str]) -> list[Path]:
    """Return the folders of this user in which agents keep their sessions, those that exist."""
    home = Path(environment.get("HOME") or "~").expanduser()
    places = [home / place for form in FORMS for place in form.places]
    for variable, below in (("CODEX_HOME", "sessions"), ("CLAUDE_CONFIG_DIR", "projects")):
        if environment.get(variable):
            places.append(Path(environment[variable]) / below)
    return sorted({place for place in places if place.is_dir()})


def sessions_below(place: Path) -> Iterator[tuple[RecordedForm, Path]]:
    """Yield the sessions of a file or a folder, sorted by path. Raises InputError for a place that is not there."""
    if not place.exists():
        raise InputError(f"{place}: no such file or folder; give a recorded session, or a folder of them")
    for path in _files(place):
        form = form_of(path)
        if form is not None:
            yield form, path


def form_of(path: Path) -> RecordedForm | None:
    """Return the form of a file; None for any other file."""
    return next((form for size in _HEADS for form in FORMS if form.is_one(path, size)), None)


def _files(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
        return
    for folder, folders, names in os.walk(place):
        folders.sort()
        for name in sorted(names):
            path = Path(folder) / name
            if name.endswith((".jsonl", ".json", CHAT)) and path.is_file():
                yield path
