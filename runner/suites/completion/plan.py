"""What a completion run is to do: options checked, names resolved, tasks chosen and cut to what may be shown."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prompts.fim import MarkError
from runner.errors import InputError
from runner.run.plan import FillIn, Plan, Workload
from runner.run.resolve import choose_suts, split_models, split_names
from runner.run.session import lane_keys
from runner.run.suite import Say
from runner.suites.completion.chains import Chain, choose_chains
from runner.suites.completion.dataset import Dataset, Task, read_dataset
from runner.suites.completion.fitting import Fitted, PromptTooLargeError, fit
from runner.suites.completion.forms import SUFFIX, AgentForm, Fim, Form, Seen, choose_forms
from runner.suites.completion.options import CompletionOptions
from runner.suites.completion.task_choice import LeftOut, chosen, left_out_note, released_after
from runner.tokens import TokenCounter, token_counter
from suts.sut import Sut, takes_prompts

SUITE = "completion"
# What an answer is taken to be in an estimate: a block of code, with a sentence or two of chat around it.
_ANSWER_TOKENS = 200


@dataclass(frozen=True, slots=True)
class CompletionCase:
    """A task and what is shown of it by form."""

    task: Task
    seen: Mapping[str, Seen]

    @property
    def case_id(self) -> str:
        """The task's id."""
        return self.task.task_id


@dataclass(frozen=True, slots=True)
class CompletionDetail:
    """What a completion run is made of beside its systems and lanes.

    `skipped` says why a task is not asked, `tokens` how long the longest question about a task is; `left_out` are
    repositories that are too old.
    """

    options: CompletionOptions
    dataset: Dataset
    forms: tuple[Form, ...]
    chains: tuple[Chain, ...]
    cases: tuple[CompletionCase, ...]
    skipped: Mapping[str, str]
    tokens: Mapping[str, int]
    counter: TokenCounter
    left_out: tuple[LeftOut, ...] = ()


def plan(options: CompletionOptions, say: Say) -> Plan[CompletionDetail]:
    """Check and resolve everything before anything is written or sent. Raises InputError."""
    if not options.model_ids.strip():
        raise InputError("--model-ids: is missing; name models, such as sim/careful")
    scenes = options.scene_names
    chains = choose_chains(split_names(options.parser, "--parser"), "--parser")
    forms = (AgentForm(),) if options.agents else choose_forms(split_names(options.prompts, "--prompts"), say)
    dataset, left_out = released_after(read_dataset(options.file), options.first_day, options.file)
    suts = choose_suts(split_models(options.model_ids), options.builder, options.sampling)
    if options.agents:
        options.say_unused(say, "prompts", "max_context")
    else:
        _refuse_without_prompts(suts, forms)
    counter = token_counter(exact=options.max_context is not None)
    tasks = chosen(dataset, scenes, options.max_cases)
    most = None if options.agents else options.most_context
    cases, skipped, tokens = _cases(dataset, tasks, forms, counter, most)
    if not cases:
        why = "; ".join(sorted(set(skipped.values()))) or "none is of these scenes"
        raise InputError(f"{options.file}: no task is left ({why}); loosen the options")
    detail = CompletionDetail(options, dataset, forms, chains, cases, skipped, tokens, counter, left_out)
    names = [sut.name for sut in suts], [form.name for form in forms], [case.case_id for case in cases]
    return Plan(
        suite=SUITE,
        options=options,
        suts=suts,
        lanes=tuple(lane_keys(*names)),
        quota=options.quota,
        cap=options.most_attempts,
        workload=_workload(detail),
        detail=detail,
        notes=tuple(_notes(detail)),
        fill_in=_fill_in(forms),
    )


def _workload(detail: CompletionDetail) -> Workload:
    """What is asked; how many tokens agents take nobody knows beforehand."""
    requests = len(detail.cases) * len(detail.forms)
    if detail.options.agents:
        return Workload(requests, 0, 0, requests)
    return Workload(requests, len(detail.forms) * sum(detail.tokens.values()), _ANSWER_TOKENS, requests)


def _refuse_without_prompts(suts: tuple[Sut, ...], forms: tuple[Form, ...]) -> None:
    for form in forms:
        for sut in suts:
            if form.raw and not takes_prompts(sut):
                raise InputError(
                    f"--prompts {form.name}: {sut.name} takes no prompts, only chats; leave one of them out"
                )


def _fill_in(forms: tuple[Form, ...]) -> FillIn:
    marks = {form.name: form.family.tokens for form in forms if isinstance(form, Fim)}
    return FillIn(marks, SUFFIX if any(form.name == SUFFIX for form in forms) else "")


def _notes(detail: CompletionDetail) -> Iterator[str]:
    yield f"each answer is read by {', '.join(chain.name for chain in detail.chains)}"
    if not detail.options.agents:
        cut = sum(any(seen.cut for seen in case.seen.values()) for case in detail.cases)
        longest = max(detail.tokens.values())
        yield f"the longest question has {longest} tokens ({detail.counter.method}); {cut} are cut around the cursor"
    if detail.options.first_day is not None:
        yield left_out_note(detail.options.first_day.isoformat(), detail.left_out)
    for reason in sorted(set(detail.skipped.values())):
        count = sum(other == reason for other in detail.skipped.values())
        yield f"{count} tasks are skipped: {reason}"


def _cases(
    dataset: Dataset, tasks: tuple[Task, ...], forms: tuple[Form, ...], counter: TokenCounter, most: int | None
) -> tuple[tuple[CompletionCase, ...], dict[str, str], dict[str, int]]:
    """The cases, and why a task is none: one that cannot be asked in every form is left out of all, for fairness."""
    cases: list[CompletionCase] = []
    skipped: dict[str, str] = {}
    tokens: dict[str, int] = {}
    for task in tasks:
        fitted: dict[str, Fitted] = {}
        for form in forms:
            try:
                fitted[form.name] = fit(dataset, task, form, counter, most)
            except (MarkError, PromptTooLargeError) as error:
                skipped[task.task_id] = f"cannot be asked by {form.name}: {error}"
                break
        else:
            tokens[task.task_id] = max(fit.tokens for fit in fitted.values())
            cases.append(CompletionCase(task, {name: fit.seen for name, fit in fitted.items()}))
    return tuple(cases), skipped, tokens
