"""Begins or resumes a prepared run in its database, and writes the files that it leaves beside it."""

from collections.abc import Callable
from typing import Any

from runner.prices import Prices
from runner.run.filling import Filled, fill
from runner.run.plan import Plan
from runner.run.sharded_plan import shared_run_id
from runner.run.suite import Prepared
from runner.storage.run_lock import opened
from runner.storage.runs import choose_run
from runner.storage.shards import note_shard, refuse_other_shards


def run_prepared(
    plan: Plan[Any], prepared: Prepared, prices: Prices, preview: Callable[[], None]
) -> tuple[str, Filled]:
    """Fill the run that the options name; return its id and how it ended. `preview` is called before it begins.

    Raises InputError for options that name no such run, before anything is previewed.
    """
    options = plan.options
    shard = options.chosen_shard
    named = options.run_id or ("" if shard is None or options.resume else shared_run_id(prepared.run))
    run_id = choose_run(options.db, prepared.run, named, options.resume)
    if options.save_locally is not None:
        from runner.report.local_files import make_folder

        make_folder(options.save_locally)
    preview()
    with opened(options.db, run_id) as store:
        if shard is not None:
            refuse_other_shards(store, run_id, shard.total)
        filled = fill(plan, prepared, prices, store, run_id)
        if shard is not None:
            done = not filled.incomplete and not filled.interrupted
            note_shard(store, run_id, shard.index, shard.total, complete=done)
        if options.save_locally is not None and not filled.interrupted:
            from runner.report.local_files import save_cases

            save_cases(store, run_id, options.save_locally)
    return run_id, filled
