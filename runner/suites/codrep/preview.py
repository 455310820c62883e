"""What a CodRep run is about to do, in lines for a person, and what it may cost."""

from collections.abc import Mapping

from runner.prices import Prices
from runner.run.preview import estimated, estimates, served
from runner.suites.codrep.plan import CodrepPlan
from runner.suites.codrep.showing import Shown

# What an answer is taken to be in an estimate: a tag behind a few sentences.
_ANSWER_TOKENS = 100


def announcement(plan: CodrepPlan, shown: Mapping[str, Shown], prices: Prices) -> list[str]:
    """What is about to happen: who answers, how much is asked, how much is shown, what it may cost."""
    options = plan.options
    lines = [f"{name}: a predictor of evals, nobody is asked" for name in plan.predictors]
    lines += served(plan.models)
    variants = len(plan.variants)
    lines.append(
        f"{variants} systems x {len(plan.cases)} tasks x {options.quota} valid"
        f" = {variants * len(plan.cases) * options.quota}; {options.slots} at once"
    )
    if plan.counter is not None:
        cut = sum(not one.window.whole for one in shown.values())
        counted = f"{options.max_context} tokens by {plan.counter.method}"
        lines.append(f"{cut} of {len(shown)} files are longer than {counted}, and shown in part")
        asked = len(plan.prompts) * options.quota
        tokens = sum(one.tokens for one in shown.values())
        costs = estimates(plan.models, prices, asked * tokens, asked * _ANSWER_TOKENS * len(shown))
        lines.append(estimated(plan.models, costs, prices))
    return lines
