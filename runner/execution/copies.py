"""A worker's private copy of a repository, in which one file at a time is replaced and put right again.

The bytes are copied once for each worker, never for a task. They are not hard links: a test that opens a file of the
tree for writing would write through one into the repository itself.
"""

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.resources import files as files_of
from pathlib import Path, PurePosixPath
from secrets import token_bytes
from tempfile import TemporaryDirectory
from types import MappingProxyType

from runner.errors import InputError
from runner.execution import stale_dirs
from runner.execution.forks import BrokenForkError, Forks, shadowed
from runner.execution.isolation import Cell
from runner.execution.sandbox import ProcessLimits, Ran, run
from runner.execution.untrusted_files import read_plain, remove
from runner.execution.witness import KEY, PLUGIN, SECRET_BYTES, STATEMENT, doubt, plugin_source
from runner.execution.workspace import File, Workspace
from runner.input_files import MEGABYTE, in_megabytes

_LEFT_OUT = frozenset({".git", ".hg", ".tox", ".nox", ".venv", "__pycache__", "node_modules", ".pytest_cache"})
_LONGEST_REPORT = 1 << 30
_LONGEST_STATEMENT = 64 << 20
# A file is read whole before it is copied.
_LARGEST_FILE = 1024 * MEGABYTE
_OLDEST = (3, 9)
_OPTIONS_IN = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_WITHOUT_CACHE = b"no:cacheprovider"
_NONE: Mapping[str, bytes] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class JudgeTarget:
    """The interpreter that runs the tests, its version, and the `PATH` that it finds programs by.

    `needed` are the folders that it cannot do without, `site` those of them that packages are installed in; `words` are
    those by which plug-ins that it has keep their hands off: what measures coverage or time, runs tests elsewhere, or
    leaves their order or their values to chance.
    """

    python: str
    path: str
    version: tuple[int, int]
    needed: tuple[Path, ...] = ()
    site: tuple[Path, ...] = ()
    words: tuple[str, ...] = ()


_ASK = """
import importlib.util, json, os, site, sys, sysconfig, pytest
paths = sysconfig.get_paths()
needed = sys.prefix, sys.base_prefix, os.path.dirname(sys.executable)
print(json.dumps([
    sys.version_info[:2],
    [*needed, *map(os.path.realpath, needed)],
    sorted({paths["purelib"], paths["platlib"], site.getusersitepackages(), *site.getsitepackages()}),
    [name for name in sys.argv[1:] if importlib.util.find_spec(name)],
]))
"""


_HANDS_OFF = {
    "pytest_benchmark": ("--benchmark-disable",),
    "hypothesis": ("--hypothesis-seed=0",),
    "pytest_cov": ("--no-cov",),
    "pytest_randomly": ("-p", "no:randomly"),
    "xdist": ("-n0",),
}


def target(python: str, path: str) -> JudgeTarget:
    """Ask an interpreter for its version. Raises InputError for one that is none, is too old, or has no pytest."""
    with TemporaryDirectory(prefix=stale_dirs.prefix("ask")) as folder:
        home = {"HOME": folder, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        ran = run(
            [python, "-c", _ASK, *_HANDS_OFF], cwd=Path(folder), limits=ProcessLimits(wall_s=60, cpu_s=60), env=home
        )
    if ran.exit_code != 0:
        message = ran.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise InputError(f"--python {python}: {message}; give an interpreter that has pytest and what the tests need")
    try:
        version, needed, site, plugins = json.loads(ran.stdout.splitlines()[-1])
    except (ValueError, TypeError, IndexError):
        raise InputError(f"--python {python}: no Python interpreter; give one that has pytest") from None
    if tuple(version) < _OLDEST:
        oldest, actual = (".".join(map(str, numbers)) for numbers in (_OLDEST, version))
        raise InputError(f"--python {python}: Python {actual}; give one of {oldest} or later")
    words = tuple(word for name in plugins for word in _HANDS_OFF[name])
    return JudgeTarget(python, path, tuple(version), tuple(map(Path, needed)), tuple(map(Path, site)), words)


def truths(repo: Path, target: JudgeTarget, files: Mapping[str, File]) -> tuple[Path, ...]:
    """Return where an answer could read what stood in its hole: the repository, and installed copies of its packages.

    Of a repository that the interpreter is in, all but that part.
    """
    root = repo.resolve()
    paths = _without(root, [place for place in target.needed if place.is_relative_to(root)])
    paths = [path for path in paths if path.exists()]
    return tuple(sorted((*paths, *(path for site in target.site for path in installed_in(files, site)))))


def installed_in(paths: Collection[str], site: Path) -> set[Path]:
    """Return what is installed in a site of the packages and modules that a tree of these paths has."""
    places = (place for path in _below_roots(paths) for place in _installed(path, site))
    return {place for place in places if place.exists()}


def _without(root: Path, needed: Sequence[Path]) -> list[Path]:
    """Return a folder, or if it holds places that are needed, its entries that hold none of them."""
    if not needed:
        return [root]
    return [entry for entry in root.iterdir() if not any(place.is_relative_to(entry) for place in needed)]


def _installed(path: str, site: Path) -> list[Path]:
    """Return where a copy of a package or top-level module would be installed, by its path below an import root."""
    parts = PurePosixPath(path).parts
    # A folder without __init__.py does not hide an installed package, which then may be another's and needed.
    if len(parts) == 2 and parts[1] == "__init__.py":
        return [site / parts[0]]
    if len(parts) == 1 and path.endswith(".py"):
        return [site / parts[0], *(site / "__pycache__").glob(f"{path.removesuffix('.py')}.*.pyc")]
    return []


def roots(paths: Collection[str]) -> tuple[str, ...]:
    """Return the import roots of a tree: itself, `src`, and `lib` or `python` where they hold packages."""
    packages = {parts[0] for parts in (PurePosixPath(path).parts for path in paths) if parts[2:] == ("__init__.py",)}
    return ("", "src", *(name for name in ("lib", "python") if name in packages and f"{name}/__init__.py" not in paths))


def _below_roots(paths: Collection[str]) -> Iterator[str]:
    for root in roots(paths):
        yield from (path[len(root) :].lstrip("/") for path in paths if not root or path.startswith(f"{root}/"))


def tree_files(repo: Path) -> dict[str, File]:
    """Return the files below a folder, sorted, without version control, caches and environments.

    Links to files inside are read through, other links left out. Raises InputError for what is no folder.
    """
    if not repo.is_dir():
        raise InputError(f"{repo}: no such folder; give the repository's root as --repo")
    root = repo.resolve()
    return {
        path.relative_to(root).as_posix(): File(partial(path.read_bytes), os.access(path, os.X_OK))
        for path in sorted(_walk(root))
        if path.resolve().is_relative_to(root) and path.is_file() and not _refused(path)
    }


def _refused(path: Path) -> bool:
    """False, for a file that is small enough to be copied. Raises InputError for another."""
    if path.stat().st_size > _LARGEST_FILE:
        limit = in_megabytes(_LARGEST_FILE)
        raise InputError(f"{path}: larger than {limit}, the limit for a repository's file; remove it")
    return False


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [
            name for name in folders if name not in _LEFT_OUT and not (Path(folder) / name / "pyvenv.cfg").exists()
        ]
        # Of a worktree or a submodule `.git` is a file.
        yield from (Path(folder) / name for name in names if name != ".git")


def tree_digest(files: Mapping[str, File]) -> str:
    """Return the digest of a tree: of its paths and their bytes."""
    whole = sha256()
    for path, file in files.items():
        whole.update(f"{path}\0{sha256(file.read()).hexdigest()}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


class Copy:
    """One folder with a copy of the tree, a home, a place for temporary files and one for reports."""

    def __init__(self, cell: Cell, files: Mapping[str, File], target: JudgeTarget) -> None:
        """Write the copy into the cell's folder, which is empty. Runs are forked where `cell` permits it."""
        self.folder = cell.folder
        self.tree = cell.folder / "tree"
        self.tree.mkdir()
        self._files = files
        self._workspace = Workspace(self.tree, files)
        self._target = target
        self._cell = cell
        self._forks: Forks | None = None
        texts = (files[name].read() for name in _OPTIONS_IN if name in files)
        self._has_cache = not any(_WITHOUT_CACHE in text for text in texts)
        self._pinned = files_of("runner.execution").joinpath("seed_plugin.py").read_bytes()
        self._witness = plugin_source()
        self._may_fork = cell.isolation.contained
        self._closed = False

    @property
    def reports(self) -> Path:
        """Where runs leave what is read afterwards."""
        return self.folder / "reports"

    def report(self, name: str, most: int = _LONGEST_REPORT) -> bytes | None:
        """Return the report of the last run; None where it is missing, not a plain file, or larger than the limit."""
        return read_plain(self.reports / name, most)

    def text(self, path: str) -> str:
        """Return the text of a file of the tree as it is now; surrogate escapes for bytes that are not UTF-8."""
        return (self.tree / path).read_bytes().decode("utf-8", "surrogateescape")

    def witnessed(
        self, path: str, text: str, words: list[str], limits: ProcessLimits, tests: Sequence[str]
    ) -> tuple[Ran, str | None]:
        """Run `tests`, and return with the end why it is not believed that all of them passed, if it is not."""
        secret = token_bytes(SECRET_BYTES)
        watched = frozenset(test.partition("::")[0] for test in tests) - {path}
        beside = {f"{PLUGIN}.py": self._witness, KEY: secret}
        ran, rewritten = self._run({path: text}, ["-p", PLUGIN, *words], limits, beside, watched)
        if rewritten:
            return ran, f"{rewritten} was rewritten while its tests ran"
        return ran, doubt(self.report(STATEMENT, _LONGEST_STATEMENT), secret, tests)

    def run(
        self, path: str | None, text: str, words: list[str], limits: ProcessLimits, plugins: Mapping[str, bytes] = _NONE
    ) -> Ran:
        """Run pytest with `words` in the tree while the file at `path` has another text.

        Tests draw the same numbers by chance every time. Afterwards the tree is as it was, and reports are those of
        this run alone. With plug-ins, files by their names which can be imported, it is never forked.
        """
        texts = {} if path is None else {path: text}
        return self._run(texts, words, limits, plugins, forked=not plugins)[0]

    def _run(
        self,
        texts: Mapping[str, str],
        words: list[str],
        limits: ProcessLimits,
        plugins: Mapping[str, bytes],
        watched: Collection[str] = (),
        *,
        forked: bool = True,
    ) -> tuple[Ran, str | None]:
        """Run pytest, and return with the end the first of the watched files that is another than before."""
        words = [*self._target.words, *self._placed(), "-p", "evals_pinned", *words]
        self._clear()
        before = {path: self.text(path) for path in texts}
        files = {"evals_pinned.py": self._pinned, **plugins}
        self._place(files)
        try:
            self._workspace.put(texts, touched=False)
            ran = self._forked(words, limits) if forked else None
            if ran is None:
                # A fork that broke may have taken the key.
                self._place(files)
                ran = self._started(words, limits)
            return ran, next(filter(self._differs, sorted(watched)), None)
        finally:
            self._put_right(before)

    def _place(self, plugins: Mapping[str, bytes]) -> None:
        for name, data in plugins.items():
            (self.folder / "plugins" / name).write_bytes(data)

    def _differs(self, name: str) -> bool:
        """Return whether a file of the tree is another than it was; one that the tree never had is not."""
        return name in self._files and read_plain(self.tree / name, _LARGEST_FILE) != self._files[name].read()

    def _placed(self) -> list[str]:
        """Return the folder options for pytest: its root is the tree; its cache, if it has one, is always new."""
        root = f"--rootdir={self.tree.resolve()}"
        if not self._has_cache:
            return [root]
        return [root, "-o", f"cache_dir={self.folder.resolve() / 'tmp' / 'cache'}"]

    def close(self) -> None:
        """End the process that runs were forked from; a run under way ends with it, by InterruptedError."""
        self._closed = True
        self._end_forks()

    def _end_forks(self) -> None:
        if self._forks is not None:
            self._forks.close()
            self._forks = None

    def _started(self, words: list[str], limits: ProcessLimits) -> Ran:
        command = [self._target.python, "-B", "-m", "pytest", *words]
        return run(command, cwd=self.tree, limits=limits, env=self._environment(), cell=self._cell)

    def _forked(self, words: list[str], limits: ProcessLimits) -> Ran | None:
        """Return the run in a fork; None where that cannot be, and from then on."""
        try:
            if self._may_fork and self._forks is None:
                self._forks = Forks(self._cell, self._target.python, self._environment())
                self._may_fork = not shadowed(self._forks.names, self._files)
            if self._may_fork and self._forks is not None:
                return self._forks.run(words, cwd=self.tree.resolve(), env=self._environment(), limits=limits)
        except BrokenForkError:
            self._may_fork = False
        self._end_forks()
        if self._closed:
            # No caller waits for it any longer: it must not be started again.
            raise InterruptedError("the copy was closed under way")
        return None

    @property
    def forks(self) -> bool:
        """Return whether the last run was forked."""
        return self._forks is not None

    def _put_right(self, texts: Mapping[str, str | None]) -> None:
        try:
            self._workspace.put(texts)
        except OSError:
            # Too deep to be walked, or too full. What was forked from sees the old folder no more than the new one.
            remove(self.tree)
            self.tree.mkdir()
            self._workspace = Workspace(self.tree, self._files)

    def _clear(self) -> None:
        """Make all beside the tree new: what a test left there is no business of the next."""
        for path in self.folder.iterdir():
            if path != self.tree:
                remove(path)
        for name in ("home", "plugins", "reports", "tmp"):
            (self.folder / name).mkdir()
        # Where pytest looks for options after the tree: it finds none here, and goes no further up.
        (self.folder / "pytest.ini").touch()

    def _environment(self) -> dict[str, str]:
        tree = self.tree.resolve()
        paths = [os.fspath(tree / root) for root in roots(self._files)]
        return {
            "EVALS_TRACE": str(self.reports / "trace.json"),
            "HOME": str(self.folder / "home"),
            "LC_ALL": "C.UTF-8",
            "PATH": self._target.path,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join((*paths, str(self.folder / "plugins"))),
            "TMPDIR": str(self.folder / "tmp"),
            "TZ": "UTC",
        }
