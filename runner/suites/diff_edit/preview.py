"""What a diff-edit run is about to do, in lines for a person, and what it may cost."""

from runner.prices import Prices
from runner.run.preview import estimated, estimates, served
from runner.suites.diff_edit.plan import DiffPlan

# What an answer is taken to be in an estimate: the median of edit calls with their prose.
_ANSWER_TOKENS = 600


def announcement(plan: DiffPlan, prices: Prices) -> list[str]:
    """What is about to happen: who serves each model, how much is asked, what it may cost."""
    options = plan.options
    lines = [*served(plan.suts)]
    lanes = len(plan.suts) * len(plan.prompts) * len(plan.cases)
    lines.append(
        f"{len(plan.suts)} models x {len(plan.prompts)} prompts x {len(plan.cases)} cases x {options.quota} valid"
        f" = {lanes * options.quota}, at most {lanes * options.most_attempts}; {options.slots} at once"
    )
    skipped = sum(case.skipped is not None for case in plan.run.cases)
    if skipped:
        lines.append(f"{skipped} cases are skipped; the report names them")
    lines.append(estimated(plan.suts, estimate(plan, prices), prices))
    return lines


def estimate(plan: DiffPlan, prices: Prices) -> list[float | None]:
    """USD per system for the quota without re-rolls; None where the price is unknown."""
    asked = len(plan.prompts) * plan.options.quota
    tokens_in, tokens_out = plan.prompt_tokens * asked, _ANSWER_TOKENS * len(plan.cases) * asked
    return estimates(plan.suts, prices, tokens_in, tokens_out)
