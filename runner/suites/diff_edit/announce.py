"""What a diff-edit run is about to do, in lines for a person, and what it may cost."""

from runner.prices import Prices
from runner.suites.diff_edit.plan import DiffPlan

# What an answer is taken to be in an estimate: the median of edit calls with their prose.
_ANSWER_TOKENS = 600


def announcement(plan: DiffPlan, prices: Prices) -> list[str]:
    """What is about to happen: who serves each model, how much is asked, what it may cost."""
    options = plan.options
    lines = []
    for sut in plan.suts:
        kind = "simulated model" if sut.endpoint.simulated else sut.endpoint.provider
        lines.append(f"{sut.name}: {kind} at {sut.endpoint.base_url}")
    lanes = len(plan.suts) * len(plan.prompts) * len(plan.cases)
    lines.append(
        f"{len(plan.suts)} models x {len(plan.prompts)} prompts x {len(plan.cases)} cases x {options.quota} valid"
        f" = {lanes * options.quota}, at most {lanes * options.most_attempts}; {options.slots} at once"
    )
    skipped = sum(case.skipped is not None for case in plan.run.cases)
    if skipped:
        lines.append(f"{skipped} cases are skipped; the report names them")
    cost = estimate(plan, prices)
    unknown = [sut.name for sut, one in zip(plan.suts, cost, strict=True) if one is None]
    known = sum(one for one in cost if one is not None)
    told = f"; the price of {', '.join(unknown)} is unknown" if unknown else ""
    lines.append(f"estimated cost ${known:.2f} at list prices of {prices.date}{told}")
    return lines


def estimate(plan: DiffPlan, prices: Prices) -> list[float | None]:
    """USD per system for the quota without re-rolls; None where the price is unknown."""
    asked = len(plan.prompts) * plan.options.quota
    costs: list[float | None] = []
    for sut in plan.suts:
        price = prices.of(sut.name)
        if price is None:
            costs.append(None if sut.endpoint.timed else 0.0)
            continue
        tokens_in, tokens_out = plan.prompt_tokens * asked, _ANSWER_TOKENS * len(plan.cases) * asked
        costs.append((tokens_in * price.rate.input + tokens_out * price.rate.output) / 1_000_000)
    return costs
