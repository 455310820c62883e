"""The options that say where the commits of `evals nextedit` come from, and the commits they name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from runner.suites.nextedit.commits import Limits, Refused
    from runner.suites.nextedit.sources import Found, Ready

DEFAULT_CASES = Path("cases/nextedit")

Cases = Annotated[
    Path | None, typer.Option(metavar="DIR", help=f"A folder of commit bundles. [default: {DEFAULT_CASES}]")
]
Repo = Annotated[Path | None, typer.Option(metavar="PATH", help="A git repository, with --rev.")]
Rev = Annotated[
    list[str] | None,
    typer.Option(
        metavar="RANGE", help="A revision or a range A..B of --repo, else of the repository here; may be repeated."
    ),
]
Testset = Annotated[Path | None, typer.Option(metavar="FILE", envvar="EVAL_SET", help="Historian's list of commits.")]
ReposDir = Annotated[
    Path | None, typer.Option(metavar="DIR", envvar="REPOS_DIR", help="Repositories by project, for --testset.")
]
Clone = Annotated[bool, typer.Option("--clone", help="Clone repositories that are missing in --repos-dir.")]
MinEdits = Annotated[int, typer.Option(min=2, help="Commits with fewer edits are not replayed.")]
MaxEdits = Annotated[int, typer.Option(min=2, help="Commits with more edits are not replayed.")]


@dataclass(frozen=True, slots=True)
class Where:
    """Where commits are to be read, as the options say."""

    cases: Path | None
    repo: Path | None
    rev: Sequence[str] | None
    testset: Path | None
    repos_dir: Path | None
    clone: bool


def found_commits(where: Where, limits: "Limits") -> "Iterator[Found]":
    """The commits of the one source that was named, the shipped bundles if none was."""
    from runner.cli.folders import make_folder
    from runner.errors import InputError
    from runner.git import Repository
    from runner.suites.nextedit.sources import from_cases, from_repository, from_testset, read_testset

    if (where.cases is not None) + (where.repo is not None) + (where.testset is not None) > 1:
        raise InputError("--cases, --repo and --testset are three sources: name one")
    if where.rev and where.repo is None:
        raise InputError("--rev: names commits of a repository; name it with --repo, and no other source beside it")
    if where.repo is not None:
        if not where.rev:
            raise InputError("--repo: name what to replay with --rev, such as --rev HEAD~20..HEAD")
        with Repository(where.repo) as repository:
            yield from from_repository(repository, where.rev, limits)
    elif where.testset is not None:
        if where.repos_dir is None:
            raise InputError("--testset: name the folder of its repositories with --repos-dir")
        if where.clone or where.repos_dir.is_file():
            make_folder("--repos-dir", where.repos_dir)
        yield from from_testset(read_testset(where.testset), where.repos_dir, limits, fetch=where.clone)
    else:
        yield from from_cases(where.cases or DEFAULT_CASES, limits)


def parted(found: "Iterator[Found]") -> "tuple[list[Ready], list[Refused]]":
    """Commits that can be replayed, and those that cannot. Raises InputError where there is none to replay."""
    from collections import Counter

    from runner.errors import InputError
    from runner.suites.nextedit.sources import Ready

    everything = list(found)
    ready = [each for each in everything if isinstance(each, Ready)]
    refused = [each for each in everything if not isinstance(each, Ready)]
    if not ready:
        reasons = ", ".join(f"{reason} {count}" for reason, count in Counter(str(e.reason) for e in refused).items())
        first = next((f" (the first: {e.sha[:10]}: {e.detail})" for e in refused if e.detail), "")
        raise InputError(f"no commit can be replayed{f': {reasons}{first}' if reasons else ''}")
    return ready, refused
