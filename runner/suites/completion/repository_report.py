"""What a run over several repositories shows of each: its tasks, its rate, its licence and its dates."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from runner.document import Table
from runner.stats.intervals import Interval
from runner.suites.completion.figure_tables import ends, percent
from runner.suites.completion.licences import licence_notes
from runner.suites.completion.origin_table import FACTS, KnownRepositories
from runner.suites.completion.rates import COMMENT, ScoredAnswer, grouped, interval
from runner.suites.completion.repository_rates import (
    ALL_LIKE_THESE,
    Groups,
    interval_of,
    interval_subject,
    mean_of,
    pooled_interval,
)
from runner.suites.completion.stopping import Groups as AnswersByVariant
from runner.suites.completion.task_choice import left_out_note

MEAN, POOLED = "mean: repositories alike", "pooled: tasks alike"
_MEANINGS = {
    True: "95 % of mean and pooled: of all repositories like these, the repository is the unit",
    False: "95 % of mean and pooled: of these repositories alone, with fewer than five nothing is known of others",
}


@dataclass(frozen=True, slots=True)
class RepositoryRate:
    """The judged tasks of a repository, or of all of them, by a model, prompt and chain, and pass@1 of these.

    `repository` is a name, `MEAN` or `POOLED`; intervals of the first are clustered by file, or by
    hole where there is a single file.
    """

    sut: str
    prompt: str
    chain: str
    repository: str
    tasks: int
    judged: int
    passed: int
    pass_at_1: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class RepositoryFigures:
    """All of a run: rates, what is known of each repository, and what the intervals over them speak of."""

    rates: tuple[RepositoryRate, ...]
    known: KnownRepositories
    over: str

    @property
    def data(self) -> dict[str, Any]:
        """As plain data."""
        facts = [{"repository": name, **asdict(known)} for name, known in self.known.facts.items()]
        return {
            "over": self.over,
            "rates": [asdict(rate) for rate in self.rates],
            "facts": facts,
            "released_after": self.known.day or None,
            "left_out": [asdict(repository) for repository in self.known.left_out],
        }

    @property
    def table(self) -> Table:
        """For people."""
        rows = []
        for rate in self.rates:
            known = self.known.facts.get(rate.repository)
            counts = map(str, (rate.tasks, rate.judged, rate.passed))
            cells = known.cells if known is not None else ("",) * len(FACTS)
            names = (rate.sut, rate.prompt, rate.chain, rate.repository)
            rows.append((*names, *counts, percent(rate.pass_at_1), ends(rate.interval), *cells))
        columns = ("model", "prompt", "chain", "repository", "tasks", "judged", "passed", "pass@1", "95 %", *FACTS)
        title = f"repositories, in per cent; {_MEANINGS[self.over == ALL_LIKE_THESE]}"
        return Table(title, columns, tuple(rows), ("repository", "pass@1", "95 %", "model", "chain", "tasks", *FACTS))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, and what is to be known of licences."""
        licences = licence_notes({name: known.licence for name, known in self.known.facts.items()})
        left_out = (left_out_note(self.known.day, self.known.left_out),) if self.known.day else ()
        return (*left_out, *licences)


def repository_figures(groups: AnswersByVariant, known: KnownRepositories, seed: int = 0) -> RepositoryFigures | None:
    """Return the figures of answers whose tasks name their repository; None where none does."""
    every = [answer for answers in groups.values() for answer in answers.values()]
    repos = {answer.repo for answer in every if answer.repo}
    if not repos:
        return None
    rates = tuple(rate for variant, answers in groups.items() for rate in _rates(variant, list(answers.values()), seed))
    facts = {name: own for name, own in known.facts.items() if name in repos}
    return RepositoryFigures(rates, replace(known, facts=facts), interval_subject(len(repos)))


def _rates(variant: tuple[str, str, str], answers: Sequence[ScoredAnswer], seed: int) -> Iterator[RepositoryRate]:
    """Yield the rate of each repository, the mean of these, and the rate of all tasks."""
    judged = [answer for answer in answers if "pass" in answer.scores and answer.block_type != COMMENT]
    by_name: dict[str, list[ScoredAnswer]] = {}
    for answer in judged:
        by_name.setdefault(answer.repo, []).append(answer)
    groups = grouped(judged, "pass")
    for name in sorted(by_name):
        own = by_name[name]
        only = grouped(own, "pass")
        yield _rate(variant, name, own, mean_of(only), interval(own, "pass", seed) or interval_of(only))
    if len(groups) > 1:
        yield _rate(variant, MEAN, judged, mean_of(groups), interval(judged, "pass", seed))
        yield _rate(variant, POOLED, judged, _pooled(groups), pooled_interval(groups))


def _pooled(groups: Groups) -> float:
    return mean_of([[task for group in groups for task in group]])


def _rate(
    variant: tuple[str, str, str], name: str, answers: Sequence[ScoredAnswer], rate: float, own: Interval | None
) -> RepositoryRate:
    tasks = len({answer.task_id for answer in answers})
    passed = sum(answer.scores["pass"] > 0 for answer in answers)
    return RepositoryRate(*variant, name, tasks, len(answers), passed, rate, own)
