"""The repositories of a data set as a table and as data: how many tasks, under which licence, and how old."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from runner.document import Document, Table
from runner.suites.completion.dataset import Dataset, DatasetOrigin
from runner.suites.completion.licences import licence_notes
from runner.suites.completion.provenance import Provenance

FACTS = ("licence", "commit of", "first release", "released")
_UNKNOWN = "-"


def facts(provenance: Provenance) -> tuple[str, ...]:
    """Return the cells of the columns `FACTS`."""
    known = (provenance.committed, provenance.release, provenance.released)
    return (provenance.licence, *(cell or _UNKNOWN for cell in known))


def document(dataset: Dataset, out: str) -> Document:
    """Show what a joined data set has of each repository, and what its licences are."""
    tasks = tasks_by_repository(dataset)
    rows = tuple((name, str(tasks[name]), *facts(about.provenance)) for name, about in dataset.origins.items())
    table = Table("repositories", ("repository", "tasks", *FACTS), rows, ("repository", "tasks"))
    licences = {name: about.provenance.licence for name, about in dataset.origins.items()}
    return Document(out, (table,), (f"{len(dataset.tasks)} tasks", *licence_notes(licences)))


def as_json(dataset: Dataset) -> dict[str, Any]:
    """Return the same as data."""
    tasks = tasks_by_repository(dataset)
    return {
        "tasks": len(dataset.tasks),
        "repositories": [{**origin_data(dataset.origins, name), "tasks": tasks[name]} for name in dataset.origins],
    }


def origin_data(origins: Mapping[str, DatasetOrigin], name: str) -> dict[str, Any]:
    """Return a repository's name, commit and provenance as one flat object."""
    about = origins[name]
    return {"repository": about.repo, "commit": about.commit, **asdict(about.provenance)}


def tasks_by_repository(dataset: Dataset) -> dict[str, int]:
    """Return how many tasks each repository has; 0 is a number too."""
    repos: Sequence[str] = [task.repo for task in dataset.tasks]
    return {name: repos.count(name) for name in dataset.origins}
