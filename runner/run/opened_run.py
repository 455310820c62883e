"""Begins or resumes a prepared run in its database, and writes the files that it leaves beside it."""

from collections.abc import Callable
from typing import Any

from runner.prices import Prices
from runner.run.filling import Filled, fill
from runner.run.plan import Plan
from runner.run.suite import Prepared
from runner.storage.run_lock import opened
from runner.storage.runs import choose_run


def run_prepared(
    plan: Plan[Any], prepared: Prepared, prices: Prices, preview: Callable[[], None]
) -> tuple[str, Filled]:
    """Fill the run that the options name; return its id and how it ended. `preview` is called before it begins.

    Raises InputError for options that name no such run, before anything is previewed.
    """
    options = plan.options
    run_id = choose_run(options.db, prepared.run, options.run_id, options.resume)
    if options.save_locally is not None:
        from runner.report.local_files import make_folder

        make_folder(options.save_locally)
    preview()
    with opened(options.db, run_id) as store:
        filled = fill(plan, prepared, prices, store, run_id)
        if options.save_locally is not None and not filled.interrupted:
            from runner.report.local_files import save_cases

            save_cases(store, run_id, options.save_locally)
    return run_id, filled
