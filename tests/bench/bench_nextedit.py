"""What the systems without a model predict on recorded commits, and what it costs to make a commit ready.

Run: python -m tests.bench.bench_nextedit [system ...]; the commits are those of $EVALS_VECTORS/historian.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter, perf_counter_ns

from runner.suites.nextedit.commit_replay import replay_commit
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.orders import ORDERS, Order
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.steps import CommitReplay
from runner.suites.nextedit.summary import Figure, summarize
from runner.suites.nextedit.systems import SYSTEMS
from tests.nextedit import recorded_commits
from tests.vectors import files, rows

SYSTEMS_SHOWN = ("clones", "rules", "repeat-last", "oracle")
SEEDS = (0, 1, 2)
SHOWN = ("hit@1", "hit@3", "hit@10", "precision", "recall", "predicted in time", "bleu", "exact")


def say(line: str) -> None:
    """One line."""
    sys.stdout.write(line + "\n")


def made_ready() -> tuple[list[Commit], dict[str, Order]]:
    """The commits with their orders; says what extraction and graph took."""
    found: list[dict[str, object]] = [row for path in files("historian", "*commits*.jsonl.xz") for row in rows(path)]
    commits, orders, seconds = [], {}, []
    for row in found:
        started = perf_counter()
        (commit,) = recorded_commits([row])
        orders[commit.origin.sha] = ORDERS["graph"](commit)
        seconds.append(perf_counter() - started)
        commits.append(commit)
    say(f"{len(commits)} commits; extraction and graph: median {median(seconds):.3f} s, slowest {max(seconds):.3f} s")
    return [commit for commit in commits if len(commit.edits) > 1], orders


async def replay_all(name: str, commits: Sequence[Commit], order: Callable[[Commit], Order]) -> list[CommitReplay]:
    """Every commit from every seed."""
    plans = [ReplayPlan(order, seed) for seed in SEEDS]
    return [
        await replay_commit(commit, SYSTEMS[name].make(commit, plan), plan, perf_counter_ns)
        for plan in plans
        for commit in commits
    ]


def shown(figure: Figure) -> str:
    """A share of totals with its interval, in per cent."""
    if figure.micro is None:
        return f"{'-':>18}"
    interval = f"[{figure.micro.low * 100:.1f}, {figure.micro.high * 100:.1f}]"
    return f"{figure.micro.estimate * 100:6.1f} {interval:<12}"


def main(names: Sequence[str]) -> None:
    """Print a line per system."""
    commits, orders = made_ready()
    say(f"{'':12}" + "".join(f"{name:<20}" for name in SHOWN))
    for name in names:
        started = perf_counter()
        figures = summarize(asyncio.run(replay_all(name, commits, lambda commit: orders[commit.origin.sha])))
        line = "".join(f"{shown(figures[measure]):<20}" for measure in SHOWN)
        say(f"{name:12}{line}{perf_counter() - started:6.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:] or SYSTEMS_SHOWN)
