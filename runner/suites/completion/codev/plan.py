"""What a run over Codev-Bench's tasks is to do: options checked, tasks read in the original's order."""

from collections.abc import Sequence
from dataclasses import dataclass

from prompts import Prompt, load
from runner.run.plan import Plan, Workload
from runner.run.resolve import choose_suts, split_models
from runner.run.session import lane_keys
from runner.run.suite import Say
from runner.run.variants import PartName, variant_of
from runner.storage.rows import to_json
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.completion.codev.inputs import asked_tasks, check
from runner.suites.completion.codev.options import CodevOptions
from runner.suites.completion.codev.rules import PARSER, question_of
from runner.suites.completion.codev.tasks import CodevTask, short_digest
from runner.tokens import token_counter
from suts.sut import Sut

SUITE = "codev"
PROMPT = "codev/chat"
# What an answer is taken to be in an estimate: a block of code in a fence, with a sentence or two around it.
_ANSWER_TOKENS = 200


@dataclass(frozen=True, slots=True)
class CodevDetail:
    """What a run over Codev-Bench's tasks is made of beside its systems and lanes."""

    prompt: Prompt
    tasks: tuple[CodevTask, ...]
    run: RunPlan


def plan(options: CodevOptions, say: Say) -> Plan[CodevDetail]:
    """Check and resolve everything before anything is written or sent. Raises InputError."""
    check(options)
    tasks = asked_tasks(options, say)
    suts = choose_suts(split_models(options.model_ids), options.builder, options.sampling)
    prompt, counter = load(PROMPT), token_counter(exact=False)
    tokens = len(tasks) * counter.count(prompt.wording) + sum(counter.count(question_of(task.prompt)) for task in tasks)
    return Plan(
        suite=SUITE,
        options=options,
        suts=suts,
        lanes=tuple(lane_keys([sut.name for sut in suts], [PROMPT], [task.case_id for task in tasks])),
        quota=options.quota,
        cap=options.most_attempts,
        workload=Workload(len(tasks), tokens, _ANSWER_TOKENS, len(tasks)),
        detail=CodevDetail(prompt, tasks, _run_plan(tasks, suts, prompt, options)),
    )


def _run_plan(tasks: Sequence[CodevTask], suts: Sequence[Sut], prompt: Prompt, options: CodevOptions) -> RunPlan:
    """What a run over these tasks is."""
    digest = _digest(tasks)
    identity = {
        "suts": [f"{sut.name} at {sut.endpoint.base_url}" for sut in suts],
        "prompts": [f"{prompt.name}@{prompt.digest}"],
        "cases": digest,
        **options.asked_how,
    }
    return RunPlan(
        suite=SUITE,
        identity=identity,
        settings=options.settings,
        variants=[variant_of(sut, prompt, PartName(PARSER)) for sut in suts],
        cases=[
            CaseRow(
                task.case_id,
                short_digest(task.prompt + task.middle),
                path=task.file,
                language="python",
                content=_content(task),
            )
            for task in tasks
        ],
        cases_digest=digest,
        name=options.name or None,
        note=options.note or None,
    )


def _content(task: CodevTask) -> str:
    return to_json({"messages": [{"role": "user", "text": question_of(task.prompt)}], **task.row})


def _digest(tasks: Sequence[CodevTask]) -> str:
    return short_digest("\n".join(f"{task.case_id}\t{short_digest(task.prompt + task.middle)}" for task in tasks))
