"""`evals cases mine`: cases from the commits of any git repository."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from runner.cli.options import Json

if TYPE_CHECKING:
    from runner.mine.case import Tally

_KIND = "codrep: replaced lines to find; diff: edits to make; nextedit: commits to replay."
_REV = "What to mine, as git log reads it: a revision with all before it, or A..B; may be repeated. [default: HEAD]"
_LANGUAGES = "Only files in these languages, parted by commas. [default: programs; for nextedit all]"
_BYTES = "Longer files are left out. [default: 1000000; for diff 100000]"
_MOST_BYTES = {"codrep": 1_000_000, "diff": 100_000, "nextedit": 1_000_000}


def mine(
    kind: Annotated[Literal["codrep", "diff", "nextedit"], typer.Option(help=_KIND)],
    repo: Annotated[Path, typer.Option(metavar="PATH", help="A git repository, or a folder in one.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new folder to write.")],
    rev: Annotated[list[str] | None, typer.Option(metavar="RANGE", help=_REV)] = None,
    since: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Only commits from this day on (UTC).")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="So many cases at most, the newest.")] = None,
    languages: Annotated[str, typer.Option(help=_LANGUAGES)] = "",
    ext: Annotated[str, typer.Option(help="Only files with these extensions, parted by commas.")] = "",
    max_bytes: Annotated[int | None, typer.Option(min=1, help=_BYTES)] = None,
    json: Json = False,
) -> None:
    """Make cases of a kind from the commits of a repository; what gives none is counted by reason."""
    from runner.console import put_json, say
    from runner.mine.mining import Search, counts
    from runner.mine.mining import mine as make
    from runner.mine.wanted import SOURCES, wanted_of
    from runner.syntax import LANGUAGES

    default = LANGUAGES if kind == "nextedit" else SOURCES
    search = Search(
        kind=kind,
        repo=repo,
        wanted=wanted_of(languages, ext, max_bytes or _MOST_BYTES[kind], default=default),
        revisions=tuple(rev or ()),
        since=None if since is None else int(since.replace(tzinfo=UTC).timestamp()),
        limit=limit,
    )
    began = time.monotonic()
    tally = make(search, out)
    seconds = time.monotonic() - began
    for line in _told(kind, tally, out, seconds):
        say(line)
    if json:
        put_json({"kind": kind, "repo": str(repo), "out": str(out), **counts(tally), "seconds": round(seconds, 3)})


def _told(kind: str, tally: "Tally", out: Path, seconds: float) -> list[str]:
    files = f", {tally.files} changed files" if tally.files else ""
    rate = f"{tally.commits / max(seconds, 0.001):,.0f} commits/s"
    lines = [f"{tally.cases} {kind} cases from {tally.commits} commits{files} in {seconds:.1f} s ({rate}): {out}"]
    for what, refused in (("commits", tally.refused_commits), ("files", tally.refused_files)):
        if refused:
            reasons = ", ".join(f"{reason} {count}" for reason, count in refused.most_common())
            lines.append(f"refused {what}: {reasons}")
    return lines
