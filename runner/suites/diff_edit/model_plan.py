"""What a diff-edit run of models is to do: options checked, names resolved, cases chosen."""

from collections.abc import Mapping, Sequence

from prompts import Prompt
from runner.errors import InputError
from runner.run.plan import Plan, Workload
from runner.run.resolve import (
    Say,
    choose_algorithms,
    choose_parser,
    choose_prompts,
    choose_suts,
    split_models,
    split_names,
)
from runner.run.session import lane_keys
from runner.suites.diff_edit.call_choice import (
    check_tools,
    chosen_calls,
    native_parser,
    prompts_of,
    without_native_form,
)
from runner.suites.diff_edit.cases import CaseFolder, DiffEditCase, load_cases, others_note
from runner.suites.diff_edit.detail import VALIDITIES, DiffDetail, validity_named
from runner.suites.diff_edit.foreign_tools import opening
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.run_record import SUITE, CaseNotes, ChosenParts, run_of
from runner.suites.diff_edit.tools import ToolChoice, check_writing, choose_tools, why_unrenderable
from runner.tokens import TokenCounter, token_counter
from suts.recorded import Recorded
from suts.sut import Sut

# What an answer is taken to be in an estimate: the median of edit calls with their prose.
_ANSWER_TOKENS = 600


def model_plan(options: DiffOptions, say: Say) -> Plan[DiffDetail]:
    """Check and resolve everything before anything is written or sent. Raises InputError."""
    _check(options)
    names, calls = split_names(options.edit_tool, "--edit-tool"), chosen_calls(options)
    choice = choose_tools(names, opening(options), recorded=options.recorded, calls=calls)
    try:
        return _plan(options, choice, calls, say)
    finally:
        # Their processes have seen no database yet, and will be started again where it is hidden.
        choice.rest()


def _plan(options: DiffOptions, choice: ToolChoice, calls: Sequence[str], say: Say) -> Plan[DiffDetail]:
    counter = token_counter(exact=options.max_context is not None)
    plain = choose_prompts(split_names(options.prompts, "--prompts"), say) if choice.has_default else ()
    prompts = prompts_of(plain, calls)
    parser, native = choose_parser(options.parser, say), native_parser(say)
    algorithms = choose_algorithms(split_names(options.diff_apply, "--diff-apply"), say)
    folder = load_cases(options.cases)
    skipped = {skip.case_id: skip.reason for skip in folder.skipped}
    skipped |= without_native_form(folder.cases, calls if choice.has_default else ())
    tokens = {case.case_id: _prompt_tokens(case, (*prompts, *choice.prompts), counter) for case in folder.cases}
    skipped |= {case.case_id: why for case in folder.cases if (why := why_unrenderable(case, choice))}
    cases = _chosen(options, folder.cases, tokens, skipped)
    if not cases:
        raise InputError(
            f"{options.cases}: no case is left ({'; '.join(sorted(set(skipped.values())))}); loosen the options"
        )
    suts = _suts(options, cases)
    check_tools(suts, calls)
    check_writing(suts, choice)
    chosen = ChosenParts(suts, prompts, parser, native, algorithms, choice)
    run = run_of(options, folder, chosen, CaseNotes(tokens, counter.method, skipped))
    requested = [prompt.name for prompt in chosen.all_prompts]
    keys = lane_keys([sut.name for sut in suts], requested, [case.case_id for case in cases])
    requests = len(cases) * len(requested)
    prompt_tokens = len(requested) * sum(tokens[case.case_id] for case in cases)
    return Plan(
        suite=SUITE,
        options=options,
        suts=suts,
        lanes=tuple(keys),
        quota=options.lane_quota,
        cap=options.most_attempts,
        workload=Workload(requests, prompt_tokens, _ANSWER_TOKENS, requests),
        detail=DiffDetail(
            prompts,
            parser,
            native,
            algorithms,
            cases,
            validity_named(options.validity),
            run,
            choice,
            recover=options.recover,
        ),
        notes=_notes(folder, len(skipped), options.recover),
    )


def _notes(folder: CaseFolder, skipped: int, recover: int) -> tuple[str, ...]:
    notes = [f"{skipped} cases are skipped; the report names them"] if skipped else []
    if recover:
        notes.append(f"a refused edit may take up to {recover} further requests, which no estimate counts (--recover)")
    return (*notes, others_note(folder.folder, folder.others)) if folder.others else tuple(notes)


def _suts(options: DiffOptions, cases: tuple[DiffEditCase, ...]) -> tuple[Sut, ...]:
    if options.recorded:
        return (Recorded({case.messages: case.original_message for case in cases}),)
    return choose_suts(split_models(options.model_ids), options.builder, options.sampling)


def _check(options: DiffOptions) -> None:
    if not options.model_ids.strip() and not options.recorded:
        raise InputError("--model-ids: is missing; name models, such as sim/careful, or give --replay")
    if options.recover and options.recorded:
        raise InputError("--recover: recorded messages are asked nothing more; leave it out with --replay")
    if options.validity not in VALIDITIES:
        raise InputError(f"--validity: {options.validity!r} is not known; give {' or '.join(VALIDITIES)}")


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
