"""All features of a task's candidates, group by group."""

from runner.suites.codrep.candidates import Candidates
from runner.suites.codrep.edit_features import edit_features, habit_features
from runner.suites.codrep.list_features import list_features
from runner.suites.codrep.occurrences import index_words
from runner.suites.codrep.place_features import place_features
from runner.suites.codrep.program import Columns
from runner.suites.codrep.scope_features import scope_features
from runner.suites.codrep.text_features import text_features


def features_of(candidates: Candidates) -> Columns:
    """Every feature by name; `runner.suites.codrep.table` tells what each means."""
    occurrences = index_words(candidates.program)
    found = text_features(candidates) | edit_features(candidates) | habit_features(candidates)
    found |= place_features(candidates, occurrences) | scope_features(candidates, occurrences)
    return found | list_features(found)
