"""A system of one's own in a Python file, asked in a process and a cell of its own."""

import json
import re
from pathlib import Path

from runner.json_texts import parse_json
from runner.suites.nextedit.editor import EditorError, EditorSession, Mishap
from runner.suites.nextedit.systems.child_process import Child, ChildError
from runner.suites.nextedit.systems.module_cell import ModuleSettings, cell_of, environment_in
from runner.suites.nextedit.systems.own_form import Question

_CHILD = Path(__file__).with_name("module_child.py")


class ModuleTransport:
    """Asks the function `main` of a Python file."""

    def __init__(self, settings: ModuleSettings) -> None:
        """Take the file, and how it is run; the process starts with the first question."""
        self._settings = settings
        self._child: Child | None = None

    @property
    def begun(self) -> bool:
        """Whether its process runs."""
        return self._child is not None and self._child.running

    async def answer_to(self, question: Question, session: EditorSession) -> object:
        """What `main` returns. Raises EditorError."""
        child = self._started(session.tree)
        seconds = self._settings.limits.question_s
        try:
            reply = parse_json(await child.ask(_encoded(question), seconds), json.loads)
        except TimeoutError as error:
            raise EditorError(Mishap.TIMEOUT, f"no answer within {seconds:g} s") from error
        except ChildError as error:
            raise EditorError(Mishap.CRASHED, last_line(str(error))) from error
        except ValueError as error:
            raise EditorError(Mishap.NONSENSE, f"its answer is no JSON: {error}") from error
        if not isinstance(reply, dict) or not {"error", "result"} & reply.keys():
            raise EditorError(Mishap.NONSENSE, "its answer has neither a result nor an error")
        if "error" in reply:
            raise EditorError(Mishap.CRASHED, raised(str(reply["error"]), self._settings.path))
        return reply["result"]

    async def aclose(self, farewell: Question | None) -> None:
        """Send the farewell to a process that runs, and end it."""
        if self._child is None:
            return
        try:
            if farewell is not None and self._child.running:
                await self._child.ask(_encoded(farewell), self._settings.limits.farewell_s)
        except (TimeoutError, ChildError):
            return  # the commit is over: a system that cannot take its leave costs nothing
        finally:
            await self._child.aclose()

    def _started(self, tree: Path | None) -> Child:
        if tree is None:
            raise EditorError(Mishap.CRASHED, "a Python file needs a tree to work in")
        if self._child is None:
            settings = self._settings
            command = (settings.python, str(_CHILD), str(settings.path.resolve()))
            cell = cell_of(tree, settings)
            self._child = Child(command, tree, environment_in(tree, settings), settings.limits, cell)
        return self._child


def _encoded(question: Question) -> bytes:
    return json.dumps(question).encode("ascii")


def last_line(text: str) -> str:
    """The last line of a text, which says what happened."""
    return text.strip().rpartition("\n")[2]


def raised(trace: str, path: Path) -> str:
    """One line of a traceback: what was raised, and in which line of the file."""
    lines = re.findall(rf'File "[^"\n]*{re.escape(path.name)}", line (\d+)', trace)
    where = f"line {lines[-1]} of {path.name}: " if lines else ""
    return f"{where}{last_line(trace)}"
