"""Makes cases of recorded sessions, without the secrets and names of people in them; nothing is sent anywhere."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import orjson

from runner.errors import InputError
from runner.mine.folder import new_folder, refuse_filled
from runner.mine.recorded_case import case_values, json_file, proved
from runner.mine.recorded_changes import session_change, why_not_replayable, with_identity
from runner.mine.recorded_edits import NoCase, recorded_edits, session_name
from runner.privacy.cleaning import Cleaner, has_private_key, texts_of
from runner.recordings.vocabulary import AgentSession, session_texts

RecordedKind = Literal["diff", "nextedit"]


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file to write, and what the manifest says of it."""

    name: str
    data: bytes
    about: Mapping[str, object]


@dataclass(slots=True)
class SessionImport:
    """An import of sessions: what is wanted, and the counts of what became of them."""

    kind: RecordedKind
    cleaner: Cleaner
    failed_only: bool = False
    most: int | None = None
    sessions: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    files: list[ImportedFile] = field(default_factory=list)
    _keys: set[bytes] = field(default_factory=set)
    _names: Counter[str] = field(default_factory=Counter)

    def add(self, session: AgentSession) -> None:
        """Make the cases of a session. Raises InputError for one that holds a private key."""
        if has_private_key(session_texts(session)):
            raise InputError(
                f"{session.path}: holds a private key; revoke the key, and move the session elsewhere or take the key "
                "out of it; nothing was written"
            )
        self.sessions += 1
        imported = _MAKE[self.kind](self, session)
        left = None if self.most is None else self.most - len(self.files)
        self.files += islice(imported, left)

    @property
    def is_full(self) -> bool:
        """Whether as many cases as were wanted are there."""
        return self.most is not None and len(self.files) >= self.most

    def cases(self, session: AgentSession) -> Iterator[ImportedFile]:
        """Yield a case for each edit of a session whose file is known; the reasons of the others are counted."""
        reasons = Counter[NoCase]()
        edits = [*recorded_edits(session, reasons, failed_only=self.failed_only)]
        self.refused.update({str(reason): count for reason, count in reasons.items()})
        name = self._name(session)
        drafts = [(edit, case_values(session, edit, f"{name}-{at:04}")) for at, edit in enumerate(edits, 1)]
        self._learn(values for _, values in drafts)
        for edit, draft in drafts:
            values = self.cleaner.clean_values(draft)
            case = proved(values, edit)
            key = _key(values["file_contents"], values["expected_contents"], values["messages"])
            if isinstance(case, NoCase) or key in self._keys:
                self.refused[str(case if isinstance(case, NoCase) else NoCase.DUPLICATE)] += 1
                continue
            self._keys.add(key)
            about = {"path": values["file_path"], "tool": edit.call.tool, "status": str(edit.call.status)}
            yield ImportedFile(f"{values['test_id']}.json", case.data, {**about, **case.about})

    def bundles(self, session: AgentSession) -> Iterator[ImportedFile]:
        """Yield the bundle of all that a session changed, if it can be replayed."""
        draft = session_change(session, self.refused)
        if draft is None:
            return
        self._learn([draft])
        values = with_identity(self.cleaner.clean_values(draft))
        if why := why_not_replayable(values):
            self.refused[why] += 1
            return
        key = _key(values["files"])
        if key in self._keys:
            self.refused[NoCase.DUPLICATE] += 1
            return
        self._keys.add(key)
        data = json_file(values)
        name = f"{session.agent}-{values['sha'][:10]}.json"
        yield ImportedFile(name, data, {"session": self.cleaner.clean(session_name(session))})

    def _name(self, session: AgentSession) -> str:
        """Return the name of a session, with a number if another one has the same."""
        name = session_name(session)
        self._names[name] += 1
        return name if self._names[name] == 1 else f"{name}-{self._names[name]}"

    def _learn(self, drafts: Iterable[Mapping[str, Any]]) -> None:
        for draft in drafts:
            for text in texts_of(draft):
                self.cleaner.learn(text)


def import_sessions(sessions: Iterable[AgentSession], into: SessionImport) -> None:
    """Make the cases of sessions, up to as many as are wanted."""
    for session in sessions:
        into.add(session)
        if into.is_full:
            return


def write_import(done: SessionImport, out: Path) -> None:
    """Write cases and a manifest into a new folder."""
    with new_folder(out) as folder:
        for file in done.files:
            (folder / file.name).write_bytes(_cleaned_again(file.data, done.cleaner))
        rows = [counts(done), *done.cleaner.clean_values([{"file": file.name, **file.about} for file in done.files])]
        (folder / "manifest.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def _cleaned_again(data: bytes, cleaner: Cleaner) -> bytes:
    """Return a file without the secrets that were learned from sessions after its own."""
    values = orjson.loads(data)
    cleaned = cleaner.clean_values(values)
    return data if cleaned == values else json_file(cleaned)


def check_folder(out: Path | None, *, preview: bool) -> Path | None:
    """Return the folder to write, None for a preview. Raises InputError for none, and for one that is filled."""
    if preview:
        return None
    if out is None:
        raise InputError("--out: is missing; name the new folder to write, or give --preview")
    refuse_filled(out)
    return out


_MAKE: Mapping[RecordedKind, Callable[[SessionImport, AgentSession], Iterator[ImportedFile]]] = MappingProxyType(
    {"diff": SessionImport.cases, "nextedit": SessionImport.bundles}
)


def counts(done: SessionImport) -> dict[str, Any]:
    """Return the counts of an import."""
    return {
        "kind": done.kind,
        "sessions": done.sessions,
        "cases": len(done.files),
        "refused": dict(sorted(done.refused.items())),
        "removed": done.cleaner.removed(),
    }


def _key(*values: object) -> bytes:
    return hashlib.sha256(repr(values).encode("utf-8", "surrogatepass")).digest()
