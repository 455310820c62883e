"""What a CodRep run is about to do, in lines for a person, and what it may cost."""

from collections.abc import Mapping

from runner.prices import Prices
from runner.suites.codrep.plan import CodrepPlan
from runner.suites.codrep.showing import Shown

# What an answer is taken to be in an estimate: a tag behind a few sentences.
_ANSWER_TOKENS = 100


def announcement(plan: CodrepPlan, shown: Mapping[str, Shown], prices: Prices) -> list[str]:
    """What is about to happen: who answers, how much is asked, how much is shown, what it may cost."""
    options = plan.options
    lines = [f"{name}: a predictor of evals, nobody is asked" for name in plan.predictors]
    for sut in plan.models:
        kind = "simulated model" if sut.endpoint.simulated else sut.endpoint.provider
        lines.append(f"{sut.name}: {kind} at {sut.endpoint.base_url}")
    variants = len(plan.variants)
    lines.append(
        f"{variants} systems x {len(plan.cases)} tasks x {options.quota} valid"
        f" = {variants * len(plan.cases) * options.quota}; {options.slots} at once"
    )
    if plan.counter is not None:
        cut = sum(not one.window.whole for one in shown.values())
        counted = f"{options.max_context} tokens by {plan.counter.method}"
        lines.append(f"{cut} of {len(shown)} files are longer than {counted}, and shown in part")
        lines.append(_cost(plan, sum(one.tokens for one in shown.values()), len(shown), prices))
    return lines


def _cost(plan: CodrepPlan, tokens: int, tasks: int, prices: Prices) -> str:
    """The estimate for the quota of what is left, without re-rolls."""
    asked = len(plan.prompts) * plan.options.quota
    known, unknown = 0.0, []
    for sut in plan.models:
        price = prices.of(sut.name)
        if price is None:
            unknown.append(sut.name)
        else:
            known += asked * (tokens * price.rate.input + _ANSWER_TOKENS * tasks * price.rate.output) / 1_000_000
    told = f"; the price of {', '.join(unknown)} is unknown" if unknown else ""
    return f"estimated cost ${known:.2f} at list prices of {prices.date}{told}"
