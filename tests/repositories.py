"""Real repositories for tests: each version of a tree becomes a commit."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
    "PATH": os.environ["PATH"],
    # Each commit would start a process that sees that there is nothing to pack; its id is to be told in full.
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.abbrev",
    "GIT_CONFIG_VALUE_1": "40",
}


def git(folder: Path, *arguments: str) -> str:
    """What a git command prints."""
    done = subprocess.run(["git", "-C", str(folder), *arguments], env=_ENVIRONMENT, check=True, capture_output=True)
    return done.stdout.decode()


def commit(folder: Path, message: str = "change") -> str:
    """Commit the working tree as it is; returns the id."""
    git(folder, "add", "--all")
    told = git(folder, "commit", "--allow-empty", "--message", message)
    (sha,) = re.findall(r"^\[.*?\b([0-9a-f]{40})\]", told)
    return str(sha)


def make_repository(folder: Path, *versions: Mapping[str, bytes]) -> list[str]:
    """A repository whose commits hold exactly these trees, oldest first; returns their ids."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
    return [_commit_version(folder, version, number) for number, version in enumerate(versions)]


def _commit_version(folder: Path, version: Mapping[str, bytes], number: int) -> str:
    for path in folder.rglob("*"):
        if path.is_file() and ".git" not in path.relative_to(folder).parts:
            path.unlink()
    for name, content in version.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return commit(folder, f"version {number}")
