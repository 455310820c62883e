"""Where a repository's code comes from: its licence, the date of its commit, and the first release that has it."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from runner.errors import InputError
from runner.git import GitError, Repository

UNKNOWN = "unknown"
_FILE = re.compile(r"(?:UN)?LICEN[CS]E|COPYING", re.IGNORECASE)
_EXPRESSION = re.compile(r"[A-Za-z0-9.+-]{2,40}(?: (?:AND|OR|WITH) [A-Za-z0-9.+-]{2,40}){0,5}")
_VERSION = re.compile(r"\D*\d+(?:\.\d+)+")
_MOST_BYTES = 1 << 17
# The first row whose phrases all stand in a licence, in small letters and with single spaces, says which it is. The
# texts of the GPL family do not say whether later versions are permitted, so they stay unknown.
_PHRASES = (
    ("Apache-2.0", ("apache license", "version 2.0, january 2004")),
    ("MPL-2.0", ("mozilla public license version 2.0",)),
    (
        "BSD-3-Clause",
        ("redistribution and use in source and binary forms", "to endorse or promote products derived from"),
    ),
    ("BSD-2-Clause", ("redistribution and use in source and binary forms",)),
    ("MIT", ("permission is hereby granted, free of charge, to any person obtaining a copy", "sublicense")),
    ("ISC", ("permission to use, copy, modify, and/or distribute this software for any purpose with or without fee",)),
    ("Unlicense", ("this is free and unencumbered software released into the public domain",)),
)
# BSD's licence of four clauses has the phrases of that of three.
_ADVERTISING = "all advertising materials mentioning features"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where code comes from; dates are of UTC, as YYYY-MM-DD, and "" is not known.

    - `licence`: an SPDX expression, a guess, or `unknown`; `licence_file` the name of the file with its text.
    - `committed`: the date of the commit; `release` the first tag of a version that contains it, `released` its date.
    """

    licence: str = UNKNOWN
    licence_file: str = ""
    committed: str = ""
    release: str = ""
    released: str = ""

    @property
    def line(self) -> str:
        """All of it, for people."""
        licence = f"{self.licence} ({self.licence_file})" if self.licence_file else self.licence
        release = f"{self.release} of {self.released}" if self.release else UNKNOWN
        return f"licence {licence}; commit of {self.committed or UNKNOWN}; first release with it: {release}"


def provenance_of(repo: Path) -> Provenance:
    """What is known of a folder; it need be no git repository, and may be absent."""
    if not repo.is_dir():
        return Provenance()
    file = _licence_file(repo)
    licence = _licence(repo, _text(repo / file) if file else "")
    if not (repo / ".git").exists():
        return Provenance(licence, file)
    try:
        with Repository(repo) as repository:
            committed = _date(repository.run("show", "--no-patch", "--format=%ct", "HEAD").decode())
            return Provenance(licence, file, committed, *_first_release(repository))
    except (GitError, InputError):
        return Provenance(licence, file)


def commit_of(repo: Path) -> str:
    """Return the commit that a folder is at; "" where git finds no repository."""
    if not (repo / ".git").exists():
        return ""
    try:
        with Repository(repo) as repository:
            return repository.run("rev-parse", "HEAD").decode().strip()
    except (GitError, InputError):
        # Of a worktree or a submodule whose repository is elsewhere, `.git` is a file which names that place.
        return ""


def _licence_file(repo: Path) -> str:
    """The name of the file with the licence: the shortest, which has no name of a part or of a language behind it."""
    names = [path.name for path in repo.iterdir() if _FILE.match(path.name) and path.is_file()]
    return min(names, key=lambda name: (len(name), name), default="")


def _text(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(_MOST_BYTES).decode(errors="replace")


def _licence(repo: Path, text: str) -> str:
    """What the project states as an SPDX expression, else what its text is, else what it states in another way."""
    known = {name for name, _ in _PHRASES}
    stated = list(_stated(_text(repo / "pyproject.toml")))
    expressions = [name for is_expression, name in stated if is_expression and _EXPRESSION.fullmatch(name)]
    names = [name for _, name in stated if name in known]
    return next(iter((*expressions, *_guessed(text), *names)), UNKNOWN)


def _stated(pyproject: str) -> Iterator[tuple[bool, str]]:
    """The licences that a project's file names, and whether they have to be SPDX expressions (PEP 639)."""
    try:
        content = tomllib.loads(pyproject)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    project, poetry = _table(content, "project"), _table(_table(content, "tool"), "poetry")
    named = project.get("license")
    for expression, value in (
        (True, named),
        (False, _table(project, "license").get("text")),
        (False, poetry.get("license")),
    ):
        if isinstance(value, str):
            yield expression, value.strip()


def _table(content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = content.get(key)
    return value if isinstance(value, dict) else {}


def _guessed(text: str) -> Iterator[str]:
    flat = " ".join(text.lower().split())
    if _ADVERTISING not in flat:
        yield from (name for name, phrases in _PHRASES if all(phrase in flat for phrase in phrases))


def _first_release(repository: Repository) -> tuple[str, str]:
    """The oldest tag with the name of a version that contains the commit, and its date."""
    listed = repository.run(
        "for-each-ref",
        "--contains=HEAD",
        "--sort=creatordate",
        "--format=%(creatordate:unix) %(refname:strip=2)",
        "refs/tags",
    )
    for line in listed.decode(errors="replace").splitlines():
        seconds, _, tag = line.partition(" ")
        if seconds and _VERSION.match(tag):
            return tag, _date(seconds)
    return "", ""


def _date(seconds: str) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
