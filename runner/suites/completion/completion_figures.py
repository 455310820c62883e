"""All figures of a completion run, as data and as tables."""

from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from runner.document import Document, Table
from runner.suites.completion.figure_tables import confusion_table, figures_table
from runner.suites.completion.origin_table import KnownRepositories
from runner.suites.completion.rates import ChainFigures, confusion, figures
from runner.suites.completion.repository_rates import ALL_LIKE_THESE, FILES, THESE
from runner.suites.completion.repository_report import RepositoryFigures, repository_figures
from runner.suites.completion.stopping import Groups, Stopping, stopping_of, stopping_table
from runner.suites.completion.strength import Strength, strength_table, strengths_of

_CLUSTERS = {
    FILES: "file",
    THESE: "file in these repositories alone, each weighs alike",
    ALL_LIKE_THESE: "repository, each weighs alike",
}
NOTHING_KNOWN = KnownRepositories(MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class CompletionFigures:
    """All of a run; `unjudged` answers are recorded and not judged yet."""

    chains: list[ChainFigures]
    stopping: list[Stopping]
    unjudged: int
    strengths: tuple[Strength, ...] = ()
    repositories: RepositoryFigures | None = None

    @property
    def data(self) -> dict[str, Any]:
        """As plain data."""
        rows = [
            {"sut": chain.sut, "prompt": chain.prompt, "chain": chain.chain, **asdict(figure)}
            for chain in self.chains
            for figure in chain.figures
        ]
        empty = [
            {"sut": chain.sut, "prompt": chain.prompt, "chain": chain.chain, **asdict(chain.empty_answers)}
            for chain in self.chains
        ]
        stopping = [asdict(stopping) for stopping in self.stopping]
        return {
            "figures": rows,
            "empty_answers": empty,
            "stopping": stopping,
            "unjudged": self.unjudged,
            "strength": [asdict(strength) for strength in self.strengths],
            **({} if self.repositories is None else {"repositories": self.repositories.data}),
        }

    @property
    def tables(self) -> tuple[Table, ...]:
        """For people."""
        tables = (
            *(() if self.repositories is None else (self.repositories.table,)),
            figures_table(self.chains),
            strength_table(self.strengths),
            confusion_table(self.chains),
            stopping_table(self.stopping),
        )
        return tuple(table for table in tables if table.rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """What people are to know besides."""
        return () if self.repositories is None else self.repositories.notes

    @property
    def clusters(self) -> str:
        """What the intervals over all tasks are clustered by."""
        return _CLUSTERS[FILES if self.repositories is None else self.repositories.over]

    def document(self, title: str) -> Document:
        """Return the tables as a document of their own."""
        return Document(title, self.tables)


def figures_of(
    groups: Groups, unjudged: int = 0, seed: int = 0, known: KnownRepositories = NOTHING_KNOWN
) -> CompletionFigures:
    """The figures of answers by (model, prompt, chain) and by the answers' ids; `known` is of their repositories."""
    chains = [
        ChainFigures(*key, figures(list(answers.values()), seed), confusion(answers.values()))
        for key, answers in groups.items()
    ]
    strengths = tuple(strengths_of({key: list(answers.values()) for key, answers in groups.items()}, seed))
    repositories = repository_figures(groups, known, seed)
    return CompletionFigures(chains, list(stopping_of(groups)), unjudged, strengths, repositories)
