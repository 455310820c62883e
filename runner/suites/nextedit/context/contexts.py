"""The contexts of a run: which files systems see at a step, beside those that were edited."""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from runner.pool.executor import Executor, computed
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.context.retrieval import Scores, project_scores, retrieved
from runner.suites.nextedit.context.seen import Context
from runner.suites.nextedit.context.trees import Tree
from runner.suites.nextedit.editor import EditorSession
from runner.suites.nextedit.state import State


class ContextKind(StrEnum):
    """Which files are seen: those that the commit touches, these among others, or what a search finds."""

    TOUCHED = "touched"
    DECOYS = "decoys"
    RETRIEVED = "retrieved"


async def touched_files(session: EditorSession, _state: State) -> EditorSession:
    """Leave the session as it is: it has the files that the commit touches, as far as that may be known."""
    return session


def among_decoys(decoys: Mapping[str, Mapping[str, str]]) -> Context:
    """Return the context with the decoys of each commit, {case id: {path: text}}; files are in the order of names."""

    async def context(session: EditorSession, _state: State) -> EditorSession:
        texts = dict(sorted({**session.texts, **decoys[session.case_id]}.items()))
        names = tuple(sorted({*session.files, *decoys[session.case_id]}))
        return replace(session, texts=texts, files=names)

    return context


@dataclass(frozen=True, slots=True)
class ContextChoice:
    """The context of a run, with what is known of it beforehand.

    `decoys` and `trees` are by case id; `characters` bound what is retrieved at a step.
    """

    kind: ContextKind = ContextKind.TOUCHED
    characters: int = 0
    decoys: Mapping[str, Mapping[str, str]] | None = None
    trees: Mapping[str, Tree] | None = None

    @property
    def identity(self) -> str:
        """The kind, and a digest of the files that are seen or searched beside the commits' own."""
        if self.decoys is not None:
            seen = repr([(case_id, sorted(texts.items())) for case_id, texts in self.decoys.items()])
        elif self.trees is not None:
            trees = [(case_id, tree.identity) for case_id, tree in self.trees.items()]
            seen = repr((trees, self.characters))
        else:
            return str(self.kind)
        return f"{self.kind}@{hashlib.sha256(seen.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"

    def context(self, pool: Executor | None) -> Context:
        """Return the context; with a pool projects are ranked in worker processes."""
        if self.decoys is not None:
            return among_decoys(self.decoys)
        if self.trees is not None:
            return _Retrieval(self.trees, self.characters, pool)
        return touched_files


class _Retrieval:
    """Retrieves from projects, each of which is ranked once for all systems of a run."""

    def __init__(self, trees: Mapping[str, Tree], characters: int, pool: Executor | None) -> None:
        self._trees = trees
        self._characters = characters
        self._pool = pool
        self._scores: dict[str, asyncio.Future[Scores]] = {}

    async def __call__(self, session: EditorSession, state: State) -> EditorSession:
        commit = state.commit
        if commit.case_id not in self._scores:
            self._scores[commit.case_id] = asyncio.ensure_future(self._ranked(commit))
        # A replay that ends while it waits leaves the ranking to the others.
        scores = await asyncio.shield(self._scores[commit.case_id])
        return retrieved(session, state.texts(), scores, self._characters)

    async def _ranked(self, commit: Commit) -> Scores:
        tree = self._trees[commit.case_id]
        if self._pool is None:
            return project_scores(commit, tree)
        return await computed(self._pool, project_scores, commit, tree)
