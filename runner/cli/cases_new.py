"""`evals cases new`: make one diff-edit case from files or from the last commit."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option


@dataclass(frozen=True, slots=True, kw_only=True)
class CasesNewOptions:
    """The options of `evals cases new`."""

    before: Annotated[Path | None, Argument(help="The file before the edit.")] = None
    after: Annotated[Path | None, Argument(help="The file after the edit, if it is known.")] = None
    instruction: Annotated[str, Option("--instruction", help="What the model is asked to change.")] = ""
    last_commit: Annotated[bool, Option("--last-commit", help="Take a file that the last commit modified.")] = False
    repo: Annotated[Path, Option("--repo", metavar="PATH", help="A git repository, or a folder in one.")] = Path()
    path: Annotated[str, Option("--path", help="The path that the edit must name; of a commit, the file to take.")] = ""
    case_id: Annotated[str, Option("--id", help="The case's id. [default: made of the file's name]")] = ""
    out: Annotated[Path, Option("--out", metavar="DIR", help="The folder of cases to add it to.")] = Path("cases")


def new(options: CasesNewOptions) -> None:
    """Make a case from two files, from a file and an instruction, or from the last commit.

    Prints the file of the case, and notes what would keep it from being scored.
    """
    from runner.console import put, say
    from runner.errors import InputError
    from runner.mine.new_case import of_files, of_last_commit, write_case

    if options.last_commit == (options.before is not None):
        raise InputError("give a file before the edit, or --last-commit; see `evals cases new --help`")
    if options.before is not None:
        material = of_files(options.before, options.after, options.instruction, options.path)
    else:
        material = of_last_commit(options.repo, options.instruction, options.path)
    file, findings = write_case(material, options.out, options.case_id)
    for finding in findings:
        say(f"note: {finding}")
    say(f"try it: evals diff --cases {options.out} --model-ids sim/careful")
    put(f"{file}\n")
