"""The editors of systems of one's own: in a Python file, or behind HTTP."""

import time

from runner.agents.names import is_agent
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.systems.module_cell import ModuleSettings
from runner.suites.nextedit.systems.own_http import HttpAddress, HttpTransport
from runner.suites.nextedit.systems.own_module import ModuleTransport
from runner.suites.nextedit.systems.own_system import OwnSystem

__all__ = ["HttpAddress", "file_editor", "http_editor", "is_own_file"]

_PYTHON = ".py"


def is_own_file(name: str) -> bool:
    """Return whether a name is that of a Python file, and not the command of an agent that ends in one."""
    return name.endswith(_PYTHON) and not is_agent(name)


def file_editor(settings: ModuleSettings, commit: Commit) -> OwnSystem:
    """The editor that asks a Python file about a commit."""
    return OwnSystem(ModuleTransport(settings), commit)


def http_editor(address: HttpAddress, commit: Commit) -> OwnSystem:
    """The editor that asks a server about a commit."""
    return OwnSystem(HttpTransport(address, time.monotonic_ns), commit)
