"""The answers of a diff-edit run scored again: those of models, or of coding agents."""

from contextlib import AbstractContextManager

from runner.run.suite import ReplayOptions, Rescoring, Say
from runner.storage.store import Row, Store
from runner.suites.diff_edit.agent_replay import agent_replay, of_agents
from runner.suites.diff_edit.model_replay import model_replay


def replay(store: Store, source: Row, options: ReplayOptions, say: Say) -> AbstractContextManager[Rescoring]:
    """How the answers of `source` are scored. Raises InputError."""
    if of_agents(store, source):
        return agent_replay(store, source, options)
    return model_replay(store, source, options, say)
