"""`evals cases`: what is wrong with a folder of cases; new ones from commits."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runner.cli import cases_mine
from runner.cli.options import Json

if TYPE_CHECKING:
    from runner.findings import Finding
    from runner.suites.diff_edit.cases import Skipped

app = typer.Typer(
    help="Look after folders of cases.", no_args_is_help=True, add_completion=False, rich_markup_mode=None
)


@app.callback()
def cases() -> None:
    """Look after folders of cases."""


app.command("mine")(cases_mine.mine)


@app.command()
def check(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder of diff-edit cases (*.json), or of CodRep tasks.")
    ],
    strict: Annotated[
        bool, typer.Option("--strict", help="Prove expected files: they parse, and a diff gives them; and answers.")
    ] = False,
    json: Json = False,
) -> None:
    """Name file, field and mend of all that is wrong with cases; exit 2 if anything is."""
    from runner.console import put_json, say

    count, skipped, findings = _checked(folder, strict=strict)
    if json:
        found = [
            {"file": str(one.file), "field": one.field, "problem": one.problem, "mend": one.mend} for one in findings
        ]
        left = [{"file": str(skip.file), "case_id": skip.case_id, "reason": skip.reason} for skip in skipped]
        put_json({"cases": count, "strict": strict, "skipped": left, "findings": found})
    else:
        for finding in findings:
            say(str(finding))
        for skip in skipped:
            say(f"{skip.file}: skipped: {skip.reason}")
        say(f"{count} cases, {len(skipped)} skipped, {len(findings)} findings in {folder}")
    if findings:
        raise typer.Exit(2)


def _checked(folder: Path, *, strict: bool) -> "tuple[int, tuple[Skipped, ...], tuple[Finding, ...]]":
    """How many cases are good, which are skipped, and all that is wrong, by the suite whose folder this is."""
    from runner.suites.codrep.check import check_datasets
    from runner.suites.codrep.served import is_codrep
    from runner.suites.diff_edit.cases import read_folder
    from runner.suites.diff_edit.check import check_read

    if is_codrep(folder):
        count, findings = check_datasets(folder, strict=strict)
        return count, (), findings
    loaded, unreadable = read_folder(folder)
    return len(loaded.cases), loaded.skipped, check_read(loaded, unreadable, strict=strict)
