"""Systems that predict edits without a model: baselines that bound the scores, rules, and systems of one's own."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from runner.errors import InputError
from runner.input_files import input_bytes
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import NextEditor
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.systems.baselines import Oracle, RandomPlace, RepeatLast, Silent
from runner.suites.nextedit.systems.historian_module import HistorianModule
from runner.suites.nextedit.systems.module_cell import ModuleSettings
from runner.suites.nextedit.systems.own_editors import HttpAddress, file_editor, http_editor, is_own_file
from runner.suites.nextedit.systems.pooled import Pooled
from runner.suites.nextedit.systems.rules import CLONES, Rules
from runner.suites.nextedit.systems.trace import Models, Trace, TraceSettings

__all__ = [
    "SYSTEMS",
    "TRACE",
    "System",
    "http_system",
    "is_http",
    "is_module",
    "is_own",
    "is_system",
    "module_path",
    "own_name",
    "system_named",
    "trace_system",
]

_MODULE = "historian:"
TRACE = "trace"
TRACE_LONGEST_S = 7200.0
_SCHEMES = ("http://", "https://")


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
    """Whether a name is one of ours, a module's, or that of a system of one's own."""
    return name in SYSTEMS or name == TRACE or is_module(name) or is_http(name)


def is_http(name: str) -> bool:
    """Whether a name is the address of a system of one's own."""
    return name.lower().startswith(_SCHEMES)


def _original(name: str) -> Path:
    return Path("systemUnderTest", name, "main.py")


def is_module(name: str) -> bool:
    """Whether a name is that of a Python file: a Historian module's, or of a system of one's own."""
    return name.startswith(_MODULE) or is_own(name) or (name not in {*SYSTEMS, TRACE} and _original(name).is_file())


def is_own(name: str) -> bool:
    """Whether a name is that of the file of a system of one's own."""
    return is_own_file(name) and not name.startswith(_MODULE) and not is_http(name)


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


def http_system(address: HttpAddress) -> System:
    """A system of one's own that listens at an address. One on this machine gets the tree too."""
    return System(
        lambda commit, _plan: http_editor(address, commit),
        needs_tree=address.is_here,
        identity=address.url,
        longest_s=2 * address.question_s,
        wire="reported",
    )


def module_path(name: str) -> Path:
    """The Python file of a module, or of a system of one's own. Raises InputError where it does not exist.

    A name that is a folder of systemUnderTest means that module, as in the original.
    """
    if is_own(name):
        path, fix = Path(name), "`evals nextedit new-system NAME` writes one"
    else:
        path = Path(name.removeprefix(_MODULE)) if name.startswith(_MODULE) else _original(name)
        fix = "name the main.py of a Historian module"
    if not path.is_file():
        raise InputError(f"--model-ids {name}: no such file; {fix}")
    return path


def system_named(name: str, modules: ModuleSettings | None = None) -> System:
    """The system of this name; one in a Python file is run as `modules` says. Raises InputError."""
    if is_module(name):
        assert modules is not None
        path = module_path(name)
        source = input_bytes(path, "name a Python file that can be read")
        settings, own = replace(modules, path=path), is_own(name)
        digest = hashlib.sha256(source).hexdigest()[:12]
        return System(
            lambda commit, _plan: (file_editor if own else HistorianModule)(settings, commit),
            needs_tree=True,
            identity=f"{'system' if own else 'module'} {digest}",
            # A module that ended is set up again before it is asked.
            longest_s=2 * settings.limits.question_s,
            wire="reported",
        )
    if name not in SYSTEMS:
        known = ", ".join((*SYSTEMS, TRACE))
        raise InputError(
            f"--model-ids {name}: choose from {known}, a file such as my_system.py, http://host:port, or"
            " historian:path/to/main.py"
        )
    return SYSTEMS[name]
