"""What a CodRep run is to do: names resolved, tasks chosen, and what makes two sessions one run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parsers.blocks import Parser
from prompts import Prompt
from runner.errors import InputError
from runner.run.plan import Plan, Workload
from runner.run.resolve import Named, choose_parser, choose_prompts, choose_suts, split_models, split_names
from runner.run.suite import Say
from runner.storage.ledger import LaneKey
from runner.suites.codrep.cases import CodrepCase, read_cases
from runner.suites.codrep.dataset import open_datasets
from runner.suites.codrep.options import CodrepOptions
from runner.suites.codrep.predictors.predict import PREDICTORS
from runner.suites.codrep.showing import Room, check_room, estimated_tokens, room_of
from runner.tokens import TokenCounter, token_counter

SUITE = "codrep"
# What an answer is taken to be in an estimate: a tag after a few sentences.
_ANSWER_TOKENS = 100


@dataclass(frozen=True, slots=True)
class CodrepDetail:
    """What a CodRep run is made of beside its systems and lanes.

    `room` is that of a question to a model, as `counter` counts it; both are None where no model is asked.
    """

    options: CodrepOptions
    prompts: tuple[Prompt, ...]
    parser: Named[Parser]
    cases: tuple[CodrepCase, ...]
    counter: TokenCounter | None = None
    room: Room | None = None


def plan(options: CodrepOptions, say: Say) -> Plan[CodrepDetail]:
    """Check and resolve everything before anything is written or sent. Raises InputError."""
    names = _system_names(options)
    predictors = tuple(name for name in names if name in PREDICTORS)
    models = choose_suts([name for name in names if name not in PREDICTORS], options.builder, options.sampling)
    prompts = choose_prompts(split_names(options.prompts, "--prompts"), say)
    parser = choose_parser(options.parser, say)
    cases = read_cases(open_datasets(options.folders), options.limit, options.sample_seed)
    counter = room = None
    if models:
        counter = token_counter(exact=True)
        room = room_of(prompts, options.max_context, counter)
        check_room(cases, room)
    # Predictors have no prompt.
    systems = [(name, "") for name in predictors]
    systems += [(sut.name, prompt.name) for sut in models for prompt in prompts]
    return Plan(
        suite=SUITE,
        options=options,
        suts=models,
        lanes=tuple(LaneKey(sut, prompt, case.case_id) for case in cases for sut, prompt in systems),
        quota=options.quota,
        cap=options.most_attempts,
        workload=_workload(cases, room, len(prompts)),
        detail=CodrepDetail(options, prompts, parser, cases, counter, room),
        local=predictors,
        notes=tuple(_notes(cases, room)),
    )


def _system_names(options: CodrepOptions) -> tuple[str, ...]:
    names = split_models(options.model_ids)
    for name in names:
        if not (name in PREDICTORS or options.provider or "/" in name or ":" in name):
            known = ", ".join(PREDICTORS)
            raise InputError(f"--model-ids: {name!r} is not known; there are {known}, and models as provider/model")
    return names


def _workload(cases: Sequence[CodrepCase], room: Room | None, prompts: int) -> Workload:
    if room is None:
        return Workload(0, 0, 0, 0)
    questions = prompts * len(cases)
    return Workload(questions, prompts * sum(estimated_tokens(case, room) for case in cases), _ANSWER_TOKENS, questions)


def _notes(cases: Sequence[CodrepCase], room: Room | None) -> Iterator[str]:
    if room is not None:
        cut = sum(room.prompt_tokens + case.whole_tokens > room.max_context for case in cases)
        yield f"about {cut} of {len(cases)} files are longer than {room.max_context} tokens, and are shown in part"
