"""What a diff-edit run is to do: options checked, names resolved, cases chosen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast, get_args

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from prompts import Prompt
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
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.diff_edit.call_choice import (
    calls_identity,
    check_tools,
    chosen_calls,
    is_native,
    native_parser,
    prompts_of,
    variants_by_calls,
    without_native_form,
)
from runner.suites.diff_edit.cases import CaseFolder, DiffEditCase, load_cases, others_note
from runner.suites.diff_edit.options import DiffOptions
from runner.tokens import TokenCounter, token_counter
from suts.recorded import Recorded
from suts.sut import Sut

SUITE = "diff_edit"
# What an answer is taken to be in an estimate: the median of edit calls with their prose.
_ANSWER_TOKENS = 600


@dataclass(frozen=True, slots=True)
class DiffDetail:
    """What a diff-edit run is made of beside its systems and lanes.

    Prompts for native calls are among `prompts`; `native` reads the answers to them, `parser` all others.
    """

    prompts: tuple[Prompt, ...]
    parser: Named[Parser]
    native: Named[Parser]
    algorithms: tuple[Named[DiffAlgorithm], ...]
    cases: tuple[DiffEditCase, ...]
    validity: ValidityName
    run: RunPlan

    @property
    def native_parsers(self) -> dict[str, Parser]:
        """What reads native answers, by their prompts."""
        return {prompt.name: self.native.impl for prompt in self.prompts if is_native(prompt)}


def plan(options: DiffOptions, say: Say) -> Plan[DiffDetail]:
    """Check and resolve everything before anything is written or sent. Raises InputError."""
    _check(options)
    counter = token_counter(exact=options.max_context is not None)
    calls = chosen_calls(options)
    prompts = prompts_of(choose_prompts(split_names(options.prompts, "--prompts"), say), calls)
    parser, native = choose_parser(options.parser, say), native_parser(say)
    algorithms = choose_algorithms(split_names(options.diff_apply, "--diff-apply"), say)
    folder = load_cases(options.cases)
    skipped = {skip.case_id: skip.reason for skip in folder.skipped}
    skipped |= without_native_form(folder.cases, calls)
    tokens = {case.case_id: _prompt_tokens(case, prompts, counter) for case in folder.cases}
    cases = _chosen(options, folder.cases, tokens, skipped)
    if not cases:
        raise InputError(
            f"{options.cases}: no case is left ({'; '.join(sorted(set(skipped.values())))}); loosen the options"
        )
    suts = _suts(options, cases)
    check_tools(suts, calls)
    rows = [*(_case_row(case, tokens, skipped) for case in folder.cases)]
    rows += [CaseRow(skip.case_id, "", skipped=skip.reason) for skip in folder.skipped]
    run = RunPlan(
        suite=SUITE,
        identity=_identity(options, suts, prompts, parser, algorithms, folder.digest),
        settings=_settings(options, counter),
        variants=variants_by_calls(suts, prompts, (parser, native), algorithms),
        cases=rows,
        cases_digest=folder.digest,
        name=options.name or None,
        note=options.note or None,
    )
    keys = lane_keys([sut.name for sut in suts], [prompt.name for prompt in prompts], [case.case_id for case in cases])
    requests = len(cases) * len(prompts)
    prompt_tokens = len(prompts) * sum(tokens[case.case_id] for case in cases)
    return Plan(
        suite=SUITE,
        options=options,
        suts=suts,
        lanes=tuple(keys),
        quota=options.lane_quota,
        cap=options.most_attempts,
        workload=Workload(requests, prompt_tokens, _ANSWER_TOKENS, requests),
        detail=DiffDetail(prompts, parser, native, algorithms, cases, cast("ValidityName", options.validity), run),
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
        **calls_identity(options),
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
