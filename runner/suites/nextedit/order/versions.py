"""The two versions that a commit has of its files: before and after it."""

from typing import Literal

from runner.suites.nextedit.commits import Commit, Edit, Span, Touched

Version = Literal["before", "after"]
VERSIONS: tuple[Version, ...] = ("before", "after")


def text_in(touched: Touched, version: Version) -> str | None:
    """The text of a file in a version, None where it is absent."""
    return touched.before if version == "before" else touched.after


def span_in(edit: Edit, version: Version) -> Span:
    """The lines of an edit in a version."""
    return edit.parent if version == "before" else edit.child


def former_paths(commit: Commit, version: Version) -> dict[str, str]:
    """The paths that renamed files had in a version, by the paths that they have now."""
    renamed = commit.files if version == "before" else ()
    return {touched.path: touched.old_path for touched in renamed if touched.old_path}
