"""Systems that predict edits without a model: baselines that bound the scores, rules, and modules of Historian's."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.errors import InputError
from runner.suites.next_edit.commits import Commit
from runner.suites.next_edit.editor import NextEditor
from runner.suites.next_edit.replay import Plan
from runner.suites.next_edit.systems.baselines import Oracle, RandomPlace, RepeatLast, Silent
from runner.suites.next_edit.systems.historian_module import HistorianModule, ModuleSettings
from runner.suites.next_edit.systems.rules import CLONES, Rules

__all__ = ["SYSTEMS", "System", "is_system", "system_named"]

_MODULE = "historian:"


@dataclass(frozen=True, slots=True)
class System:
    """How to make an editor for a commit.

    - `needs_tree`: whether it wants a tree to work in.
    - `identity`: where it is, and what tells it from another of its name.
    - `longest_s`: how long it may be at work on one question, in seconds; 0 for what takes no time to speak of.
    """

    make: Callable[[Commit, Plan], NextEditor]
    needs_tree: bool = False
    identity: str = "local"
    longest_s: float = 0.0


# Only the oracle looks at the commit: it bounds what can be scored.
SYSTEMS: dict[str, System] = {
    "rules": System(lambda _commit, _plan: Rules()),
    "clones": System(lambda _commit, _plan: Rules(CLONES)),
    "oracle": System(lambda commit, plan: Oracle(commit, plan.order(commit))),
    "silent": System(lambda _commit, _plan: Silent()),
    "repeat-last": System(lambda _commit, _plan: RepeatLast()),
    "random": System(lambda commit, plan: RandomPlace(f"{plan.seed}:{commit.origin.sha}")),
}


def is_system(name: str) -> bool:
    """Whether a name is one of ours, or a module's."""
    return name in SYSTEMS or name.startswith(_MODULE) or _original(name).is_file()


def _original(name: str) -> Path:
    return Path("systemUnderTest", name, "main.py")


def system_named(name: str, env: Mapping[str, str]) -> System:
    """The system of this name, or `historian:path/to/main.py`, which is run with `env`. Raises InputError.

    A name that is a folder of systemUnderTest means that module, as in the original.
    """
    if name.startswith(_MODULE):
        path = Path(name.removeprefix(_MODULE))
        if not path.is_file():
            raise InputError(f"--sut {name}: no such file; name the main.py of a Historian module")
        settings = ModuleSettings(path, env=env)
        return System(lambda commit, _plan: HistorianModule(settings, commit), needs_tree=True)
    if name not in SYSTEMS and _original(name).is_file():
        return system_named(f"{_MODULE}{_original(name)}", env)
    if name not in SYSTEMS:
        raise InputError(f"--sut {name}: choose from {', '.join(SYSTEMS)} or historian:path/to/main.py")
    return SYSTEMS[name]
