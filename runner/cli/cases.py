"""`evals cases`: what is wrong with a folder of cases; new ones from commits."""

from pathlib import Path
from typing import Annotated

import typer

from runner.cli import cases_mine
from runner.cli.options import Json

app = typer.Typer(
    help="Look after folders of cases.", no_args_is_help=True, add_completion=False, rich_markup_mode=None
)


@app.callback()
def cases() -> None:
    """Look after folders of cases."""


app.command("mine")(cases_mine.mine)


@app.command()
def check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of diff-edit cases (*.json).")],
    strict: Annotated[
        bool, typer.Option("--strict", help="Prove expected files: they parse, and a diff gives them.")
    ] = False,
    json: Json = False,
) -> None:
    """Name file, field and mend of all that is wrong with cases; exit 2 if anything is."""
    from runner.suites.diff_edit.cases import read_folder
    from runner.suites.diff_edit.check import check_read

    loaded, unreadable = read_folder(folder)
    findings = check_read(loaded, unreadable, strict=strict)
    if json:
        import orjson

        found = [
            {"file": str(one.file), "field": one.field, "problem": one.problem, "mend": one.mend} for one in findings
        ]
        skipped = [{"file": str(skip.file), "case_id": skip.case_id, "reason": skip.reason} for skip in loaded.skipped]
        counts = {"cases": len(loaded.cases), "strict": strict}
        typer.echo(orjson.dumps({**counts, "skipped": skipped, "findings": found}, option=orjson.OPT_INDENT_2))
    else:
        for finding in findings:
            typer.echo(str(finding), err=True)
        for skip in loaded.skipped:
            typer.echo(f"{skip.file}: skipped: {skip.reason}", err=True)
        typer.echo(
            f"{len(loaded.cases)} cases, {len(loaded.skipped)} skipped, {len(findings)} findings in {folder}", err=True
        )
    if findings:
        raise typer.Exit(2)
