"""The suites: what can be benchmarked. A new one is a folder with the five parts, and a line here."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from runner.errors import InputError

if TYPE_CHECKING:
    from runner.run.suite import Suite

# Each folder has its `SUITE` in `suite.py`, imported on use, so that `evals --help` stays fast.
SUITES = {
    "diff_edit": "runner.suites.diff_edit",
    "nextedit": "runner.suites.nextedit",
    # Asks a model about pairs of edits, for the order of replays.
    "relations": "runner.suites.nextedit.relations",
    "codrep": "runner.suites.codrep",
    "completion": "runner.suites.completion",
    "codev": "runner.suites.completion.codev",
    "edit": "runner.suites.edit",
}


def suite_named(name: str) -> "Suite[Any, Any]":
    """The suite of a name. Raises InputError for an unknown one, such as that of another version's run."""
    if name not in SUITES:
        raise InputError(f"suite {name!r} is not known; known are {', '.join(SUITES)}")
    suite: Suite[Any, Any] = import_module(f"{SUITES[name]}.suite").SUITE
    return suite
