"""`evals cases import`: make cases from recorded sessions of coding agents."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from runner.run.options import MAX_CASES, Json

if TYPE_CHECKING:
    from runner.mine.recorded import SessionImport

_KIND = "The kind of cases. diff: one for each edit; nextedit: what a whole session changed."


@dataclass(frozen=True, slots=True, kw_only=True)
class CasesImportOptions:
    """The options of `evals cases import`."""

    paths: Annotated[
        list[Path] | None, Argument(metavar="[PATH]...", help="Sessions, or folders of them; else the usual places.")
    ] = None
    kind: Annotated[Literal["diff", "nextedit"], Option("--kind", help=_KIND)] = "diff"
    out: Annotated[Path | None, Option("--out", metavar="DIR", help="The new folder to write.")] = None
    preview: Annotated[bool, Option("--preview", help="Say what would be written and removed; write nothing.")] = False
    failed_only: Annotated[bool, Option("--failed-only", help="Only edits whose call failed.")] = False
    agent: Annotated[str, Option("--agent", metavar="NAMES", help="Only these agents, comma-separated.")] = ""
    max_cases: Annotated[int | None, Option(*MAX_CASES, min=1, help="The maximum number of cases.")] = None
    json: Json = False


def import_cases(options: CasesImportOptions) -> None:
    """Make cases from recorded agent sessions.

    Secrets and names of people are replaced, and counted by kind. What cannot be rebuilt is counted by reason.
    Nothing is sent anywhere.
    """
    import os

    from runner.audit.reading import chosen_agents, each_session, session_files, usual_or_given
    from runner.console import put_json, say, show_lines
    from runner.mine.recorded import SessionImport, check_folder, counts, import_sessions, write_import
    from runner.privacy.cleaning import Cleaner

    out = check_folder(options.out, preview=options.preview)
    agents = chosen_agents(options.agent)
    places = usual_or_given(options.paths or (), os.environ)
    done = SessionImport(options.kind, Cleaner(os.environ), options.failed_only, options.max_cases)
    import_sessions(each_session(session_files(places, agents), say, turns=True), done)
    if out is not None:
        write_import(done, out)
    if options.json:
        put_json({**counts(done), "out": None if out is None else str(out)})
    else:
        show_lines(_lines(done, out))


def _lines(done: "SessionImport", out: Path | None) -> list[str]:
    where = "nothing was written" if out is None else str(out)
    lines = [f"{len(done.files)} {done.kind} cases from {done.sessions} sessions: {where}"]
    removed = done.cleaner.removed()
    for what, counted in (("no case", done.refused), ("removed", removed)):
        if counted:
            lines.append(f"{what}: {', '.join(f'{name} {count}' for name, count in sorted(counted.items()))}")
    if out is None:
        lines += [f"{file.name}: {file.about.get('path', '')}".rstrip(": ") for file in done.files]
    return lines
