"""A scratch copy of a tree, without a repository, that can be put right again after someone worked in it."""

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from runner.execution import stale_dirs
from runner.file_names import name_part
from runner.git import Repository

_EXECUTABLE = "100755"
_SUBMODULE = "160000"


@dataclass(frozen=True, slots=True)
class _Seen:
    """The metadata of a file when we wrote it; any later change of the file changes them."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class File:
    """A file of a tree: where its bytes come from, and whether it can be run."""

    read: Callable[[], bytes]
    executable: bool = False


Files = Mapping[str, File]


def files_of(texts: Mapping[str, str]) -> dict[str, File]:
    """Texts as files; surrogate escapes become the bytes they stand for."""
    return {path: File(partial(text.encode, "utf-8", "surrogateescape")) for path, text in texts.items()}


def files_at(repository: Repository, revision: str) -> dict[str, File]:
    """Return the files of a commit, by their full id; links are files that hold their target, submodules are left out.

    Raises GitError; the files' bytes are read only when they are written.
    """
    files = {}
    for entry in repository.run("ls-tree", "-r", "-z", "--full-tree", revision).split(b"\0"):
        if not entry:
            continue
        about, _, path = entry.partition(b"\t")
        mode, _, blob_id = about.decode("ascii").split(" ")
        if mode != _SUBMODULE:
            files[os.fsdecode(path)] = File(partial(repository.object, blob_id, "blob"), mode == _EXECUTABLE)
    return files


class Workspace:
    """A folder that holds certain files, and no others once it was put right."""

    def __init__(self, folder: Path, files: Files) -> None:
        """Write the files into an empty folder. Raises ValueError for a path out of the folder."""
        self.folder = folder
        self._files = dict(files)
        self._seen: dict[str, _Seen] = {}
        for path in files:
            _check(path)
            self._write(path)

    def put(self, texts: Mapping[str, str | None], *, touched: bool = True) -> None:
        """Set the texts of some files (None = not there). Raises ValueError for a path out of the folder.

        Before that the folder is put right, unless nobody can have `touched` it since it was.
        """
        for path in texts:
            _check(path)
        if touched:
            self.restore()
        removed = [path for path, text in texts.items() if text is None and path in self._files]
        for path, text in texts.items():
            self._remove(path)
            if text is not None:
                self._files |= files_of({path: text})
                self._write(path)
        self._drop_folders(_folders_of(removed) - _folders_of(self._files))

    def restore(self) -> tuple[str, ...]:
        """Undo what others changed, made or removed in the folder; returns those paths, sorted.

        Raises OSError where they made it so deep that it cannot be walked.
        """
        if self.folder.is_symlink() or not self.folder.is_dir():
            # Whatever stands in its place leads elsewhere, where nothing is ours to remove.
            self.folder.unlink(missing_ok=True)
            self.folder.mkdir()
        files, folders = self._scan()
        foreign = files.keys() - self._files.keys()
        changed = {path for path in self._files if files.get(path) != self._seen[path]}
        for path in foreign:
            (self.folder / path).unlink()
        for path in changed:
            self._write(path)
        self._drop_folders(folders - _folders_of(self._files))
        return tuple(sorted({*foreign, *changed}))

    def _scan(self) -> tuple[dict[str, _Seen | None], set[str]]:
        """Return how the files look, and which folders there are; folders that were closed are opened."""
        files: dict[str, _Seen | None] = {}
        folders: set[str] = set()
        pending = [""]
        while pending:
            inside = pending.pop()
            _open_up(self.folder / inside)
            with os.scandir(self.folder / inside) as entries:
                for entry in entries:
                    path = f"{inside}/{entry.name}" if inside else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(path)
                        folders.add(path)
                    else:
                        files[path] = _look(entry)
        return files, folders

    def _write(self, path: str) -> None:
        target = self.folder / path
        self._clear_way(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(self._files[path].read())
        if self._files[path].executable:
            target.chmod(target.stat().st_mode | stat.S_IXUSR)
        seen = _look(target)
        assert seen is not None
        self._seen[path] = seen

    def _remove(self, path: str) -> None:
        if self._files.pop(path, None) is not None:
            (self.folder / path).unlink()
            del self._seen[path]

    def _clear_way(self, path: str) -> None:
        """Take away what is not ours where the file or one of its folders is to be; never write through a link."""
        target = self.folder
        for part in PurePosixPath(path).parts[:-1]:
            target /= part
            if target.is_symlink() or target.is_file():
                target.unlink()
        target /= PurePosixPath(path).name
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)

    def _drop_folders(self, foreign: Iterable[str]) -> None:
        """Remove folders, of which only empty ones are left; the deepest first."""
        for path in sorted(foreign, key=len, reverse=True):
            # Where a folder stood in the place of a file of ours, there is the file again.
            with suppress(NotADirectoryError):
                (self.folder / path).rmdir()


def _folders_of(paths: Iterable[str]) -> set[str]:
    """Return the folders that files are in."""
    return {parent.as_posix() for path in paths for parent in PurePosixPath(path).parents if parent.name}


def _open_up(folder: Path) -> None:
    """Make a folder accessible to its owner: a program without privileges runs as that user."""
    mode = folder.stat().st_mode
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        folder.chmod(stat.S_IMODE(mode) | stat.S_IRWXU)


def _check(path: str) -> None:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or "\0" in path or {"..", ".git"} & set(parts):
        raise ValueError(f"{path!r} is no path inside a tree")


def _look(path: Path | os.DirEntry[str]) -> _Seen | None:
    """Return how a file looks; None for what is no plain file."""
    about = path.stat(follow_symlinks=False)
    if not stat.S_ISREG(about.st_mode):
        return None
    return _Seen(about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino)


@contextmanager
def scratch(files: Files, name: str = "tree") -> Iterator[Workspace]:
    """Make a workspace in its own folder, which is removed afterwards with all that was written beside it.

    The tree's folder is called by the `name`, as far as that can be the name of one. What a killed process leaves can
    be swept.
    """
    with tempfile.TemporaryDirectory(prefix=stale_dirs.prefix("tree"), ignore_cleanup_errors=True) as folder:
        tree = Path(folder) / (name_part(name) or "tree")
        tree.mkdir()
        yield Workspace(tree, files)
