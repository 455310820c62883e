"""The commits that the options of `evals nextedit` name: read, and sorted into those to replay and those refused."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from runner.errors import InputError
from runner.git import Repository
from runner.shipped import shipped
from runner.suites.nextedit.commits import Limits, Refused
from runner.suites.nextedit.folders import make_folder
from runner.suites.nextedit.options import DEFAULT_CASES, CommitSource, NextEditOptions
from runner.suites.nextedit.sources import Found, Ready, from_cases, from_repository, from_testset, read_testset


def commits_to_replay(options: NextEditOptions) -> tuple[list[Ready], list[Refused]]:
    """Commits that can be replayed, and those that cannot; a dry run clones nothing.

    Raises InputError where the options name no source, or several, and where no commit can be replayed.
    """
    source = options.source
    commits = found_commits(
        source,
        Limits(source.min_edits, source.max_edits),
        options.cases,
        fetch=source.clone and not options.dry_run,
    )
    return _sorted(commits)


def found_commits(
    source: CommitSource, limits: Limits, cases: Path | None = None, *, fetch: bool = False
) -> Iterator[Found]:
    """The commits of the one source that is named, the shipped bundles if none is. Raises InputError.

    With `fetch` repositories that are missing are cloned.
    """
    if (cases is not None) + (source.repo is not None) + (source.testset is not None) > 1:
        raise InputError("--cases, --repo and --testset are three sources: name one")
    if source.rev and source.repo is None:
        raise InputError("--rev: names commits of a repository; name it with --repo, and no other source beside it")
    if source.repo is not None:
        if not source.rev:
            raise InputError("--repo: name what to replay with --rev, such as --rev HEAD~20..HEAD")
        with Repository(source.repo) as repository:
            yield from from_repository(repository, source.rev, limits)
    elif source.testset is not None:
        if source.repos_dir is None:
            raise InputError("--testset: name the folder of its repositories with --repos-dir")
        if fetch or source.repos_dir.is_file():
            make_folder("--repos-dir", source.repos_dir)
        yield from from_testset(read_testset(source.testset), source.repos_dir, limits, fetch=fetch)
    else:
        yield from from_cases(cases or shipped(DEFAULT_CASES), limits)


def refusal_notes(refused: Iterable[Refused]) -> Iterator[str]:
    """Yield a line for each reason for which commits are not replayed, with their number."""
    for reason, count in Counter(str(row.reason) for row in refused).most_common():
        yield f"not replayed, {reason}: {count}"


def _sorted(commits: Iterable[Found]) -> tuple[list[Ready], list[Refused]]:
    everything = list(commits)
    ready = [commit for commit in everything if isinstance(commit, Ready)]
    refused = [commit for commit in everything if not isinstance(commit, Ready)]
    if not ready:
        reasons = ", ".join(f"{reason} {count}" for reason, count in Counter(str(e.reason) for e in refused).items())
        first = next((f" (the first: {e.sha[:10]}: {e.detail})" for e in refused if e.detail), "")
        raise InputError(f"no commit can be replayed{f': {reasons}{first}' if reasons else ''}")
    return ready, refused
