"""Answers of coding agents to a step: the first place that is changed in the step's folder is the prediction."""

from collections.abc import Mapping

from runner.agents.answers import ended_by_limit
from runner.agents.tree_difference import difference_in
from runner.records import Outcome
from runner.suites.nextedit.editor import Suggestion, suggestions_between


def read_folder(answer: str, texts: Mapping[str, str]) -> tuple[Outcome, tuple[Suggestion, ...]]:
    """Return what an answer predicts on the texts of the commit's files as they are now.

    First in the order of paths, then of lines. A file that the commit does not touch counts as changed as a whole, for
    its text before is not on record. An attempt that a limit ended predicts nothing.
    """
    limit, tree = ended_by_limit(answer), difference_in(answer)
    if limit is not None:
        return limit, ()
    if tree is None or not tree.paths:
        return Outcome.NO_ANSWER, ()
    path = tree.paths[0]
    if path in tree.large:
        # Nothing is known of what it is now.
        return Outcome.OTHER_FILE, ()
    places = suggestions_between(path, texts.get(path, ""), tree.changed.get(path, ""))
    return (Outcome.APPLIED, tuple(places[:1])) if places else (Outcome.APPLIED_NOTHING, ())
