"""All features of a task's candidates, group by group."""

from runner.suites.codrep.ranker.candidates import Candidates
from runner.suites.codrep.ranker.edit_features import edit_features, habit_features
from runner.suites.codrep.ranker.list_features import list_features
from runner.suites.codrep.ranker.occurrences import index_words
from runner.suites.codrep.ranker.place_features import place_features
from runner.suites.codrep.ranker.program import Columns
from runner.suites.codrep.ranker.scope_features import scope_features
from runner.suites.codrep.ranker.text_features import text_features


def features_of(candidates: Candidates) -> Columns:
    """Return every feature by name; `runner.suites.codrep.ranker.table` states what each means."""
    occurrences = index_words(candidates.program)
    columns = text_features(candidates) | edit_features(candidates) | habit_features(candidates)
    columns |= place_features(candidates, occurrences) | scope_features(candidates, occurrences)
    return columns | list_features(columns)
