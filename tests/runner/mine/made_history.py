"""Repositories of which every commit changes what a test says, and what is mined from them."""

from collections.abc import Mapping
from pathlib import Path

import orjson

from runner.mine.case import Tally
from runner.mine.file_filter import SOURCES, FileFilter
from runner.mine.mining import KindName, Search, mine
from runner.syntax import LANGUAGES
from tests.repositories import commit, git

Files = Mapping[str, bytes | None]


def start(folder: Path, files: Files) -> None:
    """A repository with a first commit of these files."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
    change(folder, files, "Begin")


def change(folder: Path, files: Files, message: str = "Change what is counted") -> str:
    """Commit other contents of some files, None for one that goes; returns the id."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(content)
    return commit(folder, message)


def mined(kind: KindName, repo: Path, out: Path, limit: int | None = None, max_bytes: int = 100_000) -> Tally:
    """Mine the whole history with the usual languages."""
    wanted = FileFilter(LANGUAGES if kind == "nextedit" else SOURCES, None, max_bytes)
    return mine(Search(kind, repo, wanted, limit=limit), out)


def manifest(out: Path) -> list[dict[str, object]]:
    """The rows of a manifest."""
    return [orjson.loads(line) for line in (out / "manifest.jsonl").read_bytes().splitlines()]


def tree(out: Path) -> dict[str, bytes]:
    """All files below a folder by their paths."""
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
