"""A CodRep run as the database keeps it."""

from collections.abc import Mapping

from runner.case_digests import digest_of_cases
from runner.run.plan import Plan
from runner.run.variants import local_variant, variants_of
from runner.storage.runs import RunPlan
from runner.suites.codrep.plan import CodrepDetail
from runner.suites.codrep.question import wording_digest
from runner.suites.codrep.ranker.shipped import ranker_digest
from runner.suites.codrep.showing import Shown
from runner.suites.codrep.stored import case_row


def run_plan(plan: Plan[CodrepDetail], windows: Mapping[str, Shown]) -> RunPlan:
    """The run of a plan; `windows` says by case what models are shown."""
    detail = plan.detail
    options, cases = detail.options, detail.cases
    return RunPlan(
        suite=plan.suite,
        identity=_identity(plan),
        settings={
            **options.settings,
            "cases": [str(folder) for folder in options.folders],
            "limit": options.limit,
            "sample_seed": options.sample_seed,
        },
        variants=[
            *(local_variant(name, detail.parser, endpoint=name) for name in plan.local),
            *variants_of(plan.suts, detail.prompts, detail.parser),
        ],
        cases=[case_row(case, windows.get(case.case_id)) for case in cases],
        cases_digest=digest_of_cases(cases),
        name=options.name or None,
        note=options.note or None,
    )


def _identity(plan: Plan[CodrepDetail]) -> dict[str, object]:
    """What makes two sessions the same run: all that an answer or its score depends on."""
    detail = plan.detail
    choices = {
        "prompts": [f"{prompt.name}@{prompt.digest}" for prompt in detail.prompts],
        "question": wording_digest(),
        "max_context": detail.options.max_context,
        "token_counter": detail.counter.method if detail.counter else None,
        **detail.options.asked_how,
    }
    return {
        "suts": [*plan.local, *(f"{sut.name} at {sut.endpoint.base_url}" for sut in plan.suts)],
        **(choices if plan.suts else {}),
        "parser": f"{detail.parser.name}@{detail.parser.digest}",
        "ranker": ranker_digest(),
        "cases": digest_of_cases(detail.cases),
        "seed": detail.options.seed,
    }
