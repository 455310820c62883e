"""`evals nextedit bundle`: commits as one JSON file each."""

from pathlib import Path
from typing import Annotated

import typer

from runner.cli.nextedit_sources import Clone, MaxEdits, MinEdits, Repo, ReposDir, Rev, Testset, Where, found_commits
from runner.cli.nextedit_variables import with_variables


def bundle(
    context: typer.Context,
    into: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write one JSON file per commit.")],
    repo: Repo = None,
    rev: Rev = None,
    testset: Testset = None,
    repos_dir: ReposDir = None,
    clone: Clone = False,
    min_edits: MinEdits = 2,
    max_edits: MaxEdits = 60,
) -> None:
    """Write commits as bundles: both versions of the touched files, message and metadata, one JSON file each."""
    from runner.cli.folders import make_folder
    from runner.console import put, say
    from runner.errors import InputError
    from runner.suites.nextedit.bundles import write_bundle
    from runner.suites.nextedit.commits import Limits, Refused

    given = with_variables(context, dict(locals()))
    repo, testset, repos_dir = given["repo"], given["testset"], given["repos_dir"]
    if repo is None and testset is None:
        raise InputError("bundle: name a source with --repo and --rev, or --testset")
    make_folder("bundle", into)
    for found in found_commits(Where(None, repo, rev, testset, repos_dir, clone), Limits(min_edits, max_edits)):
        if isinstance(found, Refused):
            say(f"not bundled: {found.sha[:10]}: {found.reason} {found.detail}".rstrip())
        else:
            put(f"{write_bundle(found.commit, into)}\n")
