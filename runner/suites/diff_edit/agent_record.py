"""A diff-edit run of coding agents as the database keeps it."""

from runner.agents.agent import limits_of
from runner.input_files import read_text
from runner.run.variants import PartName, variants_of
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.diff_edit.agent_attempts import PROMPT
from runner.suites.diff_edit.cases import CaseFolder, DiffEditCase
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.run_record import SUITE
from runner.variant import AGENT_READING
from suts.sut import Sut


def agent_run_of(options: DiffOptions, folder: CaseFolder, suts: tuple[Sut, ...], skipped: dict[str, str]) -> RunPlan:
    """Return the record of a run; limits and isolation make two sessions the same run."""
    rows = [_case_row(case, skipped) for case in folder.cases]
    rows += [CaseRow(skip.case_id, "", skipped=skip.reason) for skip in folder.skipped]
    return RunPlan(
        suite=SUITE,
        identity={
            "suts": [f"{sut.name} at {sut.endpoint.base_url}" for sut in suts],
            "prompts": [f"{PROMPT.name}@{PROMPT.digest}"],
            "parser": AGENT_READING,
            "cases": folder.digest,
            "max_cases": options.max_cases,
            **options.asked_how,
            "validity": "strict",
            "agent_limits": limits_of(suts),
        },
        settings={**options.settings, "cases": str(options.cases)},
        variants=tuple(variants_of(suts, (PROMPT,), PartName(AGENT_READING))),
        cases=rows,
        cases_digest=folder.digest,
        name=options.name or None,
        note=options.note or None,
    )


def _case_row(case: DiffEditCase, skipped: dict[str, str]) -> CaseRow:
    return CaseRow(
        case_id=case.case_id,
        digest=case.digest,
        path=case.file_path,
        language=case.language,
        source=case.source,
        skipped=skipped.get(case.case_id),
        content=read_text(case.file).removeprefix("\ufeff"),
    )
