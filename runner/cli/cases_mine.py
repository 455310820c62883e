"""`evals cases mine`: make cases from the commits of any git repository."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from runner.run.options import MAX_CASES, Json

if TYPE_CHECKING:
    from runner.mine.case import Tally

_KIND = "The kind of cases. codrep: find a replaced line; diff: make an edit; nextedit: replay a commit."
_REV = "The commits: a revision with all before it, or A..B, as in git log; may be repeated. [default: HEAD]"
_LANGUAGES = "Only files in these languages, comma-separated. [default: programming languages; for nextedit all]"
_BYTES = "Leave out files of more bytes. [default: 1000000; for diff 100000]"
_MAX_BYTES = {"codrep": 1_000_000, "diff": 100_000, "nextedit": 1_000_000}


@dataclass(frozen=True, slots=True, kw_only=True)
class CasesMineOptions:
    """The options of `evals cases mine`."""

    kind: Annotated[Literal["codrep", "diff", "nextedit"], Option("--kind", help=_KIND)]
    repo: Annotated[Path, Option("--repo", metavar="PATH", help="A git repository, or a folder in one.")]
    out: Annotated[Path, Option("--out", metavar="DIR", help="The new folder to write.")]
    rev: Annotated[list[str] | None, Option("--rev", metavar="RANGE", help=_REV)] = None
    since: Annotated[
        datetime | None, Option("--since", formats=["%Y-%m-%d"], help="Only commits from this day on (UTC).")
    ] = None
    max_cases: Annotated[
        int | None, Option(*MAX_CASES, min=1, help="The maximum number of cases; the newest are kept.")
    ] = None
    languages: Annotated[str, Option("--languages", help=_LANGUAGES)] = ""
    ext: Annotated[str, Option("--ext", help="Only files with these extensions, comma-separated.")] = ""
    max_bytes: Annotated[int | None, Option("--max-bytes", min=1, help=_BYTES)] = None
    json: Json = False


def mine(options: CasesMineOptions) -> None:
    """Make cases from the commits of a repository.

    Counts the commits and files that give no case, by reason.
    """
    from runner.console import put_json, show_lines
    from runner.mine.file_filter import file_filter
    from runner.mine.mining import KINDS, Search, counts
    from runner.mine.mining import mine as make

    kind, since = options.kind, options.since
    default = KINDS[kind].languages
    search = Search(
        kind=kind,
        repo=options.repo,
        files=file_filter(options.languages, options.ext, options.max_bytes or _MAX_BYTES[kind], default=default),
        revisions=tuple(options.rev or ()),
        since=None if since is None else int(since.replace(tzinfo=UTC).timestamp()),
        limit=options.max_cases,
    )
    began = time.monotonic()
    tally = make(search, options.out)
    seconds = time.monotonic() - began
    if options.json:
        where = {"kind": kind, "repo": str(options.repo), "out": str(options.out)}
        put_json({**where, **counts(tally), "seconds": round(seconds, 3)})
    else:
        show_lines(_lines(kind, tally, options.out, seconds))


def _lines(kind: str, tally: "Tally", out: Path, seconds: float) -> list[str]:
    files = f", {tally.files} changed files" if tally.files else ""
    rate = f"{tally.commits / max(seconds, 0.001):,.0f} commits/s"
    lines = [f"{tally.cases} {kind} cases from {tally.commits} commits{files} in {seconds:.1f} s ({rate}): {out}"]
    for what, refused in (("commits", tally.refused_commits), ("files", tally.refused_files)):
        if refused:
            reasons = ", ".join(f"{reason} {count}" for reason, count in refused.most_common())
            lines.append(f"refused {what}: {reasons}")
    return lines
