"""`evals nextedit --compat historian`: commits replayed and scored as the original does, its result files written."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from runner.suites.nextedit.commits import Refused
    from runner.suites.nextedit.historian.mode import Replayed
    from runner.suites.nextedit.running import Pair
    from runner.suites.nextedit.sources import Ready
    from runner.suites.nextedit.systems import System


def replay_by_originals_rules(
    ready: "Sequence[Ready]", systems: "Mapping[str, System]", refused: "Sequence[Refused]", given: "Mapping[str, Any]"
) -> None:
    """Replay as the original does; a commit that it refuses, or that ends its run, is told and the others go on."""
    import asyncio

    from runner.console import put, put_json, say
    from runner.suites.nextedit.historian.mode import totals_of
    from runner.suites.nextedit.report import omitted_of

    made = _Made()
    asyncio.run(_everyone(ready, systems, given, made))
    for each in refused:
        say(f"not replayed: {each.sha[:10]}: {each.reason} {each.detail}".rstrip())
    if given["json"]:
        put_json({**_as_json(made, refused), "omitted": omitted_of(each.commit for each in ready)})
    else:
        for name, those in made.runs.items():
            put(f"{name}: {totals_of([each.run for each in those])}\n")
    failed = [name for name, those in made.runs.items() if not any(each.answered for each in those)]
    for name in failed:
        say(f"{name} failed at every question")
    if failed:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Made:
    """What was replayed, by system, and what the original refuses or breaks off, as for JSON."""

    runs: "dict[str, list[Replayed]]" = field(default_factory=dict)
    ended: list[dict[str, str]] = field(default_factory=list)


def _as_json(made: _Made, refused: "Sequence[Refused]") -> dict[str, object]:
    """The fields of a run by our own rules; there is no run on record to be named."""
    from runner.suites.nextedit.historian.figures import figures_of, troubles_of
    from runner.suites.nextedit.results import figures_json

    systems = {
        name: {
            "simulated": False,
            "commits": len(those),
            "figures": figures_json(figures_of([each.run for each in those])),
            "troubles": troubles_of(trouble for each in those for trouble in each.troubles),
        }
        for name, those in made.runs.items()
    }
    left = [{"sha": each.sha, "reason": str(each.reason), "detail": each.detail} for each in refused]
    return {"run_id": "", "systems": systems, "not_replayed": [*left, *made.ended]}


async def _everyone(
    ready: "Sequence[Ready]",
    systems: "Mapping[str, System]",
    given: "Mapping[str, Any]",
    made: _Made,
) -> None:
    from runner.suites.nextedit.running import pairs_of, run_all

    try:
        await run_all(pairs_of(ready, systems), given["jobs"], lambda pair: _one(pair, given, made))
    finally:
        for system in systems.values():
            await system.aclose()


async def _one(pair: "Pair", given: "Mapping[str, Any]", made: _Made) -> None:
    from runner.console import say
    from runner.suites.nextedit.historian import RefusedError, UnfitAnswerError, write_result
    from runner.suites.nextedit.historian.mode import DEFAULT_SEED, replay_as_historian
    from runner.suites.nextedit.results import file_name
    from runner.suites.nextedit.systems.historian_module import main_language

    commit = pair.ready.commit
    seed = DEFAULT_SEED if given["seed"] is None else given["seed"]
    try:
        replayed = await replay_as_historian(pair, main_language(commit), seed, time.monotonic_ns)
    except (RefusedError, UnfitAnswerError) as error:
        say(f"{commit.case_id} of {pair.name}: {error}")
        reason = "refused" if isinstance(error, RefusedError) else "unfit_answer"
        sha = commit.origin.sha
        made.ended.append({"sha": sha, "reason": reason, "detail": str(error), "system": pair.name})
        return
    # The last line of a traceback is what happened; a module that fails at every step says it once.
    parts = (trouble.partition(": ") for trouble in replayed.troubles)
    said = Counter(f"{question}: {told.splitlines()[-1]}" for question, _, told in parts)
    for trouble, times in said.items():
        say(f"{commit.case_id} of {pair.name}: {trouble}{f' ({times} times)' if times > 1 else ''}")
    made.runs.setdefault(pair.name, []).append(replayed)
    if given["output_dir"] is not None:
        write_result(replayed.run, given["output_dir"], file_name(pair.name))
