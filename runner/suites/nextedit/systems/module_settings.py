"""How third-party modules run, as the options say: their variables and limits, their isolation, what is hidden."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir

from runner.environment import variables_of
from runner.errors import InputError
from runner.execution import stale_dirs
from runner.execution.isolation import strongest
from runner.execution.untrusted_files import remove
from runner.git import GitError, Repository
from runner.shipped import shipped
from runner.suites.nextedit.folders import make_folder
from runner.suites.nextedit.options import DEFAULT_CASES, NextEditOptions
from runner.suites.nextedit.repository_paths import objects_of, trees_of
from runner.suites.nextedit.systems.child_process import ChildLimits
from runner.suites.nextedit.systems.module_cell import ModuleSettings, harmless, with_network


def module_settings(options: NextEditOptions) -> ModuleSettings:
    """How modules are run; finds out which isolation is permitted here. Raises InputError."""
    modules = options.modules
    isolation = strongest()
    # The trees of processes that were killed.
    stale_dirs.sweep(Path(gettempdir()), remove)
    if modules.log_dir is not None:
        make_folder("--log-dir", modules.log_dir)
    if modules.module_network:
        isolation = with_network(isolation)
    objects, trees = _repositories(options)
    named = modules.module_env or ()
    variables = variables_of(Path.cwd(), os.environ)
    # Of `.env` only what is named: other variables could steer the programs that make the cell.
    env = {name: value for name, value in variables.merged.items() if name in named or name in variables.process}
    return ModuleSettings(
        path=Path(),
        env=harmless(env, named),
        limits=ChildLimits(question_s=modules.module_timeout),
        isolation=isolation,
        hidden=(*objects, *_answers(options)),
        trees=tuple(trees),
        log_dir=modules.log_dir,
    )


def isolation_note(modules: ModuleSettings) -> str:
    """A line that says how modules are isolated."""
    isolation = modules.isolation
    weak = "" if isolation.whole else "; nothing else is permitted here, so what they write elsewhere stays"
    return f"modules run in: {', '.join(isolation.means)}{weak}"


def _repositories(options: NextEditOptions) -> tuple[list[Path], list[Path]]:
    """Where commits can be read to their end in what git keeps, and where in what is checked out."""
    folder, repo = options.source.repos_dir, options.source.repo
    # What is still to be cloned will be in that folder.
    objects: list[Path] = []
    trees = [folder.resolve()] if folder else []
    for path in [repo] if repo else sorted(folder.glob("*") if folder else ()):
        try:
            with Repository(path) as repository:
                objects += objects_of(repository)
                trees += trees_of(repository)
        except (InputError, GitError):
            continue  # what is no repository is reported when its commits are read
    return objects, trees


def _answers(options: NextEditOptions) -> Iterator[Path]:
    """The bundles and the database: a system must not look up what it is asked for."""
    cases = options.cases or shipped(DEFAULT_CASES)
    if cases.exists():
        yield cases.resolve()
    # The files that the database keeps beside itself come and go.
    database = options.db.resolve()
    yield from (database.with_name(database.name + end) for end in ("", "-wal", "-shm"))
