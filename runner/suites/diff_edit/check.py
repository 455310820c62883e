"""Checks a folder of cases: all that reading demands, and, strictly, that each expected file is sound and in reach."""

from collections.abc import Iterator
from pathlib import Path

from diff_apply.reach import out_of_reach
from runner.findings import Finding
from runner.suites.diff_edit.cases import CaseFolder, DiffEditCase, read_folder
from runner.syntax import has_grammar, language_of, parses

PROVING = ("v1", "v3", "v4")


def check_folder(folder: Path, strict: bool) -> tuple[Finding, ...]:
    """All that is wrong with the cases of a folder, by file name; nothing is raised."""
    return check_read(*read_folder(folder), strict=strict)


def check_read(loaded: CaseFolder, findings: tuple[Finding, ...], *, strict: bool) -> tuple[Finding, ...]:
    """The findings of reading a folder and, if strict, those of its good cases."""
    if not strict:
        return findings
    skipped = (Finding(skip.file, "file_contents", "is blank", "give the file's text") for skip in loaded.skipped)
    strictly = (finding for case in loaded.cases for finding in check_case(case))
    return tuple(sorted((*findings, *skipped, *strictly), key=lambda finding: finding.file.name))


def check_case(case: DiffEditCase) -> Iterator[Finding]:
    """What keeps a case that can be read from proving anything: language, expected files, their syntax, their reach."""
    language = case.language or language_of(case.file_path)
    if language is None or not has_grammar(language):
        why = "is missing, and file_path does not show it" if language is None else f"{language!r} has no grammar"
        yield Finding(case.file, "language", why, "name it as tree-sitter does, such as 'python'")
    if not case.expected_contents:
        yield Finding(case.file, "expected_contents", "is missing", "add the file as it is after the edit")
    for index, expected in enumerate(case.expected_contents):
        name = "expected_contents" if len(case.expected_contents) == 1 else f"expected_contents[{index}]"
        if expected == case.file_contents:
            yield Finding(case.file, name, "equals file_contents", "make the edit in it")
            continue
        if language is not None and parses(expected, language) is False:
            yield Finding(case.file, name, f"does not parse as {language}", "fix its syntax")
        for algorithm in PROVING:
            if why := out_of_reach(case.file_contents, expected, algorithm):
                yield Finding(case.file, name, why, "edit other lines, or end the file in a newline")
