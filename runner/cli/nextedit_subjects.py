"""The commits whose order `evals nextedit order` shows: labelled ones, or one by name."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runner.suites.nextedit.ordering import Subject


def labelled_commits(labels: Path) -> "tuple[list[Subject], int]":
    """Return the labelled commits and the number of skipped lines. Raises InputError if no commit is left."""
    from runner.console import say
    from runner.errors import InputError
    from runner.suites.nextedit.order.label_files import read_labels
    from runner.suites.nextedit.ordering import labelled_subjects

    skipped: list[str] = []
    subjects = list(labelled_subjects(read_labels(labels, skipped.append)))
    if not subjects:
        raise InputError(f"{skipped[0]}; no line is left to compare with")
    for line in skipped:
        say(f"skipped: {line}")
    return subjects, len(skipped)


def one_commit(name: str, repo: Path | None) -> "Subject":
    """Return the commit of a bundle file or of a revision; `repo` defaults to the current folder."""
    from runner.errors import InputError
    from runner.suites.nextedit.commits import Limits
    from runner.suites.nextedit.options import CommitSource
    from runner.suites.nextedit.ordering import subjects_of
    from runner.suites.nextedit.reading import found_commits
    from runner.suites.nextedit.sources import Ready

    if repo is None and not Path(name).exists() and not name.endswith(".json"):
        repo = Path()
    cases, rev = (Path(name), None) if repo is None else (None, [name])
    commits = list(found_commits(CommitSource(repo=repo, rev=rev), Limits(1, 1000), cases))
    if len(commits) != 1 or not isinstance(commits[0], Ready):
        reasons = {commit.reason.value for commit in commits if not isinstance(commit, Ready)}
        raise InputError(f"order: {name} is not one commit with edits{f': {reasons.pop()}' if reasons else ''}")
    return subjects_of([commits[0]])[0]


def commits_in(cases: Path, name: str = "") -> "list[Subject]":
    """Return the commits of a folder of bundles, or the one of an id. Raises InputError where there is none."""
    from runner.errors import InputError
    from runner.suites.nextedit.commits import Limits
    from runner.suites.nextedit.ordering import subjects_of
    from runner.suites.nextedit.sources import Ready, from_cases

    commits = [commit for commit in from_cases(cases, Limits(1, 1000)) if isinstance(commit, Ready)]
    chosen = [ready for ready in commits if name in {"", ready.commit.case_id}]
    if not chosen:
        what = f"no commit {name!r}" if name else "no commit with edits"
        raise InputError(f"--cases {cases}: has {what}; name one of its commits, or another folder")
    return subjects_of(chosen)
