"""What a diff-edit run is to do: options checked, names resolved, cases chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast, get_args

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from prompts import Prompt
from runner.edit_tools import DEFAULT_EDIT_TOOL
from runner.errors import InputError
from runner.input_files import read_text
from runner.run.diff_scoring import ValidityName
from runner.run.plan import Plan, Workload
from runner.run.resolve import (
    Named,
    choose_algorithms,
    choose_parser,
    choose_prompts,
    choose_suts,
    split_models,
    split_names,
)
from runner.run.session import lane_keys
from runner.run.suite import Say
from runner.run.variants import variants_of
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.diff_edit.cases import CaseFolder, DiffEditCase, load_cases, others_note
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.tools import ToolChoice, choose_tools, tool_variants, why_unrenderable
from runner.tokens import TokenCounter, token_counter
from suts.recorded import Recorded
from suts.sut import Sut

SUITE = "diff_edit"
# What an answer is taken to be in an estimate: the median of edit calls with their prose.
_ANSWER_TOKENS = 600


@dataclass(frozen=True, slots=True)
class DiffDetail:
    """What a diff-edit run is made of beside its systems and lanes."""

    prompts: tuple[Prompt, ...]
    parser: Named[Parser]
    algorithms: tuple[Named[DiffAlgorithm], ...]
    cases: tuple[DiffEditCase, ...]
    validity: ValidityName
    run: RunPlan
    choice: ToolChoice = field(default_factory=lambda: ToolChoice({}))


def plan(options: DiffOptions, say: Say) -> Plan[DiffDetail]:
    """Check and resolve everything before anything is written or sent. Raises InputError."""
    _check(options)
    counter = token_counter(exact=options.max_context is not None)
    choice = choose_tools(split_names(options.edit_tool, "--edit-tool"))
    prompts = choose_prompts(split_names(options.prompts, "--prompts"), say) if choice.has_default else ()
    parser = choose_parser(options.parser, say)
    algorithms = choose_algorithms(split_names(options.diff_apply, "--diff-apply"), say)
    folder = load_cases(options.cases)
    skipped = {skip.case_id: skip.reason for skip in folder.skipped}
    tokens = {case.case_id: _prompt_tokens(case, (*prompts, *choice.prompts), counter) for case in folder.cases}
    skipped |= {case.case_id: why for case in folder.cases if (why := why_unrenderable(case, choice))}
    cases = _chosen(options, folder.cases, tokens, skipped)
    if not cases:
        raise InputError(
            f"{options.cases}: no case is left ({'; '.join(sorted(set(skipped.values())))}); loosen the options"
        )
    suts = _suts(options, cases)
    rows = [*(_case_row(case, tokens, skipped) for case in folder.cases)]
    rows += [CaseRow(skip.case_id, "", skipped=skip.reason) for skip in folder.skipped]
    run = RunPlan(
        suite=SUITE,
        identity={**_identity(options, suts, prompts, parser, algorithms, folder.digest), **choice.identity},
        settings=_settings(options, counter),
        variants=(*variants_of(suts, prompts, parser, algorithms), *tool_variants(suts, choice)),
        cases=rows,
        cases_digest=folder.digest,
        name=options.name or None,
        note=options.note or None,
    )
    asked = [prompt.name for prompt in (*prompts, *choice.prompts)]
    keys = lane_keys([sut.name for sut in suts], asked, [case.case_id for case in cases])
    requests = len(cases) * len(asked)
    prompt_tokens = len(asked) * sum(tokens[case.case_id] for case in cases)
    return Plan(
        suite=SUITE,
        options=options,
        suts=suts,
        lanes=tuple(keys),
        quota=options.lane_quota,
        cap=options.most_attempts,
        workload=Workload(requests, prompt_tokens, _ANSWER_TOKENS, requests),
        detail=DiffDetail(prompts, parser, algorithms, cases, cast("ValidityName", options.validity), run, choice),
        notes=_notes(folder, len(skipped)),
    )


def _notes(folder: CaseFolder, skipped: int) -> tuple[str, ...]:
    notes = [f"{skipped} cases are skipped; the report names them"] if skipped else []
    return (*notes, others_note(folder.folder, folder.others)) if folder.others else tuple(notes)


def _suts(options: DiffOptions, cases: tuple[DiffEditCase, ...]) -> tuple[Sut, ...]:
    if options.recorded:
        return (Recorded({case.messages: case.original_message for case in cases}),)
    return choose_suts(split_models(options.model_ids), options.builder, options.sampling)


def _check(options: DiffOptions) -> None:
    if not options.model_ids.strip() and not options.recorded:
        raise InputError("--model-ids: is missing; name models, such as sim/careful, or give --replay")
    if options.recorded and options.edit_tool.strip() != DEFAULT_EDIT_TOOL:
        raise InputError(f"--edit-tool: recorded messages are {DEFAULT_EDIT_TOOL}'s; leave it out with --replay")
    if options.validity not in get_args(ValidityName):
        raise InputError(f"--validity: {options.validity!r} is not known; give {' or '.join(get_args(ValidityName))}")


def _prompt_tokens(case: DiffEditCase, prompts: tuple[Prompt, ...], counter: TokenCounter) -> int:
    """Tokens of a case's request with the longest of the prompts; images count nothing, as in the original."""
    conversation = counter.count("\n".join(message.text for message in case.messages))
    return conversation + max(counter.count(prompt.render(case.details)) for prompt in prompts)


def _chosen(
    options: DiffOptions, cases: tuple[DiffEditCase, ...], tokens: Mapping[str, int], skipped: dict[str, str]
) -> tuple[DiffEditCase, ...]:
    """The cases to attempt; notes in `skipped` why another is not."""
    chosen: list[DiffEditCase] = []
    for case in cases:
        if case.case_id in skipped:
            continue
        if options.max_context is not None and tokens[case.case_id] > options.max_context:
            skipped[case.case_id] = f"more than {options.max_context} tokens of prompt (--max-context)"
        elif options.recorded and not case.original_message:
            skipped[case.case_id] = "has no recorded message (--replay)"
        elif options.max_cases is not None and len(chosen) >= options.max_cases:
            skipped[case.case_id] = f"beyond the first {options.max_cases} (--max-cases)"
        else:
            chosen.append(case)
    return tuple(chosen)


def _case_row(case: DiffEditCase, tokens: Mapping[str, int], skipped: Mapping[str, str]) -> CaseRow:
    return CaseRow(
        case_id=case.case_id,
        digest=case.digest,
        path=case.file_path,
        language=case.language,
        source=case.source,
        tokens=tokens[case.case_id],
        skipped=skipped.get(case.case_id),
        content=read_text(case.file).removeprefix("\ufeff"),
    )


def _identity(
    options: DiffOptions,
    suts: tuple[Sut, ...],
    prompts: tuple[Prompt, ...],
    parser: Named[Parser],
    algorithms: tuple[Named[DiffAlgorithm], ...],
    cases_digest: str,
) -> dict[str, object]:
    """What makes two sessions the same run: all that an answer, its validity or its scorings depend on."""
    return {
        "suts": [f"{sut.name} at {sut.endpoint.base_url}" for sut in suts],
        "prompts": [f"{prompt.name}@{prompt.digest}" for prompt in prompts],
        "parser": f"{parser.name}@{parser.digest}",
        "diff_apply": [f"{algorithm.name}@{algorithm.digest}" for algorithm in algorithms],
        "cases": cases_digest,
        "max_cases": options.max_cases,
        "max_context": options.max_context,
        **options.asked_how,
        "validity": options.validity,
    }


def _settings(options: DiffOptions, counter: TokenCounter) -> dict[str, object]:
    """Return what may change from session to session, and how tokens were counted."""
    return {
        **options.settings,
        "cases": str(options.cases),
        "token_counter": counter.method,
    }
