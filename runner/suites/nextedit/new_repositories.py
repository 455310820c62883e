"""Repositories that are made here: clones, and pairs of trees as commits. Cloning is GitPython's."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from runner.errors import InputError
from runner.git import GitError, Repository, init, one_line

Texts = Mapping[bytes, bytes]

_SCHEMES = ("https://", "ssh://", "file://")


def clone(url: str, into: Path) -> Repository:
    """Clone `url` bare into the new folder `into` (no checkout, so no filter and no hook runs) and open it.

    Raises InputError for an address that is not plain https, ssh or file, and GitError if cloning fails; nothing
    half-cloned remains, so a folder that exists is whole.
    """
    if not url.startswith(_SCHEMES) or any(letter.isspace() or not letter.isprintable() for letter in url):
        raise InputError(f"{url!r} cannot be cloned: give a plain https://, ssh:// or file:// address")
    if into.exists():
        raise InputError(f"{into} is there already: name a new folder to clone into")
    from git import GitCommandError, Repo

    try:
        into.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{into.parent} cannot be made: {error.strerror}; name another folder to clone into"
        ) from error
    protocols = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "https:ssh:file"}
    with tempfile.TemporaryDirectory(dir=into.parent, prefix=f".{into.name}.") as unfinished:
        try:
            Repo.clone_from(url, Path(unfinished) / "clone", bare=True, env=protocols).close()
        except GitCommandError as error:
            raise GitError(f"{url}: {one_line(str(error.stderr).encode())}") from error
        (Path(unfinished) / "clone").rename(into)
    return Repository(into)


def write_pairs(folder: Path, pairs: Sequence[tuple[Texts, Texts]]) -> tuple[tuple[str, str], ...]:
    """Make a bare repository in `folder` with two commits per pair of {path: content}; returns their full ids.

    It lends git's own diff to texts that lie in no repository; nothing is checked out, so any path will do.
    """
    repository = init(folder)
    stream = [part for number, texts in enumerate(chain.from_iterable(pairs), 1) for part in _import(number, texts)]
    stream += [f"get-mark :{number}\n".encode() for number in range(1, 2 * len(pairs) + 1)]
    stream.append(b"done\n")
    ids = iter(repository.run("fast-import", "--quiet", "--done", stdin=b"".join(stream)).decode().split())
    return tuple(zip(ids, ids, strict=True))


def _import(mark: int, texts: Texts) -> Iterator[bytes]:
    yield f"commit refs/heads/pairs\nmark :{mark}\ncommitter evals <evals> 0 +0000\ndata 0\ndeleteall\n".encode()
    for path, content in texts.items():
        quoted = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
        yield b'M 100644 inline "%b"\ndata %d\n%b\n' % (quoted, len(content), content)
