"""`evals nextedit bundle`: commits as one JSON file each."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from runner.cli.nextedit_variables import with_variables
from runner.suites.nextedit.options import CommitSource


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleOptions:
    """The options of `evals nextedit bundle`."""

    context: typer.Context
    into: Annotated[Path, Argument(metavar="DIR", help="The folder for one JSON file per commit.")]
    source: CommitSource = field(default_factory=CommitSource)
    tree: Annotated[
        bool,
        Option("--tree", help="Write the project's other texts too, for --context decoys and retrieved."),
    ] = False


def bundle(options: BundleOptions) -> None:
    """Write each commit as a bundle, which is one JSON file.

    A bundle has both versions of the changed files, the message and the metadata; with --tree all other texts, too.
    """
    from runner.console import put, say
    from runner.errors import InputError
    from runner.suites.nextedit.bundles import write_bundle
    from runner.suites.nextedit.commits import Limits, Refused
    from runner.suites.nextedit.context.trees import other_texts
    from runner.suites.nextedit.folders import make_folder
    from runner.suites.nextedit.reading import found_commits

    options = with_variables(options.context, options)
    source = options.source
    if source.repo is None and source.testset is None:
        raise InputError("bundle: name a source with --repo and --rev, or --testset")
    make_folder("bundle", options.into)
    for commit in found_commits(source, Limits(source.min_edits, source.max_edits), fetch=source.clone):
        if isinstance(commit, Refused):
            say(f"not bundled: {commit.sha[:10]}: {commit.reason} {commit.detail}".rstrip())
        else:
            tree = other_texts(commit.commit, commit.tree) if options.tree else None
            put(f"{write_bundle(commit.commit, options.into, tree)}\n")
