"""Pass rates with and without the tasks whose tests let at least half of their mutants pass."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from runner.document import Table
from runner.stats.intervals import Interval
from runner.suites.completion.rates import ScoredAnswer, whole_figures


@dataclass(frozen=True, slots=True)
class PassRate:
    """Judged tasks, and the mean share of their answers that pass, with its interval clustered by file."""

    tasks: int
    pass_at_1: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Strength:
    """The pass rate of a model's answers, as a chain takes them, over all tasks, and without those of weak tests."""

    sut: str
    prompt: str
    chain: str
    weak: int
    unknown: int
    every: PassRate
    without_weak: PassRate


def strengths_of(groups: Mapping[tuple[str, str, str], Sequence[ScoredAnswer]], seed: int = 0) -> Iterator[Strength]:
    """Yield the pass rates by (model, prompt, chain), where any test was tried by mutants."""
    for (sut, prompt, chain), answers in groups.items():
        judged = [answer for answer in answers if "pass" in answer.scores]
        if all(answer.weak is None for answer in judged):
            continue
        weak, unknown = (len({answer.task_id for answer in judged if answer.weak is kind}) for kind in (True, None))
        every, without = (_rate(some, seed) for some in (judged, [answer for answer in judged if not answer.weak]))
        yield Strength(sut, prompt, chain, weak, unknown, every, without)


def _rate(answers: Sequence[ScoredAnswer], seed: int) -> PassRate:
    whole = whole_figures(answers, seed)
    return PassRate(whole.tasks, whole.pass_at_k.get("1"), whole.interval)


def strength_table(strengths: Sequence[Strength]) -> Table:
    """The same for people."""
    columns = ("model", "prompt", "chain", "tasks", "pass@1", "95 %", "weak", "strong", "strong pass@1", "strong 95 %")
    rows = [
        (row.sut, row.prompt, row.chain, *_cells(row.every), str(row.weak), *_cells(row.without_weak))
        for row in strengths
    ]
    title = "pass@1 in per cent with and without tasks of weak tests, which at least half of the mutants pass"
    return Table(title, columns, tuple(rows), ("model", "chain", "pass@1", "weak", "prompt"))


def _cells(rate: PassRate) -> tuple[str, str, str]:
    ends = "-" if rate.interval is None else f"{100 * rate.interval.low:.0f} to {100 * rate.interval.high:.0f}"
    return str(rate.tasks), "-" if rate.pass_at_1 is None else f"{100 * rate.pass_at_1:.1f}", ends
