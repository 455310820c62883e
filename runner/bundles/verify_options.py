"""How a bundle is verified: what of others' code may run for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.bundles.foreign_tools import check_named
from runner.errors import InputError
from runner.execution.isolation import NOT_WEAK, Weak
from runner.run.suite import ReplayOptions
from runner.storage.rows import config_of, to_json
from runner.storage.store import Store

# What a replay needs of the machine that made the run.
_REPOSITORY = "repo"


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """How a bundle is verified: plug-ins' wires, whether tests are run, on which repository if not on none.

    `edit_tools` are the foreign edit tools that may be started, in cells unless `weak` permits to do without.
    """

    wires: tuple[str, ...] = ()
    run_tests: bool = False
    repository: Path | None = None
    edit_tools: tuple[str, ...] = ()
    weak: Weak = NOT_WEAK

    @property
    def scoring(self) -> ReplayOptions:
        """How answers are scored again."""
        return ReplayOptions(
            wires=self.wires, as_recorded=True, run_tests=self.run_tests, edit_tools=self.edit_tools, weak=self.weak
        )


def prepare(store: Store, run_ids: Sequence[str], options: VerifyOptions) -> None:
    """Have the runs of a bundle find what the options name. Raises InputError where a run has no use for one."""
    check_named(store, run_ids, options.edit_tools)
    for run_id in run_ids:
        _name_repository(store, run_id, options)


def _name_repository(store: Store, run_id: str, options: VerifyOptions) -> None:
    """Have the tests of a run looked up in a folder of this machine. Raises InputError where one is missing."""
    (row,) = store.rows("SELECT run_id, config FROM runs WHERE run_id = ?", run_id)
    config = config_of(row)
    needed = _REPOSITORY in config["settings"]
    if options.run_tests and needed and options.repository is None:
        raise InputError("--run-tests: the tests are those of a repository, which is not in the bundle; give --repo")
    if options.repository is None:
        return
    if not needed:
        raise InputError(f"--repo: the tests of run {run_id} need no repository; leave it out")
    config["settings"][_REPOSITORY] = str(options.repository.resolve())
    with store.transaction():
        store.update("runs", {"run_id": run_id}, {"config": to_json(config)})
