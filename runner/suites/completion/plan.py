"""What a completion run is to do: options checked, names resolved, tasks chosen and cut to what may be shown."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from prompts.fim import MarkError
from runner.errors import InputError
from runner.run.plan import FillIn, Plan, Workload
from runner.run.resolve import choose_suts, split_models, split_names
from runner.run.session import lane_keys
from runner.run.suite import Say
from runner.suites.completion.chains import Chain, choose_chains
from runner.suites.completion.dataset import Dataset, Task, read_dataset
from runner.suites.completion.fitting import Fitted, PromptTooLargeError, fit
from runner.suites.completion.forms import SUFFIX, Fim, Form, Seen, choose_forms
from runner.suites.completion.options import CompletionOptions
from runner.suites.completion.scenes import scenes_of
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

    `skipped` says why a task is not asked, `tokens` how long the longest question about a task is.
    """

    options: CompletionOptions
    dataset: Dataset
    forms: tuple[Form, ...]
    chains: tuple[Chain, ...]
    cases: tuple[CompletionCase, ...]
    skipped: Mapping[str, str]
    tokens: Mapping[str, int]
    counter: TokenCounter


def plan(options: CompletionOptions, say: Say) -> Plan[CompletionDetail]:
    """Check and resolve everything before anything is written or sent. Raises InputError."""
    if not options.model_ids.strip():
        raise InputError("--model-ids: is missing; name models, such as sim/careful")
    scenes = scenes_of(options.scenes)
    chains = choose_chains(split_names(options.parser, "--parser"), "--parser")
    forms = choose_forms(split_names(options.prompts, "--prompts"), say)
    dataset = read_dataset(options.file)
    suts = choose_suts(split_models(options.model_ids), options.builder, options.sampling)
    _refuse_without_prompts(suts, forms)
    counter = token_counter(exact=options.max_context is not None)
    tasks = chosen(dataset, scenes, options.max_cases)
    cases, skipped, tokens = _cases(dataset, tasks, forms, counter, options.most_context)
    if not cases:
        why = "; ".join(sorted(set(skipped.values()))) or "none is of these scenes"
        raise InputError(f"{options.file}: no task is left ({why}); loosen the options")
    detail = CompletionDetail(options, dataset, forms, chains, cases, skipped, tokens, counter)
    requests = len(cases) * len(forms)
    names = [sut.name for sut in suts], [form.name for form in forms], [case.case_id for case in cases]
    return Plan(
        suite=SUITE,
        options=options,
        suts=suts,
        lanes=tuple(lane_keys(*names)),
        quota=options.quota,
        cap=options.most_attempts,
        workload=Workload(requests, len(forms) * sum(tokens.values()), _ANSWER_TOKENS, requests),
        detail=detail,
        notes=tuple(_notes(detail)),
        fill_in=_fill_in(forms),
    )


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
    cut = sum(any(seen.cut for seen in case.seen.values()) for case in detail.cases)
    yield f"each answer is read by {', '.join(chain.name for chain in detail.chains)}"
    longest = max(detail.tokens.values())
    yield f"the longest question has {longest} tokens ({detail.counter.method}); {cut} are cut around the cursor"
    for reason in sorted(set(detail.skipped.values())):
        count = sum(other == reason for other in detail.skipped.values())
        yield f"{count} tasks are skipped: {reason}"


def chosen(dataset: Dataset, scenes: frozenset[str] | None, limit: int | None) -> tuple[Task, ...]:
    """The tasks of these scenes, at most `limit`: taken by turns from each scene and type of block.

    In each of these by the digests of their names: the first ones in their order would all be of one file.
    """
    tasks = [task for task in dataset.tasks if scenes is None or task.scene in scenes]
    if limit is None or limit >= len(tasks):
        return tuple(tasks)
    scenes_found: dict[tuple[str, bool], dict[str, list[Task]]] = {}
    for task in tasks:
        blocks = scenes_found.setdefault((task.scene, task.with_evidence), {})
        blocks.setdefault(task.block_type, []).append(task)
    # Each scene begins with another type of block, so that few tasks are of many kinds.
    drawn = [[sorted(tasks, key=_draw) for tasks in blocks.values()] for blocks in scenes_found.values()]
    rows = [_by_turns(_rotated(blocks, at)) for at, blocks in enumerate(drawn)]
    kept = {task.task_id for task in _by_turns(rows)[:limit]}
    return tuple(task for task in tasks if task.task_id in kept)


def _draw(task: Task) -> str:
    return hashlib.sha256(task.task_id.encode()).hexdigest()


def _rotated(groups: list[list[Task]], by: int) -> list[list[Task]]:
    at = by % len(groups)
    return groups[at:] + groups[:at]


def _by_turns(groups: list[list[Task]]) -> list[Task]:
    return [task for turn in zip_longest(*groups) for task in turn if task is not None]


def _cases(
    dataset: Dataset, tasks: tuple[Task, ...], forms: tuple[Form, ...], counter: TokenCounter, most: int
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
