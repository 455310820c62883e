"""Systems that predict edits without a model: baselines that bound the scores, rules, and modules of Historian's."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from runner.errors import InputError
from runner.input_files import input_bytes
from runner.suites.nextedit.commit_replay import ReplayPlan
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import NextEditor
from runner.suites.nextedit.systems.baselines import Oracle, RandomPlace, RepeatLast, Silent
from runner.suites.nextedit.systems.historian_module import HistorianModule
from runner.suites.nextedit.systems.module_cell import ModuleSettings
from runner.suites.nextedit.systems.pooled import Pooled
from runner.suites.nextedit.systems.rules import CLONES, Rules
from runner.suites.nextedit.systems.trace import Models, Trace, TraceSettings

__all__ = [
    "SYSTEMS",
    "TRACE",
    "System",
    "is_module",
    "is_system",
    "module_path",
    "own_name",
    "system_named",
    "trace_system",
]

_MODULE = "historian:"
TRACE = "trace"
TRACE_LONGEST_S = 7200.0


async def _nothing() -> None:
    """Nothing to release."""


@dataclass(frozen=True, slots=True)
class System:
    """How to make an editor for a commit.

    - `needs_tree`: whether it wants a tree to work in.
    - `identity`: where it is, and what distinguishes it from another of its name.
    - `longest_s`: how long it may be at work on one question, in seconds; 0 for what takes no time to speak of.
    - `aclose`: releases what serves all its editors.
    - `wire`: `reported` where tokens and cost are unknown unless it reports them; else it takes neither.
    """

    make: Callable[[Commit, ReplayPlan], NextEditor]
    needs_tree: bool = False
    identity: str = "local"
    longest_s: float = 0.0
    aclose: Callable[[], Awaitable[None]] = _nothing
    wire: str = "local"


# Only the oracle looks at the commit: it bounds what can be scored.
SYSTEMS: dict[str, System] = {
    "rules": System(lambda _commit, plan: Pooled(Rules(), plan.pool)),
    "clones": System(lambda _commit, plan: Pooled(Rules(CLONES), plan.pool)),
    "oracle": System(lambda commit, plan: Oracle(commit, plan.order(commit))),
    "silent": System(lambda _commit, _plan: Silent()),
    "repeat-last": System(lambda _commit, plan: Pooled(RepeatLast(), plan.pool)),
    "random": System(lambda commit, plan: Pooled(RandomPlace(f"{plan.seed}:{commit.origin.sha}"), plan.pool)),
}


def is_system(name: str) -> bool:
    """Whether a name is one of ours, or a module's."""
    return name in SYSTEMS or name == TRACE or is_module(name)


def _original(name: str) -> Path:
    return Path("systemUnderTest", name, "main.py")


def is_module(name: str) -> bool:
    """Whether a name is a Historian module's."""
    return name.startswith(_MODULE) or (name not in {*SYSTEMS, TRACE} and _original(name).is_file())


def own_name(name: str) -> str:
    """The name as we write it, if it is one of our systems in other letters, as in the original's `SUT=TRACE`."""
    small = name.lower()
    return small if small in {*SYSTEMS, TRACE} and not is_module(name) else name


def trace_system(settings: TraceSettings) -> System:
    """TRACE with these checkpoints, in a process that serves every commit. To be closed in the loop that used it."""
    models = Models(settings)
    return System(
        lambda _commit, _plan: Trace(models),
        identity=f"checkpoints {settings.checkpoints.identity}",
        # Loading, and a few questions of one recommendation that each waits for the other commits' turns.
        longest_s=TRACE_LONGEST_S,
        aclose=models.aclose,
    )


def module_path(name: str) -> Path:
    """The main.py of a module. Raises InputError where it does not exist.

    A name that is a folder of systemUnderTest means that module, as in the original.
    """
    path = Path(name.removeprefix(_MODULE)) if name.startswith(_MODULE) else _original(name)
    if not path.is_file():
        raise InputError(f"--model-ids {name}: no such file; name the main.py of a Historian module")
    return path


def system_named(name: str, modules: ModuleSettings | None = None) -> System:
    """The system of this name, or `historian:path/to/main.py`, which is run as `modules` says. Raises InputError."""
    if is_module(name):
        assert modules is not None
        path = module_path(name)
        source = input_bytes(path, "name the main.py of a Historian module")
        settings = replace(modules, path=path)
        return System(
            lambda commit, _plan: HistorianModule(settings, commit),
            needs_tree=True,
            identity=f"module {hashlib.sha256(source).hexdigest()[:12]}",
            # A module that ended is set up again before it is asked.
            longest_s=2 * settings.limits.question_s,
            wire="reported",
        )
    if name not in SYSTEMS:
        raise InputError(f"--model-ids {name}: choose from {', '.join(SYSTEMS)}, {TRACE} or historian:path/to/main.py")
    return SYSTEMS[name]
