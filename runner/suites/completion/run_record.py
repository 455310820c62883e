"""A completion run as the database keeps it: its identity, variants and cases."""

import hashlib
from collections.abc import Mapping

from runner.agents.agent import limits_of
from runner.run.plan import Plan
from runner.run.variants import variant_of
from runner.storage.rows import to_json
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.completion.dataset import Task, task_digest, task_row
from runner.suites.completion.forms import SUFFIX, Seen
from runner.suites.completion.plan import SUITE, CompletionDetail
from runner.suites.completion.task_choice import left_out_settings
from suts.sut import Sut


def run_plan(plan: Plan[CompletionDetail], judged_in: Mapping[str, object]) -> RunPlan:
    """The run as the database keeps it; `judged_in` is where it is judged (`repositories.placed`)."""
    detail = plan.detail
    return RunPlan(
        suite=SUITE,
        identity=_identity(plan.suts, detail, str(judged_in["tree"])),
        settings={**_settings(detail), **judged_in},
        # A chain stands where other suites have a parser.
        variants=[
            variant_of(sut, form, chain) for sut in plan.suts for form in detail.forms for chain in detail.chains
        ],
        cases=list(_case_rows(detail)),
        cases_digest=cases_digest(detail),
        name=detail.options.name or None,
        note=detail.options.note or None,
    )


def cases_digest(detail: CompletionDetail) -> str:
    """12 hexadecimal digits of the tasks that are asked and of what is tested."""
    whole = hashlib.sha256()
    for case in detail.cases:
        task = case.task
        parts = (task.task_id, detail.dataset.prefix(task), detail.dataset.truth(task), *task.tests)
        whole.update("\0".join(parts).encode("utf-8", "surrogatepass"))
    return whole.hexdigest()[:12]


def _identity(suts: tuple[Sut, ...], detail: CompletionDetail, tree: str) -> dict[str, object]:
    """What makes two sessions the same run: all that an answer or its verdict depends on."""
    options = detail.options
    # Earlier runs sent the suffix where llama.cpp's server ignores it.
    infill = any(form.name == SUFFIX for form in detail.forms) and any(
        sut.endpoint.provider == "llamacpp" for sut in suts
    )
    return {
        **({"suffix": "infill"} if infill else {}),
        "suts": [f"{sut.name} at {sut.endpoint.base_url}" for sut in suts],
        "prompts": [f"{form.name}@{form.digest}" for form in detail.forms],
        "chains": [f"{chain.name}@{chain.digest}" for chain in detail.chains],
        "cases": cases_digest(detail),
        "repository": tree[:12],
        **({"agent_limits": limits} if (limits := limits_of(suts)) else {}),
        "max_context": options.most_context,
        "token_counter": detail.counter.method,
        **options.asked_how,
    }


def _settings(detail: CompletionDetail) -> dict[str, object]:
    """What may change from session to session."""
    options, scenes = detail.options, detail.options.scene_names
    return {
        **options.settings,
        "workers": options.jobs,
        "cases": str(options.file),
        "scenes": None if scenes is None else sorted(scenes),
        "limit": options.max_cases,
        **left_out_settings(options.first_day, detail.left_out),
    }


def _case_rows(detail: CompletionDetail) -> list[CaseRow]:
    seen = {case.case_id: next(iter(case.seen.values())) for case in detail.cases}
    tasks = [task for task in detail.dataset.tasks if task.task_id in seen or task.task_id in detail.skipped]
    return [_case_row(detail, task, seen.get(task.task_id)) for task in tasks]


def _case_row(detail: CompletionDetail, task: Task, seen: Seen | None) -> CaseRow:
    """A case with all that a later look needs: the task, its file, and what was shown around the hole."""
    parts = [("evidence", piece.text) for piece in seen.evidence] if seen else []
    parts += [("before", seen.before), ("behind", seen.behind)] if seen else []
    row, text = task_row(task), detail.dataset.files[task.place]
    content = {
        "task": row,
        "text": text,
        "messages": [{"role": role, "text": text} for role, text in parts],
    }
    return CaseRow(
        case_id=task.task_id,
        digest=task_digest(row, text),
        path=task.file,
        language="python",
        source=task.repo or detail.dataset.about.repo,
        tokens=detail.tokens.get(task.task_id),
        skipped=detail.skipped.get(task.task_id),
        content=to_json(content),
    )
