"""`evals nextedit --compat historian`: commits replayed and scored as the original does, its result files written."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from runner.suites.nextedit.options import NextEditOptions

if TYPE_CHECKING:
    from runner.suites.nextedit.commits import Refused
    from runner.suites.nextedit.compat.replays import HistorianReplays


def replay_by_originals_rules(options: NextEditOptions, output_dir: Path | None, *, ordered: bool) -> None:
    """Replay as the original does; a commit that it refuses, or that ends its run, is named and the others go on.

    `ordered` says whether an order was asked for, which the original's rules leave without effect.
    """
    from runner.console import put, put_json, say
    from runner.suites.nextedit.compat.mode import totals_of
    from runner.suites.nextedit.compat.replays import HistorianReplays, HistorianRules, replay_all
    from runner.suites.nextedit.ordering import check_order
    from runner.suites.nextedit.reading import commits_to_replay
    from runner.suites.nextedit.systems.opening import open_systems
    from runner.suites.nextedit.tables import omitted_of

    check_order(options.order)
    names = _local_names(options)
    ready, refused = commits_to_replay(options)
    systems = open_systems(names, options, say)
    _say_unused(options, ordered=ordered)
    collected = HistorianReplays()
    asyncio.run(replay_all(ready, systems, HistorianRules(options.seed, options.slots, output_dir), collected))
    for commit in refused:
        say(f"not replayed: {commit.sha[:10]}: {commit.reason} {commit.detail}".rstrip())
    if options.json:
        put_json({**_as_json(collected, refused), "omitted": omitted_of(row.commit for row in ready)})
    else:
        for name, replays in collected.runs.items():
            put(f"{name}: {totals_of([replay.run for replay in replays])}\n")
    failed = [name for name, replays in collected.runs.items() if not any(replay.answered for replay in replays)]
    for name in failed:
        say(f"{name} failed at every question")
    if failed:
        raise typer.Exit(1)


def _local_names(options: NextEditOptions) -> tuple[str, ...]:
    """Return the names of the systems. Raises InputError if one is a model."""
    from runner.errors import InputError
    from runner.suites.nextedit.systems.opening import local_names, system_names

    local = local_names(options)
    model = next((name for name in system_names(options) if name not in local), None)
    if model is not None:
        raise InputError(f"--compat historian: {model} is a model; name rules, oracle, ... or historian:main.py")
    return local


def _say_unused(options: NextEditOptions, *, ordered: bool) -> None:
    """Print which options have no effect under the original's rules."""
    from runner.console import say

    unused = [f"--order {options.order}"] if ordered else []
    unused += [f"--leak {options.leak}"] if options.leak != "message" else []
    unused += [f"--context {options.visible}"] if options.visible != "touched" else []
    if unused:
        say(
            f"{' and '.join(unused)}: no effect with --compat historian, which orders edits and informs systems as the"
            " original does; leave it out"
        )


def _as_json(collected: "HistorianReplays", refused: "Sequence[Refused]") -> dict[str, object]:
    """Return the same fields as for a recorded run; the run id is empty."""
    from runner.suites.nextedit.historian.figures import figures_of, troubles_of
    from runner.suites.nextedit.results import figures_json

    systems = {
        name: {
            "simulated": False,
            "commits": len(replays),
            "figures": figures_json(figures_of([replay.run for replay in replays])),
            "troubles": troubles_of(trouble for replay in replays for trouble in replay.troubles),
        }
        for name, replays in collected.runs.items()
    }
    left = [{"sha": commit.sha, "reason": str(commit.reason), "detail": commit.detail} for commit in refused]
    return {"run_id": "", "systems": systems, "not_replayed": [*left, *collected.ended]}
