"""What the database keeps of a diff-edit run: its identity, its variants and its cases."""

from collections.abc import Mapping
from dataclasses import dataclass

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from prompts import Prompt
from runner.input_files import read_text
from runner.run.resolve import Named
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.diff_edit.call_choice import calls_identity, variants_by_calls
from runner.suites.diff_edit.cases import CaseFolder, DiffEditCase
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.tools import ToolChoice, tool_variants
from suts.sut import Sut

SUITE = "diff_edit"


@dataclass(frozen=True, slots=True)
class ChosenParts:
    """What the options of a run choose."""

    suts: tuple[Sut, ...]
    prompts: tuple[Prompt, ...]
    parser: Named[Parser]
    native: Named[Parser]
    algorithms: tuple[Named[DiffAlgorithm], ...]
    tools: ToolChoice

    @property
    def all_prompts(self) -> tuple[Prompt, ...]:
        """The prompts that are chosen and those of the tools."""
        return (*self.prompts, *self.tools.prompts)


@dataclass(frozen=True, slots=True)
class CaseNotes:
    """How many tokens the prompt of each case has, how they were counted, and why a case is skipped."""

    tokens: Mapping[str, int]
    counted_by: str
    skipped: Mapping[str, str]


def run_of(options: DiffOptions, folder: CaseFolder, chosen: ChosenParts, notes: CaseNotes) -> RunPlan:
    """Return the record of a run."""
    rows = [*(_case_row(case, notes) for case in folder.cases)]
    rows += [CaseRow(skip.case_id, "", skipped=skip.reason) for skip in folder.skipped]
    return RunPlan(
        suite=SUITE,
        identity={**_identity(options, chosen, folder.digest), **chosen.tools.identity},
        settings={**options.settings, "cases": str(options.cases), "token_counter": notes.counted_by},
        variants=(
            *variants_by_calls(chosen.suts, chosen.prompts, (chosen.parser, chosen.native), chosen.algorithms),
            *tool_variants(chosen.suts, chosen.tools),
        ),
        cases=rows,
        cases_digest=folder.digest,
        name=options.name or None,
        note=options.note or None,
    )


def _case_row(case: DiffEditCase, notes: CaseNotes) -> CaseRow:
    return CaseRow(
        case_id=case.case_id,
        digest=case.digest,
        path=case.file_path,
        language=case.language,
        source=case.source,
        tokens=notes.tokens[case.case_id],
        skipped=notes.skipped.get(case.case_id),
        content=read_text(case.file).removeprefix("\ufeff"),
    )


def _identity(options: DiffOptions, chosen: ChosenParts, cases_digest: str) -> dict[str, object]:
    """What makes two sessions the same run: all that an answer, its validity or its scorings depend on."""
    return {
        "suts": [f"{sut.name} at {sut.endpoint.base_url}" for sut in chosen.suts],
        "prompts": [f"{prompt.name}@{prompt.digest}" for prompt in chosen.all_prompts],
        "parser": f"{chosen.parser.name}@{chosen.parser.digest}",
        **calls_identity(options),
        **({"recover": options.recover} if options.recover else {}),
        "diff_apply": [f"{algorithm.name}@{algorithm.digest}" for algorithm in chosen.algorithms],
        "cases": cases_digest,
        "max_cases": options.max_cases,
        "max_context": options.max_context,
        **options.asked_how,
        "validity": options.validity,
    }
