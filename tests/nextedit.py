"""Commits for tests of the nextedit suite, made of texts."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runner.suites.nextedit.bundles import Bundle, commits_of
from runner.suites.nextedit.commits import Commit, Limits, Origin, Touched

FIXTURES = Path(__file__).parent / "fixtures" / "nextedit"
ANY_SIZE = Limits(min_edits=0, max_edits=10_000, max_files=10_000)


def commit_of(files: Mapping[str, tuple[str | None, str | None]], message: str = "change") -> Commit:
    """The commit that changes these files, {path: (before, after)}, in the order of their names."""
    touched = tuple(Touched(path, *files[path]) for path in sorted(files))
    (commit,) = commits_of([Bundle(Origin("0" * 40, "1" * 40, "test"), message, touched)], ANY_SIZE)
    assert isinstance(commit, Commit)
    return commit


def recorded_commits(rows: list[dict[str, Any]]) -> list[Commit]:
    """The commits of recorded rows with `commit_url`, `message` and `files`."""
    bundles = [
        Bundle(
            Origin(row["commit_url"].rsplit("/", 1)[-1], row.get("parent", ""), row["commit_url"].split("/")[-3]),
            row["message"],
            tuple(Touched(each["path"], each["before"], each["after"]) for each in row["files"]),
        )
        for row in rows
    ]
    commits = list(commits_of(bundles, ANY_SIZE))
    assert all(isinstance(commit, Commit) for commit in commits)
    return [commit for commit in commits if isinstance(commit, Commit)]


def cases_folder() -> Path:
    """The project's own bundles."""
    return Path(__file__).parents[1] / "cases" / "nextedit"


def few_cases(folder: Path) -> Path:
    """Copy three of these bundles into a folder, for tests to which the number of commits does not matter."""
    folder.mkdir(exist_ok=True)
    for name in ("jukebox-49147b751d", "knobs-ef8ee13de7", "vane-cf1c5d4c73"):
        shutil.copy(cases_folder() / f"{name}.json", folder)
    return folder
