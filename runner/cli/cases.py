"""`evals cases`: check a folder of cases, or make a new one from commits or recorded sessions."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from runner.cli import cases_import, cases_mine, cases_new
from runner.cli.command import group_of_commands, register
from runner.run.options import Json
from runner.shipped import shipped_or_none

if TYPE_CHECKING:
    from runner.findings import Finding
    from runner.suites.diff_edit.cases import Skipped

app = group_of_commands("Check folders of cases, and make new ones.")


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
    from runner.console import put_json, show_lines
    from runner.suites.diff_edit.cases import others_note

    count, skipped, findings, others = _checked(options.folder, strict=options.strict)
    if options.json:
        errors = [
            {"file": str(finding.file), "field": finding.field, "problem": finding.problem, "fix": finding.fix}
            for finding in findings
        ]
        left_out = [{"file": str(skip.file), "case_id": skip.case_id, "reason": skip.reason} for skip in skipped]
        put_json(
            {
                "cases": count,
                "strict": options.strict,
                "skipped": left_out,
                "others": list(others),
                "findings": errors,
            }
        )
    else:
        show_lines(map(str, findings))
        show_lines(f"{skip.file}: skipped: {skip.reason}" for skip in skipped)
        if others:
            show_lines([others_note(options.folder, others)])
        show_lines([f"{count} cases, {len(skipped)} skipped, {len(findings)} findings in {options.folder}"])
    if findings:
        raise typer.Exit(2)


def _checked(folder: Path, *, strict: bool) -> "tuple[int, tuple[Skipped, ...], tuple[Finding, ...], tuple[str, ...]]":
    """Return the number of good cases, the skipped ones, all errors, and the names of files that are no cases."""
    from runner.suites.codrep.check import check_datasets
    from runner.suites.codrep.served import is_codrep
    from runner.suites.diff_edit.cases import read_folder
    from runner.suites.diff_edit.check import check_read

    if is_codrep(folder):
        count, findings = check_datasets(folder, strict=strict)
        return count, (), findings, ()
    loaded, unreadable = read_folder(folder)
    return len(loaded.cases), loaded.skipped, check_read(loaded, unreadable, strict=strict), loaded.others


register(app, "new", cases_new.CasesNewOptions, cases_new.new)
register(app, "mine", cases_mine.CasesMineOptions, cases_mine.mine)
register(app, "import", cases_import.CasesImportOptions, cases_import.import_cases)
register(app, "check", CheckOptions, check)
