"""An environment for a repository's tests: made in a folder of its own, filled by a command of the person's."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.errors import InputError
from runner.execution import stale_dirs
from runner.execution.copies import tree_files
from runner.execution.workspace import Workspace


@contextmanager
def installed(repo: Path, python: str, command: str, environ: Mapping[str, str]) -> Iterator[str]:
    """The interpreter of a new environment after `command` was run by the shell in a copy of the repository.

    The environment's programs come first in its `PATH`, so `pip install pytest .` does what it says. The command is the
    person's own and is not isolated. Raises InputError where it fails.
    """
    with TemporaryDirectory(prefix=stale_dirs.prefix("install"), ignore_cleanup_errors=True) as folder:
        environment, tree = Path(folder) / "env", Path(folder) / "tree"
        tree.mkdir()
        Workspace(tree, tree_files(repo))
        _call([python, "-m", "venv", str(environment)], Path(folder), environ)
        programs = environment / "bin"
        path = os.pathsep.join((str(programs), environ.get("PATH", os.defpath)))
        _call(["/bin/sh", "-c", command], tree, {**environ, "PATH": path, "VIRTUAL_ENV": str(environment)})
        yield str(programs / "python")


def _call(words: list[str], cwd: Path, environ: Mapping[str, str]) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - the command is the person's
            words, cwd=cwd, env=dict(environ), stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise InputError(f"--python {words[0]}: {error.strerror}; give an interpreter") from None
    if done.returncode != 0:
        output = (done.stdout + done.stderr).decode(errors="replace").strip().rpartition("\n")[2]
        reason = f": {output}" if output else " and printed nothing"
        raise InputError(f"--install: {words[-1]!r} ended with code {done.returncode}{reason}; fix the command")
