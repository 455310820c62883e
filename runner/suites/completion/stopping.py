"""What stopping a completion earlier or later changes: the same answers scored by two chains."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from runner.document import Table
from runner.stats.flips import Flips, flips
from runner.stats.paired import clustered_means
from runner.stats.paired_test import paired_test
from runner.suites.completion.rates import ScoredAnswer
from runner.suites.completion.repository_rates import cluster_over

# The scored answers by (model, prompt, chain) and by the answers' ids.
Groups = Mapping[tuple[str, str, str], Mapping[int, ScoredAnswer]]


@dataclass(frozen=True, slots=True)
class Stopping:
    """A later chain against the first on the same answers: passes of both, of one alone, of neither."""

    sut: str
    prompt: str
    first: str
    second: str
    table: Flips
    test: str
    p_value: float


def stopping_of(groups: Groups) -> Iterator[Stopping]:
    """Yield each later chain of a model and prompt against the first."""
    firsts: dict[tuple[str, str], str] = {}
    for (sut, prompt, chain), answers in groups.items():
        first = firsts.setdefault((sut, prompt), chain)
        if first != chain:
            before = groups[sut, prompt, first]
            pairs = [
                (before[answer], scored)
                for answer, scored in answers.items()
                if answer in before and "pass" in scored.scores and "pass" in before[answer].scores
            ]
            yield Stopping(sut, prompt, first, chain, *_compared(pairs))


def _compared(pairs: Sequence[tuple[ScoredAnswer, ScoredAnswer]]) -> tuple[Flips, str, float]:
    """Return the passes of the same answers by two chains, the test by files or repositories, and its p-value."""
    passes = [(first.scores["pass"] > 0, second.scores["pass"] > 0) for first, second in pairs]
    cluster = attrgetter(cluster_over(len({scored.repo for scored, _ in pairs})))
    tasks = ((cluster(scored), scored.task_id, a - b) for (scored, _), (a, b) in zip(pairs, passes, strict=True))
    clusters = clustered_means(tasks)
    test = paired_test(clusters, single=len(pairs) == sum(map(len, clusters)))
    return flips(passes), test.name, test.p_value


def stopping_table(stoppings: Iterable[Stopping]) -> Table:
    """Return the table for people."""
    rows = [
        (
            *(stopping.sut, stopping.prompt, f"{stopping.first} / {stopping.second}"),
            *map(
                str,
                (stopping.table.both, stopping.table.first_only, stopping.table.second_only, stopping.table.neither),
            ),
            f"{stopping.p_value:.3g}",
        )
        for stopping in stoppings
    ]
    columns = ("model", "prompt", "chains", "both", "first only", "second only", "neither", "p")
    return Table(
        "what passes once it is stopped: the same answers by two chains",
        columns,
        tuple(rows),
        ("model", "chains", "first only", "second only", "p"),
    )
