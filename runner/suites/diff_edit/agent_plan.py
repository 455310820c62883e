"""What a diff-edit run of coding agents is to do: its systems, its cases, its record."""

from runner.agents.names import all_agents
from runner.errors import InputError
from runner.run.plan import Plan, Workload
from runner.run.resolve import Say, choose_parser, choose_suts, split_models
from runner.run.session import lane_keys
from runner.run.tree_scoring import path_in_folder
from runner.suites.diff_edit.agent_attempts import PROMPT
from runner.suites.diff_edit.agent_record import agent_run_of
from runner.suites.diff_edit.cases import load_cases
from runner.suites.diff_edit.detail import DiffDetail
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.run_record import SUITE


def names_agents(options: DiffOptions) -> bool:
    """Return whether the systems of a run are agents. Raises InputError where only some are."""
    names = split_models(options.model_ids) if options.model_ids.strip() else ()
    agents = all_agents(names)
    if agents and options.recorded:
        raise InputError("--replay: an agent has no recorded answers; leave it out")
    if agents and options.recover:
        raise InputError(f"--recover: {names[0]} is an agent, which sees its own errors; leave it out")
    return agents


def agent_plan(options: DiffOptions, say: Say) -> Plan[DiffDetail]:
    """Return the plan of a run of agents. Raises InputError."""
    options.say_unused(say, "prompts", "parser", "diff_apply", "calls", "edit_tool", "max_context", "validity")
    folder = load_cases(options.cases)
    skipped = {skip.case_id: skip.reason for skip in folder.skipped}
    skipped |= {case.case_id: "its file has no place in a folder" for case in folder.cases if not path_in_folder(case)}
    fit = [case for case in folder.cases if case.case_id not in skipped]
    cases = tuple(fit[: options.max_cases])
    skipped |= {case.case_id: f"beyond the first {options.max_cases} (--max-cases)" for case in fit[len(cases) :]}
    if not cases:
        raise InputError(f"{options.cases}: no case is left; loosen the options")
    suts = choose_suts(split_models(options.model_ids), options.builder)
    keys = lane_keys([sut.name for sut in suts], [PROMPT.name], [case.case_id for case in cases])
    run = agent_run_of(options, folder, suts, skipped)
    parser = choose_parser(options.parser, say)
    return Plan(
        suite=SUITE,
        options=options,
        suts=suts,
        lanes=tuple(keys),
        quota=options.lane_quota,
        cap=options.most_attempts,
        workload=Workload(len(cases), 0, 0, len(cases)),
        detail=DiffDetail((PROMPT,), parser, parser, (), cases, "strict", run, agents=True),
    )
