"""Next-edit bundles from recorded sessions: what a whole session changed, as one commit."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from runner.recordings.vocabulary import AgentSession, CallStatus, Certainty, FileState, TouchedFile
from runner.suites.nextedit.bundles import FORMAT, Bundle, commits_of
from runner.suites.nextedit.commits import Limits, Origin, Refused, Touched, is_inside


class NoBundle(StrEnum):
    """Why a file is left out of a bundle, or a session gives none."""

    UNKNOWN_FILE = "unknown_file"
    OUTSIDE = "outside"
    NO_CHANGE = "no_change"
    NO_FILES = "no_files"
    NO_REQUEST = "no_request"


def session_change(session: AgentSession, refused: Counter[str]) -> dict[str, Any] | None:
    """Return the values of the bundle of a session, None where there is none; what is left out is counted."""
    files = [*_changed(session, refused)]
    request = next((turn.text for turn in session.turns if turn.role == "user" and not turn.thread), "")
    if not files or not request.strip():
        refused[NoBundle.NO_REQUEST if files else NoBundle.NO_FILES] += 1
        return None
    return {
        "format": FORMAT,
        "project": session.agent,
        "url": "",
        "authored": int(session.began or 0),
        "message": request,
        "files": [{"path": file.path, "before": file.before, "after": file.after} for file in files],
        "omitted": {},
    }


def with_identity(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a bundle with ids made of its texts."""
    data = repr((values["message"], values["files"])).encode("utf-8", "surrogatepass")
    ids = {"sha": hashlib.sha1(data).hexdigest(), "parent": hashlib.sha1(b"parent" + data).hexdigest()}  # noqa: S324
    return {**values, **ids}


def why_not_replayable(values: Mapping[str, Any]) -> str:
    """Return why a bundle cannot be replayed; "" if it can."""
    origin = Origin(values["sha"], values["parent"], values["project"], "", values["authored"])
    files = tuple(Touched(file["path"], file["before"], file["after"]) for file in values["files"])
    (commit,) = commits_of([Bundle(origin, values["message"], files)], Limits())
    return str(commit.reason) if isinstance(commit, Refused) else ""


def _changed(session: AgentSession, refused: Counter[str]) -> Iterator[Touched]:
    """Yield the files whose text is known exactly both before the first edit and after the last."""
    spans: dict[str, tuple[TouchedFile, TouchedFile]] = {}
    for call in session.calls:
        for file in call.touched if call.status is CallStatus.OK else ():
            first, _ = spans.get(file.path, (file, file))
            spans[file.path] = (first, file)
    for path, (first, last) in spans.items():
        if not _is_exact(first.before) or not _is_exact(last.after):
            refused[NoBundle.UNKNOWN_FILE] += 1
        elif not is_inside(path):
            refused[NoBundle.OUTSIDE] += 1
        elif first.before.text == last.after.text:
            refused[NoBundle.NO_CHANGE] += 1
        else:
            yield Touched(path, first.before.text, last.after.text)


def _is_exact(state: FileState) -> bool:
    return state.certainty is Certainty.EXACT
