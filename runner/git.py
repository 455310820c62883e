"""Reading commits from a repository as bytes: git's own diff, and one long-lived `cat-file --batch`.

The git binary does the reading: it is an order of magnitude cheaper than the libraries, and its diff is the one
people see. Whatever the person's or the repository's configuration could run or change (hooks, external diffs,
text conversions, another diff algorithm, fetching of missing objects) is switched off.
"""

import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from runner.errors import InputError

_SWITCHES = {
    "core.attributesFile": "/dev/null",
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.quotePath": "true",
    "diff.indentHeuristic": "true",
    "diff.renameLimit": "1000",
    "diff.suppressBlankEmpty": "false",
    "protocol.allow": "never",
    # The person named this repository, and what its configuration could run is off: whose files they are is no matter.
    "safe.directory": "*",
}
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "HOME": "/nonexistent",
    "LC_ALL": "C",
}
_DIFF = (
    "diff-tree",
    "-r",
    "--no-color",
    "--full-index",
    "--no-ext-diff",
    "--no-textconv",
    "--diff-algorithm=myers",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_RENAMES = "--find-renames=50%"
_MEGABYTE = 1 << 20


class GitError(Exception):
    """Git refused, or an object is not there; the message is git's own, in one line."""


@dataclass(frozen=True, slots=True)
class CommitObject:
    """A commit's own fields; the message is decoded with the commit's encoding, bad bytes replaced."""

    sha: str
    parents: tuple[str, ...]
    author: str
    authored: int
    message: str


@dataclass(frozen=True, slots=True)
class PathChange:
    """One touched path: `status` is git's letter (A D M R T), modes are octal text, paths are bytes."""

    status: str
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str
    old_path: bytes
    new_path: bytes


@dataclass(frozen=True, slots=True)
class LineRun:
    """A maximal run of changed lines: lines `old[old_start:old_end]` became `new[new_start:new_end]`, 0-based."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


Runs = Mapping[tuple[str, str], tuple[LineRun, ...]]


class Repository:
    """A repository being read; a context manager, because it holds a child process once a blob was asked for."""

    def __init__(self, path: Path, *, made_here: bool = False) -> None:
        """Open the repository at `path`, bare or not. Raises InputError if there is none; one `made_here` is there."""
        self.path = path
        self._objects: subprocess.Popen[bytes] | None = None
        if made_here:
            return
        if not path.is_dir():
            raise InputError(f"{path}: no such folder; name a git repository")
        try:
            self.run("rev-parse", "--git-dir")
        except GitError as error:
            raise InputError(f"{path}: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child process."""
        if self._objects is not None:
            self._objects.communicate()
            self._objects = None

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return what one git command prints. Raises GitError if it fails."""
        command = _command(self.path, *arguments)
        done = subprocess.run(command, input=stdin, capture_output=True, env=_ENVIRONMENT, check=False)  # noqa: S603 - no shell
        if done.returncode:
            raise GitError(one_line(done.stderr) or f"git {arguments[0]} failed")
        return done.stdout

    def revisions(self, expression: str) -> tuple[str, ...]:
        """Return the commits of a range `A..B`, oldest first, or the one commit of a plain revision, as full ids.

        Raises InputError where git knows no such revision.
        """
        arguments = (
            "rev-list",
            "--no-walk=unsorted",
            "--topo-order",
            "--reverse",
            "--end-of-options",
            expression,
            "--",
        )
        try:
            return tuple(self.run(*arguments).decode("ascii").split())
        except GitError as error:
            raise InputError(f"{self.path}: {error}; name a revision or a range A..B") from error

    def ancestry(self, revisions: Sequence[str], since: int | None = None) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the full ids of each commit and of its parents, for ranges or whole histories, newest first.

        `since` is the least commit time, in seconds. Where a shallow clone ends, commits have no parents. Raises
        InputError where git knows no such revision.
        """
        aged = () if since is None else (f"--max-age={since}",)
        try:
            output = self.run("rev-list", "--parents", *aged, "--end-of-options", *revisions, "--")
        except GitError as error:
            raise InputError(f"{self.path}: {error}; name a revision or a range A..B") from error
        for line in output.decode("ascii").splitlines():
            sha, *parents = line.split()
            yield sha, tuple(parents)

    def commit(self, sha: str) -> CommitObject:
        """Return the commit with the full id `sha`. Raises GitError if there is none."""
        return _parse_commit(sha, self.object(sha, "commit"))

    def blob(self, blob_id: str, limit: int | None = None) -> bytes | None:
        """Return the content of a blob, None if it is longer than `limit` bytes. Raises GitError if it is missing."""
        try:
            return self.object(blob_id, "blob", limit)
        except OverflowError:
            return None

    def object(self, object_id: str, kind: str, limit: int | None = None) -> bytes:
        """Return the content of an object.

        Raises GitError if it is missing or of another kind, OverflowError if it is longer than `limit` bytes.
        """
        if len(object_id) not in {40, 64} or not set(object_id) <= set("0123456789abcdef"):
            raise GitError(f"{object_id!r} is no full object id")
        actual_kind, size, content = self._read(object_id, limit)
        if content is None:
            raise OverflowError(size)
        if actual_kind != kind:
            raise GitError(f"{object_id} is a {actual_kind}, not a {kind}")
        return content

    def _read(self, object_id: str, limit: int | None) -> tuple[str, int, bytes | None]:
        """Return the kind, the size and the content of an object; no content above `limit`. Raises GitError."""
        child = self._objects or self._start()
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(f"{object_id}\n".encode("ascii"))
        child.stdin.flush()
        header = child.stdout.readline().split()
        if header and len(header) != 3:
            raise GitError(one_line(b" ".join(header)))
        size = int(header[2]) if header else 0
        content = None
        if limit is not None and size > limit:
            ended = not _skip(child, size + 1)
        else:
            content = child.stdout.read(size + 1)
            ended = len(content) <= size
        if ended:
            # At an object that is damaged, or promised by another repository, the child ends; a new one reads on.
            self.close()
            raise GitError(f"{object_id}: git cat-file ended")
        return header[1].decode("ascii"), size, None if content is None else content[:-1]

    def changes(self, old: str, new: str, *, renames: bool = True) -> tuple[PathChange, ...]:
        """Return the paths that differ between two commits, in git's order. Raises GitError."""
        flags = (_RENAMES,) if renames else ("--no-renames",)
        (changes,) = _parse_raw(self.run(*_DIFF, *flags, "--raw", "-z", "--end-of-options", old, new))
        return tuple(changes)

    def changes_of_each(self, commits: Sequence[tuple[str, str]]) -> tuple[tuple[PathChange, ...], ...]:
        """Return the changes of each commit (full id, parent's full id), by one call of git. Raises GitError."""
        pairs = "".join(f"{sha} {parent}\n" for sha, parent in commits).encode("ascii")
        _, *groups = _parse_raw(self.run(*_DIFF, _RENAMES, "--raw", "-z", "--always", "--stdin", stdin=pairs))
        return tuple(map(tuple, groups))

    def runs(self, old: str, new: str, *, renames: bool = True) -> Runs:
        """Return the changed lines of every pair of blobs that differs between two commits. Raises GitError.

        Every blob counts as text. One line of context is asked for because without any git cuts common tails off
        before it compares, which moves some edits.
        """
        flags = (_RENAMES,) if renames else ("--no-renames",)
        return _parse_runs(self.run(*_DIFF, *flags, "--patch", "--text", "--unified=1", "--end-of-options", old, new))

    def patch(self, old: str, new: str) -> bytes:
        """Return the diff of two commits with whole files as context, as people's git prints it. Raises GitError."""
        return self.run(*_DIFF, _RENAMES, "--patch", "--unified=10000000", "--end-of-options", old, new)

    def _start(self) -> subprocess.Popen[bytes]:
        self._objects = subprocess.Popen(  # noqa: S603 - an argument list, no shell
            _command(self.path, "cat-file", "--batch"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_ENVIRONMENT,
        )
        return self._objects


def init(folder: Path) -> Repository:
    """Make an empty bare repository in a folder, and open it."""
    subprocess.run(_command(folder, "init", "--quiet", "--bare"), env=_ENVIRONMENT, check=True, capture_output=True)  # noqa: S603 - no shell
    return Repository(folder, made_here=True)


def _command(path: Path, *arguments: str) -> list[str]:
    binary = shutil.which("git")
    if binary is None:
        raise InputError("git is not installed, or not on the PATH")
    switches = [part for key, value in _SWITCHES.items() for part in ("-c", f"{key}={value}")]
    return [binary, "--no-pager", "--literal-pathspecs", "-C", str(path), *switches, *arguments]


def one_line(message: bytes) -> str:
    """Return git's error message as one line."""
    return " ".join(message.decode("utf-8", "replace").removeprefix("fatal: ").split())


def _skip(child: subprocess.Popen[bytes], size: int) -> bool:
    """Return whether there were so many bytes to pass over."""
    assert child.stdout is not None
    while size and (passed := len(child.stdout.read(min(size, _MEGABYTE)))):
        size -= passed
    return not size


def _parse_commit(sha: str, content: bytes) -> CommitObject:
    head, _, message = content.partition(b"\n\n")
    fields: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        fields.setdefault(name, []).append(value)
    author = fields.get(b"author", [b""])[0]
    name, _, rest = author.rpartition(b"> ")
    encoding = fields.get(b"encoding", [b"utf-8"])[0].decode("ascii", "replace")
    return CommitObject(
        sha=sha,
        parents=tuple(parent.decode("ascii") for parent in fields.get(b"parent", [])),
        author=_decode(name + b">", encoding) if name else "",
        authored=int(rest.split()[0]) if rest.split() and rest.split()[0].isdigit() else 0,
        message=_decode(message, encoding),
    )


def _decode(text: bytes, encoding: str) -> str:
    try:
        return text.decode(encoding, "replace")
    except LookupError:
        return text.decode("utf-8", "replace")


def _parse_raw(output: bytes) -> list[list[PathChange]]:
    """Changes as git lists them; where it also names commits, each begins a new list."""
    fields = iter(output.split(b"\0"))
    groups: list[list[PathChange]] = [[]]
    for field in fields:
        if not field.startswith(b":"):
            groups.append([])
            continue
        old_mode, new_mode, old_id, new_id, status = field[1:].decode("ascii").split(" ")
        old_path = next(fields)
        new_path = next(fields) if status[0] in "RC" else old_path
        groups[-1].append(PathChange(status[0], old_mode, new_mode, old_id, new_id, old_path, new_path))
    # What stands behind the last NUL is no commit.
    return groups[:-1]


def _parse_runs(patch: bytes) -> Runs:
    lines = patch.split(b"\n")
    by_blobs: dict[tuple[str, str], list[LineRun]] = {}
    pair = ("", "")
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith(b"index "):
            old, _, new = line.split(b" ")[1].decode("ascii").partition("..")
            pair = (old, new)
            by_blobs[pair] = []
        elif line.startswith(b"@@ "):
            position = _parse_hunk(lines, position, line, by_blobs[pair])
    return {key: tuple(runs) for key, runs in by_blobs.items()}


def _parse_hunk(lines: list[bytes], position: int, header: bytes, runs: list[LineRun]) -> int:
    """Append the hunk's runs and return the position after it; counts, not markers, say where it ends."""
    (old, old_left), (new, new_left) = (_parse_side(side) for side in header.split(b" ")[1:3])
    start: tuple[int, int] | None = None
    while old_left or new_left:
        mark = lines[position][:1]
        position += 1
        if mark == b"\\":
            continue
        if mark == b" " and start is not None:
            runs.append(LineRun(start[0], old, start[1], new))
            start = None
        elif mark != b" " and start is None:
            start = (old, new)
        old_step, new_step = mark != b"+", mark != b"-"
        old, old_left = old + old_step, old_left - old_step
        new, new_left = new + new_step, new_left - new_step
    if start is not None:
        runs.append(LineRun(start[0], old, start[1], new))
    return position


def _parse_side(side: bytes) -> tuple[int, int]:
    """First line, 0-based, and number of lines of `-a,b` or `+a,b`; git gives an empty side the line before it."""
    first, _, count = side[1:].decode("ascii").partition(",")
    length = int(count) if count else 1
    return int(first) - (length > 0), length
