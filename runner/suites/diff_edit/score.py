"""What the results of a diff-edit run are measured against: the file of a case before, and after the wanted edit."""

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

from runner.errors import InputError
from runner.metrics.sample import Sample
from runner.run.diff_scoring import ValidityName
from runner.run.replay import asked_in
from runner.storage.rows import config_of
from runner.storage.store import Row, Store
from runner.suites.diff_edit.cases import DiffEditCase, parse_case
from runner.suites.diff_edit.detail import validity_named
from runner.syntax import language_of


def samples(store: Store, run: Row) -> Callable[[Row], Sample | None]:
    """The sample of each scoring of a run; None where its case has no expected file.

    An edit that did not come about left the file as it was.
    """
    # Scorings come case by case: an earlier case is not needed again.
    case_of = lru_cache(maxsize=1)(stored_cases(store, run))

    def sample_of(row: Row) -> Sample | None:
        case = case_of(row["case_id"])
        if not case.expected_contents:
            return None
        edited = store.text(row["edited_id"])
        language = case.language or language_of(case.file_path)
        hypothesis = case.file_contents if edited is None else edited
        return Sample(case.file_contents, case.expected_contents, hypothesis, language)

    return sample_of


def case_digest(content: str) -> str | None:
    """The digest of a case from its JSON text; None for a text that is no case."""
    case = parse_case(Path("case.json"), content.encode("utf-8", "replace"))
    return case.digest if isinstance(case, DiffEditCase) else None


def stored_cases(store: Store, run: Row) -> Callable[[str], DiffEditCase]:
    """Return what gives the cases of a run, or of the run that it replays, by their ids; see `stored_case`."""
    return partial(stored_case, store, asked_in(run))


def stored_case(store: Store, run_id: str, case_id: str) -> DiffEditCase:
    """A case as the run knew it. Raises InputError where the database holds no such case any more."""
    row = store.rows("SELECT content_id FROM cases WHERE run_id = ? AND case_id = ?", run_id, case_id)[0]
    case = parse_case(Path(f"{case_id}.json"), (store.text(row["content_id"]) or "").encode())
    if not isinstance(case, DiffEditCase):
        raise InputError(f"{store.path}: case {case_id} of run {run_id} can no longer be read")
    return case


def stored_validity(run: Row) -> ValidityName:
    """Return the rule of validity of a run."""
    return validity_named(config_of(run)["identity"]["validity"])
