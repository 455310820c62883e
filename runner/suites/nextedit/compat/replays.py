"""All replays of `--compat historian`: every commit with every system, and what the original refuses or breaks off."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runner.console import say
from runner.suites.nextedit.compat.mode import HistorianReplay, replay_as_historian
from runner.suites.nextedit.compat.pairs import Pair, pairs_of, run_all
from runner.suites.nextedit.historian import RefusedError, UnfitAnswerError, write_result
from runner.suites.nextedit.results import file_name
from runner.suites.nextedit.sources import Ready
from runner.suites.nextedit.systems import System
from runner.suites.nextedit.systems.historian_module import main_language


@dataclass(frozen=True, slots=True)
class HistorianRules:
    """From which seed commits are replayed, how many at once, and where result files go."""

    seed: int
    at_once: int
    output_dir: Path | None = None


@dataclass(frozen=True, slots=True)
class HistorianReplays:
    """What was replayed, by system, and what the original refuses or breaks off, as for JSON."""

    runs: dict[str, list[HistorianReplay]] = field(default_factory=dict)
    ended: list[dict[str, str]] = field(default_factory=list)


async def replay_all(
    ready: Sequence[Ready], systems: Mapping[str, System], rules: HistorianRules, result: HistorianReplays
) -> None:
    """Replay every commit with every system, and close the systems."""
    try:
        await run_all(pairs_of(ready, systems), rules.at_once, lambda pair: _replay(pair, rules, result))
    finally:
        for system in systems.values():
            await system.aclose()


async def _replay(pair: Pair, rules: HistorianRules, result: HistorianReplays) -> None:
    commit = pair.ready.commit
    try:
        replayed = await replay_as_historian(pair, main_language(commit), rules.seed, time.monotonic_ns)
    except (RefusedError, UnfitAnswerError) as error:
        say(f"{commit.case_id} of {pair.name}: {error}")
        reason = "refused" if isinstance(error, RefusedError) else "unfit_answer"
        sha = commit.origin.sha
        result.ended.append({"sha": sha, "reason": reason, "detail": str(error), "system": pair.name})
        return
    # The last line of a traceback is what happened; a module that fails at every step says it once.
    parts = (trouble.partition(": ") for trouble in replayed.troubles)
    messages = Counter(f"{question}: {message.splitlines()[-1]}" for question, _, message in parts)
    for message, times in messages.items():
        say(f"{commit.case_id} of {pair.name}: {message}{f' ({times} times)' if times > 1 else ''}")
    result.runs.setdefault(pair.name, []).append(replayed)
    if rules.output_dir is not None:
        write_result(replayed.run, rules.output_dir, file_name(pair.name))
