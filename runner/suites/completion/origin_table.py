"""The repositories of a data set as a table and as data: how many tasks, under which licence, and how old."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import msgspec

from runner.document import Document, Table
from runner.storage.rows import config_of
from runner.storage.store import Row
from runner.suites.completion.dataset import Dataset, DatasetOrigin
from runner.suites.completion.licences import licence_notes
from runner.suites.completion.provenance import Provenance
from runner.suites.completion.task_choice import LeftOut

FACTS = ("licence", "commit of", "first release", "released")
_NOT_KNOWN = "-"


@dataclass(frozen=True, slots=True)
class RepositoryFacts(Provenance):
    """What a data set knows of a repository: its commit and its provenance; "" is not known."""

    commit: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the cells of the columns `FACTS`."""
        return (self.licence, *(cell or _NOT_KNOWN for cell in (self.committed, self.release, self.released)))


def facts_of(about: DatasetOrigin) -> RepositoryFacts:
    """Return what a data set knows of a repository."""
    return RepositoryFacts(commit=about.commit, **asdict(about.provenance))


@dataclass(frozen=True, slots=True)
class KnownRepositories:
    """What a run keeps of its repositories, by their names; nothing of a run over a single one.

    `left_out` are those that `--released-after` left out, `day` its day.
    """

    facts: Mapping[str, RepositoryFacts]
    day: str = ""
    left_out: tuple[LeftOut, ...] = ()


class _Settings(msgspec.Struct, frozen=True):
    """The settings of a run that have it."""

    repositories: dict[str, RepositoryFacts] = msgspec.field(default_factory=dict)
    released_after: str = ""
    left_out: tuple[LeftOut, ...] = ()


def known_in(run: Row) -> KnownRepositories:
    """Return what a run keeps of its repositories; nothing where a foreign one keeps something else."""
    try:
        kept = msgspec.convert(config_of(run)["settings"], _Settings)
    except msgspec.ValidationError:
        kept = _Settings()
    return KnownRepositories(kept.repositories, kept.released_after, kept.left_out)


def document(dataset: Dataset, out: str) -> Document:
    """Show what a joined data set has of each repository, and what its licences are."""
    tasks = Counter(task.repo for task in dataset.tasks)
    facts = {name: facts_of(about) for name, about in dataset.origins.items()}
    rows = tuple((name, str(tasks[name]), *known.cells) for name, known in facts.items())
    table = Table("repositories", ("repository", "tasks", *FACTS), rows, ("repository", "tasks"))
    licences = {name: known.licence for name, known in facts.items()}
    return Document(out, (table,), (f"{len(dataset.tasks)} tasks", *licence_notes(licences)))


def as_json(dataset: Dataset) -> dict[str, Any]:
    """Return the same as data."""
    tasks = Counter(task.repo for task in dataset.tasks)
    origins = dataset.origins.items()
    facts = [{"repository": name, **asdict(facts_of(about)), "tasks": tasks[name]} for name, about in origins]
    return {"tasks": len(dataset.tasks), "repositories": facts}
