"""A worker's private copy of a repository, in which one file at a time is replaced and put right again.

The bytes are copied once for each worker, never for a task. They are not hard links: a test that opens a file of the
tree for writing would write through one into the repository itself.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.errors import InputError
from runner.isolation import Cell, Isolation
from runner.sandbox import Limits, Ran, run
from runner.workspace import File, Workspace

_LEFT_OUT = frozenset({".git", ".hg", ".tox", ".nox", ".venv", "__pycache__", "node_modules", ".pytest_cache"})


@dataclass(frozen=True, slots=True)
class Target:
    """The interpreter that runs the tests, its version, and the `PATH` that it finds programs by."""

    python: str
    path: str
    version: tuple[int, int]


def target(python: str, path: str) -> Target:
    """Ask an interpreter for its version. Raises InputError for one that is none, or that has no pytest."""
    ask = "import sys, pytest; print(*sys.version_info[:2])"
    with TemporaryDirectory(prefix="evals-ask-") as folder:
        home = {"HOME": folder, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        ran = run([python, "-c", ask], cwd=Path(folder), limits=Limits(wall_s=60, cpu_s=60), env=home)
    if ran.exit_code != 0:
        said = ran.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise InputError(f"--python {python}: {said}; give an interpreter that has pytest and what the tests need")
    major, minor = map(int, ran.stdout.split())
    return Target(python, path, (major, minor))


def tree_files(repo: Path) -> dict[str, File]:
    """The files below a folder, sorted, without version control, caches and environments.

    Links to files inside are read through, other links left out. Raises InputError for what is no folder.
    """
    if not repo.is_dir():
        raise InputError(f"{repo}: no such folder; give the repository's root as --repo")
    root = repo.resolve()
    return {
        path.relative_to(root).as_posix(): File(partial(path.read_bytes), os.access(path, os.X_OK))
        for path in sorted(_walk(root))
        if path.resolve().is_relative_to(root) and path.is_file()
    }


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [
            name for name in folders if name not in _LEFT_OUT and not (Path(folder) / name / "pyvenv.cfg").exists()
        ]
        yield from (Path(folder) / name for name in names)


def tree_digest(files: Mapping[str, File]) -> str:
    """The digest of a tree: of its paths and their bytes."""
    whole = sha256()
    for path, file in files.items():
        whole.update(f"{path}\0{sha256(file.read()).hexdigest()}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


class Copy:
    """One folder with a copy of the tree, a home, a place for temporary files and one for reports."""

    def __init__(self, folder: Path, files: Mapping[str, File], target: Target, isolation: Isolation) -> None:
        """Write the copy into an empty folder."""
        self.folder = folder
        self.tree = folder / "tree"
        for made in (self.tree, self.reports, folder / "plugins"):
            made.mkdir()
        self._workspace = Workspace(self.tree, files)
        self._target = target
        self._cell = Cell(folder, isolation)

    @property
    def reports(self) -> Path:
        """Where runs leave what is read afterwards."""
        return self.folder / "reports"

    def text(self, path: str) -> str:
        """The text of a file of the tree as it is now; surrogate escapes for bytes that are not UTF-8."""
        return (self.tree / path).read_bytes().decode("utf-8", "surrogateescape")

    def run(self, path: str | None, text: str, words: list[str], limits: Limits, plugin: Path | None = None) -> Ran:
        """Run the interpreter with `words` in the tree while the file at `path` has another text.

        Afterwards the tree is as it was, and reports are those of this run alone.
        """
        self._clear()
        before = None if path is None else self.text(path)
        if plugin is not None:
            (self.folder / "plugins" / "evals_tracer.py").write_bytes(plugin.read_bytes())
        try:
            if path is not None:
                self._workspace.put({path: text})
            command = [self._target.python, "-B", *words]
            return run(command, cwd=self.tree, limits=limits, env=self._environment(), cell=self._cell)
        finally:
            if path is not None:
                self._workspace.put({path: before})
            else:
                self._workspace.restore()

    def _clear(self) -> None:
        """Make the folders beside the tree empty: what a test left there is no business of the next."""
        for name in ("home", "tmp", "reports"):
            _remove(self.folder / name)
            (self.folder / name).mkdir()

    def _environment(self) -> dict[str, str]:
        tree = self.tree.resolve()
        return {
            "EVALS_TRACE": str(self.reports / "trace.json"),
            "HOME": str(self.folder / "home"),
            "LC_ALL": "C.UTF-8",
            "PATH": self._target.path,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join((str(tree), str(tree / "src"), str(self.folder / "plugins"))),
            "TMPDIR": str(self.folder / "tmp"),
            "TZ": "UTC",
        }


def _remove(folder: Path) -> None:
    """Remove a folder in which something untrusted worked: modes that forbid it are set right first."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
        return
    for each, folders, names in os.walk(folder):
        Path(each).chmod(0o700)
        for name in (*names, *(one for one in folders if (Path(each) / one).is_symlink())):
            (Path(each) / name).unlink()
    for each, _, _ in os.walk(folder, topdown=False):
        Path(each).rmdir()
