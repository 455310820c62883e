"""The three checkpoints in a process of their own, which serves every commit of a run, one question at a time."""

import asyncio
import hashlib
import json
import math
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runner.execution import stale_dirs
from runner.json_texts import parse_json
from runner.suites.nextedit.editor import EditorError, Mishap
from runner.suites.nextedit.systems.child_process import Child, ChildError
from runner.suites.nextedit.systems.module_cell import ModuleSettings, cell_of, environment_in

# A folder with this file is a checkpoint that loads itself, and needs no library.
OWN = "checkpoint.py"
_SERVER = Path(__file__).with_name("server.py")
_LOADING_S = 600.0


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Where the three are, each a folder or a file of weights, and where folders of what they were trained from are."""

    invoker: Path
    locator: Path
    generator: Path
    bases: Path | None = None

    @property
    def neural(self) -> bool:
        """Whether one of them needs torch and transformers."""
        return not all((path / OWN).is_file() for path in (self.invoker, self.locator, self.generator))

    @property
    def identity(self) -> str:
        """Twelve hexadecimal digits of the files' names, sizes and times."""
        digest = hashlib.sha256()
        for path in (self.invoker, self.locator, self.generator):
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                if file.is_file() and "__pycache__" not in file.parts:
                    about = file.stat()
                    digest.update(f"{file.relative_to(path)}\0{about.st_size}\0{about.st_mtime_ns}\n".encode())
        return digest.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class TraceSettings:
    """The checkpoints, the device of torch, and how the process is run: `modules` as for modules of third parties."""

    checkpoints: Checkpoints
    device: str = "cpu"
    modules: ModuleSettings = field(default_factory=lambda: ModuleSettings(Path()))


class Models:
    """What asks the process; begun with the first question, and again after it ended."""

    def __init__(self, settings: TraceSettings) -> None:
        """Take where the checkpoints are and how they are run."""
        self._settings = settings
        self._turn = asyncio.Lock()
        self._child: Child | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    async def invoke(self, texts: Sequence[str]) -> list[list[float]]:
        """Of each text four chances: variable renamed, function renamed, signature, clone. Raises EditorError."""
        answers = await self._ask("invoke", texts)
        return [
            _checked(answer, len(answer) == 4 and _are_numbers(answer), "the invoker gives no four probabilities")
            for answer in answers
        ]

    async def locate(self, texts: Sequence[str]) -> list[list[dict[str, float]]]:
        """For each text, {label: probability} for each of its masks in order. Raises EditorError."""
        answers = await self._ask("locate", texts)
        return [
            _checked(
                answer,
                all(isinstance(mark, dict) and _are_numbers(mark.values()) for mark in answer),
                "the locator gives no probabilities",
            )
            for answer in answers
        ]

    async def generate(self, texts: Sequence[str]) -> list[str]:
        """The generated text for each. Raises EditorError."""
        answers = await self._ask("generate", texts, kind=str)
        return [str(answer) for answer in answers]

    async def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text is for the locator. Raises EditorError."""
        return [int(answer) for answer in await self._ask("count", texts, kind=int)]

    async def _ask(self, what: str, texts: Sequence[str], kind: type = list) -> list[Any]:
        if not texts:
            return []
        async with self._turn:
            loading = self._child is None or not self._child.running
            seconds = self._settings.modules.limits.question_s + (_LOADING_S if loading else 0.0)
            reply = await self._answer(json.dumps({"do": what, "texts": list(texts)}).encode(), seconds)
        if not isinstance(reply, list) or len(reply) != len(texts) or not all(isinstance(item, kind) for item in reply):
            raise EditorError(Mishap.NONSENSE, f"{what}: no answer for each of {len(texts)} texts")
        return reply

    async def _answer(self, question: bytes, seconds: float) -> object:
        self._child = self._child or self._begin()
        try:
            reply = parse_json(await self._child.ask(question, seconds), json.loads)
        except TimeoutError as error:
            raise EditorError(Mishap.TIMEOUT, f"no answer within {seconds:g} s") from error
        except ChildError as error:
            raise EditorError(Mishap.CRASHED, str(error)) from error
        except ValueError as error:
            raise EditorError(Mishap.NONSENSE, f"its answer is no JSON: {error}") from error
        if not isinstance(reply, dict) or not {"error", "result"} & reply.keys():
            raise EditorError(Mishap.NONSENSE, "its answer has neither a result nor an error")
        if "error" in reply:
            raise EditorError(Mishap.CRASHED, str(reply["error"]).strip())
        return reply["result"]

    def _begin(self) -> Child:
        settings, places = self._settings, self._settings.checkpoints
        self._folder = tempfile.TemporaryDirectory(prefix=stale_dirs.prefix("trace"), ignore_cleanup_errors=True)
        tree = Path(self._folder.name) / "work"
        tree.mkdir()
        bases = str(places.bases.resolve()) if places.bases else ""
        paths = [str(path.resolve()) for path in (places.invoker, places.locator, places.generator)]
        command = (settings.modules.python, str(_SERVER), *paths, bases, settings.device)
        modules = settings.modules
        return Child(command, tree, environment_in(tree, modules), modules.limits, cell_of(tree, modules))

    async def aclose(self) -> None:
        """End the process."""
        if self._child is not None:
            await self._child.aclose()
        if self._folder is not None:
            self._folder.cleanup()


def _are_numbers(values: Iterable[object]) -> bool:
    return all(isinstance(value, int | float) and math.isfinite(value) for value in values)


def _checked(answer: Any, right: bool, otherwise: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    if not right:
        raise EditorError(Mishap.NONSENSE, otherwise)
    return answer
