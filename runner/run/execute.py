"""The one way from options to a finished run, for every suite: plan, preview, consent, prepare, fill the lanes."""

from dataclasses import dataclass
from typing import Any, Generic

from runner.console import say
from runner.prices import Price, Prices, Rate, load_prices
from runner.run.asked_by import opened_engine
from runner.run.consent import confirm_paid_run, needs_consent, refuse_small_budget, refuse_unpriced, simulated_prices
from runner.run.expected_counts import ExpectedCounts, check_prompt_rates
from runner.run.opened_run import run_prepared
from runner.run.plan import Plan
from runner.run.preview import Preview, preview_of
from runner.run.servers import tried
from runner.run.sharded_plan import sharded
from runner.run.suite import DetailT, NotReadyError, OptionsT, Prepared, Suite
from runner.storage.runs import is_recorded

_FREE = Price(Rate(0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Executed(Generic[DetailT]):
    """How a command ended: `run_id` is "" if no model was asked; `expected` is for simulated models.

    `incomplete` says that lanes are left open; `say_resume` says how to go on, once the report is shown.
    """

    exit_code: int
    plan: Plan[DetailT]
    preview: Preview
    run_id: str = ""
    expected: tuple[ExpectedCounts, ...] = ()
    incomplete: bool = False


def say_resume(executed: Executed[Any]) -> None:
    """Print how to resume an incomplete run; the last line of a command."""
    if executed.incomplete:
        say(f"incomplete; resume with the same command and --run-id {executed.run_id}")


def execute(suite: Suite[OptionsT, DetailT], options: OptionsT) -> Executed[DetailT]:
    """Run a suite's command. Raises InputError before anything is written or asked."""
    options.check()
    plan = sharded(suite.plan(options, say), options.chosen_shard)
    check_prompt_rates(plan.suts, plan.lanes)
    prices = load_prices(options.prices, {**simulated_prices(), **dict.fromkeys(plan.local, _FREE)})
    refuse_unpriced(plan.all_suts, prices, options.budget)
    if options.budget is not None and not is_recorded(options.db, options.run_id, options.resume):
        refuse_small_budget(plan.suts, prices, options.sampling, options.budget)
    preview = preview_of(plan, prices)
    consent = not options.dry_run and not options.yes and needs_consent(plan.all_suts)
    if options.dry_run or consent:
        _show(preview)
    if options.dry_run:
        return Executed(0, plan, preview)
    if consent and not confirm_paid_run():
        say("cancelled; no model was asked")
        return Executed(0, plan, preview)
    plan = tried(plan, say)
    if plan.servers:
        preview = preview_of(plan, prices)
    try:
        with opened_engine(plan) as opened, suite.attempt(opened, say) as prepared:
            return _run_plan(opened, prepared, prices, preview, preview_is_shown=consent)
    except NotReadyError as error:
        return Executed(error.exit_code, plan, preview)


def _run_plan(
    plan: Plan[DetailT], prepared: Prepared, prices: Prices, preview: Preview, *, preview_is_shown: bool
) -> Executed[DetailT]:
    """Start or resume the run, with the open judges and predictors."""

    def show_preview() -> None:
        # All options are checked by now, so an error message never follows the preview.
        if not preview_is_shown:
            _show(preview)

    run_id, filled = run_prepared(plan, prepared, prices, show_preview)
    if filled.interrupted:
        return Executed(filled.exit_code, plan, preview)
    return Executed(filled.exit_code, plan, preview, run_id, filled.expected, filled.incomplete)


def _show(preview: Preview) -> None:
    for line in preview.lines():
        say(line)
