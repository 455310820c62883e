"""One commit replayed edit by edit: at each step a system is asked what comes next, and then an edit is made.

As in Historian, a step asks for places and contents (A); takes the best-ranked prediction that is an edit allowed now
(B); where there is none draws an allowed edit, states its place and asks for its content (C); and makes the edit of the
commit, never the prediction (D).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import TypeVar

from runner.execution.workspace import Workspace
from runner.run.answer_scoring import run_sized
from runner.suites.nextedit.answers import FILL, RECOMMEND
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import (
    EditorError,
    EditorSession,
    Leak,
    Made,
    NextEditor,
    Place,
    Suggestion,
)
from runner.suites.nextedit.first_prediction import first_prediction
from runner.suites.nextedit.judging import content_of, filled, impossible_predictions, judge_predictions, weight_of
from runner.suites.nextedit.matching import Match, target_of
from runner.suites.nextedit.orders import allowed_next
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.state import State
from runner.suites.nextedit.steps import CommitReplay, Content, Draw, Step, Trouble

T = TypeVar("T")


async def replay_commit(
    commit: Commit,
    editor: NextEditor,
    plan: ReplayPlan,
    now_ns: Callable[[], int],
    workspace: Workspace | None = None,
) -> CommitReplay:
    """Replay a commit; the same plan draws the same, whatever else is replayed.

    `workspace` is the tree at the parent that the editor may work in. An editor that fails costs its own questions.
    """
    return await _Replay(commit, editor, plan, now_ns, workspace).run()


class _Replay:
    """A commit under way."""

    def __init__(
        self,
        commit: Commit,
        editor: NextEditor,
        plan: ReplayPlan,
        now_ns: Callable[[], int],
        workspace: Workspace | None,
    ) -> None:
        self.commit = commit
        self.editor = editor
        self.plan = plan
        self.now_ns = now_ns
        self.workspace = workspace
        self.order = plan.order(commit)
        # Seeded by the commit, so that neither other commits nor their number change what is drawn.
        self.rng = Random(f"{plan.seed}:{commit.origin.sha}")
        self.draws: list[Draw] = []
        self.troubles: list[Trouble] = []

    async def run(self) -> CommitReplay:
        state = State(self.commit).after(self._draw(0, self.order.initial()))
        steps: list[Step] = []
        try:
            self._publish(state)
            await self._ask("setup", self.editor.setup(await self._session(state, 0)))
            setup_troubles = tuple(self.troubles)
            while state.remaining:
                steps.append(await self._step(state, len(steps) + 1))
                state = state.after(steps[-1].made_edit)
                self._publish(state)
        finally:
            await self.editor.aclose()
        origin = self.commit.origin
        return CommitReplay(
            self.commit.case_id, origin.sha, self.plan.seed, tuple(self.draws), tuple(steps), setup_troubles
        )

    def _draw(self, step: int, options: tuple[int, ...]) -> int:
        chosen = self.rng.choice(options)
        self.draws.append(Draw(step, options, chosen))
        return chosen

    def _publish(self, state: State) -> None:
        if self.workspace is not None:
            moved: dict[str, str | None] = {file.old_path: None for file in self.commit.files if file.old_path}
            self.workspace.put({**moved, **{file.path: state.text(file.path) for file in self.commit.files}})

    async def _session(self, state: State, step: int) -> EditorSession:
        tree = self.workspace.folder if self.workspace is not None else None
        session = session_of(state, step, self.plan.leak, tree)
        return session if self.plan.context is None else await self.plan.context(session, state)

    async def _ask(self, question: str, answer: Awaitable[T]) -> T | None:
        """The answer, or None where the editor fails; what it did to the tree is undone."""
        try:
            return await answer
        except EditorError as error:
            self.troubles.append(Trouble(question, error.reason, str(error)))
            return None
        finally:
            if self.workspace is not None:
                self.workspace.restore()

    async def _step(self, state: State, number: int) -> Step:
        self.troubles = []
        session = await self._session(state, number)
        allowed = allowed_next(self.order, state)
        started = self.now_ns()
        answered = tuple(await self._ask(RECOMMEND, self.editor.recommend(session)) or ())
        latency = self.now_ns() - started
        judged = await run_sized(
            self.plan.pool,
            weight_of(answered, self.commit),
            judge_predictions,
            answered,
            state,
            allowed,
            session.past_edits,
        )
        suggestions = judged.suggestions
        self.troubles += impossible_predictions(judged.impossible, len(suggestions))
        step, content, fill_ns = await self._next(session, state, judged.matches, suggestions, allowed)
        edit = self.commit.edits[step]
        weight = weight_of(suggestions[:1], self.commit) + sum(map(len, (*edit.before, *edit.after)))
        first = await run_sized(
            self.plan.pool, weight, first_prediction, state, suggestions, judged.matches, allowed, step
        )
        return Step(
            number=number,
            applied=state.applied,
            allowed=allowed,
            suggestions=suggestions,
            matches=judged.matches,
            metrics=judged.metrics,
            made_edit=step,
            content=content,
            latency_ns=latency,
            fill_ns=fill_ns,
            troubles=tuple(self.troubles),
            new_island=not self.order.allowed(state.applied),
            # Of one that has the whole tree it is not known what it looked at.
            in_view=None if self.workspace else self.plan.in_view(self.editor, session, state, allowed),
            first=first,
        )

    async def _next(
        self,
        session: EditorSession,
        state: State,
        matches: Sequence[Match],
        suggestions: Sequence[Suggestion],
        allowed: tuple[int, ...],
    ) -> tuple[int, Content, int | None]:
        """The edit to be made, what was proposed for it, and how long the place-given question took if it was asked."""
        for hit in matches:
            if hit.target in allowed:
                suggestion = suggestions[hit.suggestion]
                target, of_prediction = target_of(state, hit.target), partial(content_of, requested=False)
                weight = weight_of((suggestion,), self.commit)
                content = await run_sized(self.plan.pool, weight, of_prediction, suggestion, target, state)
                return hit.target, content, None
        target = target_of(state, self._draw(session.step, allowed))
        place = place_of(state, target.idx)
        text = state.text(target.path)
        session_then = replace(session, texts={**session.texts, **({target.path: text} if text is not None else {})})
        started = self.now_ns()
        lines = await self._ask(FILL, self.editor.fill(session_then, place))
        fill_ns = self.now_ns() - started
        weight = sum(map(len, lines or ()))
        return target.idx, await run_sized(self.plan.pool, weight, filled, lines, target, state), fill_ns


def session_of(state: State, step: int, leak: Leak, tree: Path | None) -> EditorSession:
    """What a system may know of a commit that has come so far."""
    commit = state.commit
    past_edits = tuple(Made(commit.edits[idx], state.place(idx)) for idx in state.applied)
    known = {past_edit.edit.path for past_edit in past_edits}
    open_files = leak is not Leak.NONE
    return EditorSession(
        case_id=commit.case_id,
        step=step,
        past_edits=past_edits,
        texts={path: text for path, text in state.texts().items() if open_files or path in known},
        files=tuple(touched.path for touched in commit.files if open_files or touched.path in known),
        message=commit.message if leak is Leak.MESSAGE else None,
        tree=tree,
    )


def place_of(state: State, idx: int) -> Place:
    """An edit of the commit without what it makes of its lines."""
    edit = state.commit.edits[idx]
    start = state.place(idx).start
    return Place(edit.path, start, edit.before, edit.kind, edit.parent)
