"""`evals cases`: check a folder of cases, or make a new one from commits."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from runner.cli import cases_mine
from runner.cli.command import register
from runner.run.options import Json
from runner.shipped import shipped_or_none

if TYPE_CHECKING:
    from runner.findings import Finding
    from runner.suites.diff_edit.cases import Skipped

app = typer.Typer(
    help="Check folders of cases, and make new ones.", no_args_is_help=True, add_completion=False, rich_markup_mode=None
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """The options of `evals cases check`."""

    folder: Annotated[
        Path,
        Argument(
            metavar="DIR", help="A folder of diff-edit cases (*.json), or of CodRep tasks.", callback=shipped_or_none
        ),
    ]
    strict: Annotated[
        bool, Option("--strict", help="Also check that expected files parse and that a diff can produce them.")
    ] = False
    json: Json = False


def check(options: CheckOptions) -> None:
    """Check cases, and print file, field and fix of each error.

    The exit code is 2 if there are errors.
    """
    from runner.console import put_json, say

    count, skipped, findings = _checked(options.folder, strict=options.strict)
    if options.json:
        errors = [
            {"file": str(finding.file), "field": finding.field, "problem": finding.problem, "fix": finding.fix}
            for finding in findings
        ]
        left_out = [{"file": str(skip.file), "case_id": skip.case_id, "reason": skip.reason} for skip in skipped]
        put_json({"cases": count, "strict": options.strict, "skipped": left_out, "findings": errors})
    else:
        for finding in findings:
            say(str(finding))
        for skip in skipped:
            say(f"{skip.file}: skipped: {skip.reason}")
        say(f"{count} cases, {len(skipped)} skipped, {len(findings)} findings in {options.folder}")
    if findings:
        raise typer.Exit(2)


def _checked(folder: Path, *, strict: bool) -> "tuple[int, tuple[Skipped, ...], tuple[Finding, ...]]":
    """Return the number of good cases, the skipped ones, and all errors, by the suite that the folder belongs to."""
    from runner.suites.codrep.check import check_datasets
    from runner.suites.codrep.served import is_codrep
    from runner.suites.diff_edit.cases import read_folder
    from runner.suites.diff_edit.check import check_read

    if is_codrep(folder):
        count, findings = check_datasets(folder, strict=strict)
        return count, (), findings
    loaded, unreadable = read_folder(folder)
    return len(loaded.cases), loaded.skipped, check_read(loaded, unreadable, strict=strict)


register(app, "mine", cases_mine.CasesMineOptions, cases_mine.mine)
register(app, "check", CheckOptions, check)
