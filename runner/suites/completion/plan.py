"""What a completion run is to do: options checked, names resolved, tasks chosen and cut to what may be shown."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from prompts.fim import MarkError
from runner.errors import InputError
from runner.run.engine import Lane
from runner.run.resolve import choose_suts, split_models, split_names
from runner.run.session import lane_keys
from runner.storage.rows import to_json
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.completion.attempt import SUITE, CompletionCase
from runner.suites.completion.chains import Chain, choose_chains
from runner.suites.completion.dataset import Dataset, Task, task_row
from runner.suites.completion.fitting import Fitted, TooLargeError, fit
from runner.suites.completion.forms import Form, Seen, choose_forms
from runner.suites.completion.options import DEFAULT_CONTEXT, CompletionOptions, check
from runner.tokens import TokenCounter
from runner.variant import Variant
from suts.sut import Sut, takes_prompts


@dataclass(frozen=True, slots=True)
class CompletionPlan:
    """A completion run, ready to begin; `skipped` says why a task is not asked, `tokens` how long its questions are."""

    options: CompletionOptions
    dataset: Dataset
    suts: tuple[Sut, ...]
    forms: tuple[Form, ...]
    chains: tuple[Chain, ...]
    cases: tuple[CompletionCase, ...]
    skipped: Mapping[str, str]
    tokens: Mapping[str, int]
    counter: TokenCounter

    def lanes(self) -> list[Lane]:
        """The lanes to fill."""
        keys = lane_keys(
            [sut.name for sut in self.suts], [form.name for form in self.forms], [case.case_id for case in self.cases]
        )
        return [Lane(key, self.options.quota, self.options.most_attempts) for key in keys]


def make_plan(
    options: CompletionOptions,
    dataset: Dataset,
    build: Callable[[str], Sut],
    counter: TokenCounter,
    say: Callable[[str], None],
) -> CompletionPlan:
    """Check and resolve everything before anything is written or sent. Raises InputError."""
    check(options)
    chains = choose_chains(split_names(options.chains, "--chains"), "--chains")
    forms = choose_forms(split_names(options.prompts, "--prompts"), say)
    suts = choose_suts(split_models(options.suts, "--sut"), build, options.sampling, "--sut")
    for form in forms:
        for sut in suts:
            if form.raw and not takes_prompts(sut):
                raise InputError(
                    f"--prompts {form.name}: {sut.name} takes no prompts, only chats; leave one of them out"
                )
    tasks = chosen(dataset, options.scenes, options.limit)
    cases, skipped, tokens = _shown(dataset, tasks, forms, counter, options.max_context or DEFAULT_CONTEXT)
    if not cases:
        why = "; ".join(sorted(set(skipped.values()))) or "none is of these scenes"
        raise InputError(f"{options.file}: no task is left ({why}); loosen the options")
    return CompletionPlan(options, dataset, suts, forms, chains, cases, skipped, tokens, counter)


def chosen(dataset: Dataset, scenes: frozenset[str] | None, limit: int | None) -> tuple[Task, ...]:
    """The tasks of these scenes, at most `limit`: taken by turns from each scene and type of block.

    In each of these by the digests of their names: the first ones in their order would all be of one file.
    """
    wanted = [task for task in dataset.tasks if scenes is None or task.scene in scenes]
    if limit is None or limit >= len(wanted):
        return tuple(wanted)
    scenes_found: dict[tuple[str, bool], dict[str, list[Task]]] = {}
    for task in wanted:
        blocks = scenes_found.setdefault((task.scene, task.with_evidence), {})
        blocks.setdefault(task.block_type, []).append(task)
    # Each scene begins with another type of block, so that few tasks are of many kinds.
    drawn = [[sorted(tasks, key=_draw) for tasks in blocks.values()] for blocks in scenes_found.values()]
    rows = [_by_turns(_rotated(blocks, at)) for at, blocks in enumerate(drawn)]
    kept = {task.task_id for task in _by_turns(rows)[:limit]}
    return tuple(task for task in wanted if task.task_id in kept)


def _draw(task: Task) -> str:
    return hashlib.sha256(task.task_id.encode()).hexdigest()


def _rotated(groups: list[list[Task]], by: int) -> list[list[Task]]:
    at = by % len(groups)
    return groups[at:] + groups[:at]


def _by_turns(groups: list[list[Task]]) -> list[Task]:
    return [task for turn in zip_longest(*groups) for task in turn if task is not None]


def _shown(
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
            except (MarkError, TooLargeError) as error:
                skipped[task.task_id] = f"cannot be asked by {form.name}: {error}"
                break
        else:
            tokens[task.task_id] = max(one.tokens for one in fitted.values())
            cases.append(CompletionCase(task, {name: one.seen for name, one in fitted.items()}))
    return tuple(cases), skipped, tokens


def run_plan(plan: CompletionPlan, repo: Path, tree: str) -> RunPlan:
    """The run as the database keeps it; `tree` is the digest of the repository that judges."""
    return RunPlan(
        suite=SUITE,
        identity=_identity(plan, tree),
        settings={**_settings(plan), "repo": str(repo.resolve()), "tree": tree},
        variants=variants_of(plan.suts, plan.forms, plan.chains),
        cases=list(_case_rows(plan)),
        cases_digest=cases_digest(plan),
        name=plan.options.name or None,
        note=plan.options.note or None,
    )


def variants_of(suts: tuple[Sut, ...], forms: tuple[Form, ...], chains: tuple[Chain, ...]) -> list[Variant]:
    """Every combination; a chain stands where other suites have a parser."""
    return [
        Variant(
            sut=sut.name,
            prompt=form.name,
            parser=chain.name,
            diff_algorithm="",
            prompt_digest=form.digest,
            parser_digest=chain.digest,
            algorithm_digest="",
            endpoint=sut.endpoint.base_url,
            simulated=sut.endpoint.simulated,
        )
        for sut in suts
        for form in forms
        for chain in chains
    ]


def cases_digest(plan: CompletionPlan) -> str:
    """12 hexadecimal digits of the tasks that are asked and of what is tested."""
    whole = hashlib.sha256()
    for case in plan.cases:
        task = case.task
        parts = (task.task_id, plan.dataset.prefix(task), plan.dataset.truth(task), *task.tests)
        whole.update("\0".join(parts).encode("utf-8", "surrogatepass"))
    return whole.hexdigest()[:12]


def _identity(plan: CompletionPlan, tree: str) -> dict[str, object]:
    """What makes two sessions the same run: all that an answer or its verdict depends on."""
    options = plan.options
    return {
        "suts": [f"{sut.name} at {sut.endpoint.base_url}" for sut in plan.suts],
        "prompts": [f"{form.name}@{form.digest}" for form in plan.forms],
        "chains": [f"{chain.name}@{chain.digest}" for chain in plan.chains],
        "cases": cases_digest(plan),
        "repository": tree[:12],
        "max_context": options.max_context or DEFAULT_CONTEXT,
        "token_counter": plan.counter.method,
        **options.asked_how,
    }


def _settings(plan: CompletionPlan) -> dict[str, object]:
    """What may change from session to session."""
    options = plan.options
    return {
        **options.settings,
        "workers": options.workers,
        "cases": str(options.file),
        "scenes": None if options.scenes is None else sorted(options.scenes),
        "limit": options.limit,
    }


def _case_rows(plan: CompletionPlan) -> list[CaseRow]:
    seen = {case.case_id: next(iter(case.seen.values())) for case in plan.cases}
    tasks = [task for task in plan.dataset.tasks if task.task_id in seen or task.task_id in plan.skipped]
    return [_case_row(plan, task, seen.get(task.task_id)) for task in tasks]


def _case_row(plan: CompletionPlan, task: Task, seen: Seen | None) -> CaseRow:
    """A case with all that a later look needs: the task, its file, and what was shown around the hole."""
    shown = [("evidence", one.text) for one in seen.evidence] if seen else []
    shown += [("before", seen.before), ("behind", seen.behind)] if seen else []
    content = {
        "task": task_row(task),
        "text": plan.dataset.files[task.file],
        "messages": [{"role": role, "text": text} for role, text in shown],
    }
    digest = hashlib.sha256(to_json([content["task"], content["text"]]).encode()).hexdigest()[:12]
    return CaseRow(
        case_id=task.task_id,
        digest=digest,
        path=task.file,
        language="python",
        source=plan.dataset.about.repo,
        tokens=plan.tokens.get(task.task_id),
        skipped=plan.skipped.get(task.task_id),
        content=to_json(content),
    )
