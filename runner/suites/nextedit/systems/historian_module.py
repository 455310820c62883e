"""Systems written for Historian, run as they are: its payloads go in, its snapshots come out.

The module runs in a process of its own; `init` comes first and again after a restart, `end` comes always. Unlike the
original, the answer is not in the question: `target_edit` has no `after`, and the tree has no repository.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from runner.json_texts import parse_json
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import EditorError, EditorSession, Mishap, Place, Suggestion
from runner.suites.nextedit.historian import Payload, Snapshots
from runner.suites.nextedit.historian.replay import FILL, RECOMMEND
from runner.suites.nextedit.systems.child_process import Child, ChildError, Door
from runner.suites.nextedit.systems.historian_form import (
    as_read,
    lines_at,
    made_dict,
    place_dict,
    suggestions_of,
    with_ends_of,
)
from runner.suites.nextedit.systems.module_cell import ModuleSettings, cell_of, environment_in
from runner.suites.nextedit.systems.module_meter import ModuleDoor, ModuleMeter
from runner.suites.nextedit.systems.module_report import REPORT, checked_report
from runner.syntax import language_of

_CHILD = Path(__file__).with_name("module_child.py")
# A module that had no answer in time so often in a row is not asked any more: the commit would take hours.
_PATIENCE = 3
_LANGUAGES = {"tsx": "typescript"}


@dataclass(frozen=True, slots=True)
class _About:
    """What a module may know of a commit from the beginning."""

    sha: str
    project: str
    language: str


class HistorianModule:
    """An editor that asks a module of Historian's shape."""

    def __init__(self, settings: ModuleSettings, commit: Commit) -> None:
        """Take the module, and of the commit its id, project and language."""
        self._settings = settings
        self._about = _About(commit.origin.sha[:10], commit.origin.project, main_language(commit))
        self._child: Child | None = None
        self._late = 0
        self._last: Payload | None = None
        self._report: Mapping[str, float | None] | None = None
        self._meter = None if settings.metering is None else ModuleMeter(settings.metering, self._end)

    def _end(self) -> None:
        """End the process, at a limit."""
        if self._child is not None:
            self._child.stop()

    def take_report(self) -> Mapping[str, float | None] | None:
        """Return what the module reported of its last answer, once; None where it reported nothing."""
        report, self._report = self._report, None
        return report

    async def setup(self, session: EditorSession) -> None:
        """Start the module and send `init`. Raises EditorError."""
        self._start(session.tree)
        await self._ask(self._payload("init", session))

    async def answer(self, payload: Payload, tree: Path | None) -> Snapshots | None:
        """The module's own answer to a question of the original's. Raises EditorError."""
        if self._child is None:
            self._start(tree)
        answer = await self._ask(payload)
        if payload["status"] == "init":
            return None
        suggestions_of(answer)
        return cast("Snapshots | None", answer)

    def _start(self, tree: Path | None) -> None:
        if tree is None:
            raise EditorError(Mishap.CRASHED, "the module needs a tree to work in")
        settings = self._settings
        command = (settings.python, str(_CHILD), str(settings.path.resolve()))
        env = environment_in(tree, settings)
        self._child = Child(command, tree, env, settings.limits, cell_of(tree, settings), self._door_of())

    def _door_of(self) -> Callable[[], Door] | None:
        """Return what makes the door of a process that may ask models by the proxy."""
        metering, meter = self._settings.metering, self._meter
        if metering is None or meter is None:
            return None
        file_bytes = self._settings.limits.file_bytes
        return lambda: ModuleDoor(metering, meter, self._about.sha, file_bytes)

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        """The module's predictions. Raises EditorError."""
        return await self._suggestions(session, self._payload(RECOMMEND, session))

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:
        """The lines the module puts in the place. Raises EditorError."""
        payload = self._payload(FILL, session)
        text = session.texts.get(place.path, "")
        payload["target_edit"] = place_dict(place, len(session.past_edits), text)
        return lines_at(place, await self._suggestions(session, payload), text)

    async def _suggestions(self, session: EditorSession, payload: Payload) -> list[Suggestion]:
        answer = suggestions_of(await self._ask_ready(session, payload))
        return [with_ends_of(session.texts.get(suggestion.path, ""), suggestion) for suggestion in answer]

    async def aclose(self) -> None:
        """Send `end`, and end the process."""
        if self._child is None:
            return
        try:
            if self._child.running and self._last is not None:
                # What every question holds, as of the last one; but there is no edit that is asked for.
                farewell = {**self._last, "status": "end"}
                farewell.pop("target_edit", None)
                await self._child.ask(json.dumps(farewell).encode(), self._settings.limits.farewell_s)
        except (TimeoutError, ChildError):
            return  # the commit is over: a module that cannot take its leave costs nothing
        finally:
            await self._child.aclose()

    async def _ask_ready(self, session: EditorSession, payload: Payload) -> object:
        """Ask a module that is set up; one that ended is set up again."""
        if self._child is None:
            await self.setup(session)
        elif not self._child.running:
            await self._ask(self._payload("init", session))
        return await self._ask(payload)

    async def _ask(self, payload: Payload) -> object:
        """Ask, and meter the question where a proxy does so."""
        if self._meter is None:
            return await self._reply_to(payload)
        self._meter.begin()
        try:
            return await self._reply_to(payload)
        except EditorError as error:
            if self._meter.why:
                raise EditorError(error.reason, f"ended at the limit of {self._meter.why}: {error}") from error
            raise
        finally:
            # What passed the proxy counts, whatever the module reports.
            self._report = self._meter.taken() or self._report

    async def _reply_to(self, payload: Payload) -> object:
        assert self._child is not None
        self._last = payload
        seconds = self._settings.limits.question_s
        if self._late >= _PATIENCE:
            raise EditorError(Mishap.TIMEOUT, f"not asked: {_PATIENCE} times in a row it had no answer in time")
        try:
            reply = parse_json(await self._child.ask(json.dumps(payload).encode(), seconds), json.loads)
        except TimeoutError as error:
            self._late += 1
            raise EditorError(Mishap.TIMEOUT, f"no answer within {seconds:g} s") from error
        except ChildError as error:
            raise EditorError(Mishap.CRASHED, str(error)) from error
        except ValueError as error:
            raise EditorError(Mishap.NONSENSE, f"its answer is no JSON: {error}") from error
        if payload["status"] != "init":
            self._late = 0
        return self._result_of(reply)

    def _result_of(self, reply: object) -> object:
        """The module's own answer, without its report. Raises EditorError."""
        if not isinstance(reply, dict) or not {"error", "result"} & reply.keys():
            raise EditorError(Mishap.NONSENSE, "its answer has neither a result nor an error")
        if "error" in reply:
            raise EditorError(Mishap.CRASHED, str(reply["error"]).strip())
        result = reply["result"]
        if isinstance(result, dict) and REPORT in result:
            self._report = checked_report(result.pop(REPORT))
        return result

    def _payload(self, status: str, session: EditorSession) -> Payload:
        return {
            "id": self._about.sha,
            "language": self._about.language,
            "project_name": self._about.project,
            "status": status,
            "repo_dir": str(session.tree),
            "prior_edits": [
                made_dict(past_edit, number, session.texts.get(past_edit.edit.path, ""))
                for number, past_edit in enumerate(session.past_edits)
            ],
            "edit_description": as_read(session.message or ""),
            "changed_files": list(session.files),
        }


def main_language(commit: Commit) -> str:
    """The language that a commit is listed under, else that of most of its files; "" if it is unknown."""
    if commit.origin.language:
        return commit.origin.language
    languages = Counter(language_of(touched.path) or "" for touched in commit.files)
    name = languages.most_common(1)[0][0]
    return _LANGUAGES.get(name, name)
