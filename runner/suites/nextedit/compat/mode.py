"""Replays as Historian's own program runs them, for any system: `--compat historian`.

The commit is cut into edits as the original cuts it, every edit is allowed at any time, the first is always number 0;
matching, metrics and result file are the original's. Draws begin from the seed again for every commit, where the
original goes on with the draws of the commit before.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from random import Random

from runner.execution.workspace import Workspace, scratch
from runner.suites.nextedit.commit_replay import place_of, session_of
from runner.suites.nextedit.commits import Commit, Edit, Span, Touched, split_lines
from runner.suites.nextedit.compat.pairs import Pair
from runner.suites.nextedit.editor import EditorError, Leak, NextEditor, Suggestion
from runner.suites.nextedit.historian import (
    FILL,
    CommitContext,
    EditDict,
    HistorianRun,
    Payload,
    Snapshot,
    Snapshots,
    Surroundings,
    edit_of,
    edits_of,
    extract,
    parent_lines,
    replay,
)
from runner.suites.nextedit.orders import AnyOrder, Order
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.state import State
from runner.suites.nextedit.systems.historian_form import as_read
from runner.suites.nextedit.systems.historian_module import HistorianModule

DEFAULT_SEED = 42
_FLOW = ("flow_keeping", "flow_jumping", "flow_breaking", "flow_reverting")


@dataclass(frozen=True, slots=True)
class HistorianReplay:
    """A run of the original's loop, with what went wrong on the way; `answered` unless every question failed."""

    run: HistorianRun
    troubles: tuple[str, ...]
    answered: bool = True


async def replay_as_historian(pair: Pair, language: str, seed: int, now_ns: Callable[[], int]) -> HistorianReplay:
    """Replay one commit. Raises RefusedError for what the original refuses, UnfitAnswerError where its run ends."""
    snapshots = extract(pair.ready.patch())
    commit = _as_cut(pair.ready.commit, snapshots)
    origin = commit.origin
    with ExitStack() as stack:
        workspace = None
        if pair.system.needs_tree:
            tree = stack.enter_context(pair.ready.tree())
            workspace = stack.enter_context(scratch(tree, origin.project or "tree"))
        editor = pair.system.make(commit, ReplayPlan(_any_order, seed))
        bridge = _Bridge(commit, editor, workspace)
        url = origin.url or f"https://localhost/{origin.project}/{origin.project}/commit/{origin.sha}"
        about = CommitContext(url, language, as_read(commit.message), str(workspace.folder) if workspace else "")
        around = Surroundings(Random(seed), lambda: now_ns() / 1e9, bridge.publish)
        try:
            run = await replay(about, snapshots, bridge.answer, around)
        finally:
            await editor.aclose()
    return HistorianReplay(run, tuple(bridge.troubles), bridge.answered)


def _any_order(commit: Commit) -> Order:
    return AnyOrder(len(commit.edits))


def _as_cut(commit: Commit, snapshots: Snapshots) -> Commit:
    """The commit with the texts and edits that the original makes of it."""
    files = tuple(
        Touched(path, "".join(parent_lines(snapshot)), "".join(_child_lines(snapshot)))
        for path, snapshot in snapshots.items()
    )
    return Commit(commit.origin, commit.message, files, tuple(_edit(edit) for edit in edits_of(snapshots)))


def _child_lines(snapshot: Snapshot) -> list[str]:
    return [line for window in snapshot for line in (window if isinstance(window, list) else window["after"])]


def _edit(edit: EditDict) -> Edit:
    return Edit(
        idx=edit["idx"],
        path=edit["file_path"],
        before=tuple(edit["before"]),
        after=tuple(edit["after"]),
        parent=Span(**edit["parent_version_range"]),
        child=Span(**edit["child_version_range"]),
        prefix=tuple(edit["prefix"]),
        suffix=tuple(edit["suffix"]),
    )


class _Bridge:
    """Lets an editor of ours answer the original's questions; a module of the original's gets them as they are."""

    def __init__(self, commit: Commit, editor: NextEditor, workspace: Workspace | None) -> None:
        self.commit = commit
        self.editor = editor
        self.workspace = workspace
        self.troubles: list[str] = []
        self.answered = False

    def publish(self, texts: dict[str, str]) -> None:
        """Write the texts into the tree."""
        if self.workspace is not None:
            self.workspace.put(texts)

    async def answer(self, payload: Payload) -> Snapshots | None:
        """The answer to a question; none where the editor fails."""
        failed = False
        try:
            if isinstance(self.editor, HistorianModule):
                return await self.editor.answer(payload, self.workspace.folder if self.workspace else None)
            return await self._answer(payload)
        except EditorError as error:
            failed = error.reason.failed
            self.troubles.append(f"{payload['status']}: {error.reason}: {error}")
            return None
        finally:
            self.answered |= not failed and payload["status"] != "init"

    async def _answer(self, payload: Payload) -> Snapshots | None:
        state = State(self.commit, tuple(edit["idx"] for edit in payload["prior_edits"]))
        tree = self.workspace.folder if self.workspace is not None else None
        session = session_of(state, len(state.applied), Leak.MESSAGE, tree)
        if payload["status"] == "init":
            await self.editor.setup(session)
            return None
        if payload["status"] != FILL:
            return snapshots_of(await self.editor.recommend(session), state.texts())
        place = place_of(state, payload["target_edit"]["idx"])
        lines = await self.editor.fill(session, place)
        # What is no answer here is what the original calls a falsy one.
        if lines is None or tuple(lines) == place.before:
            return None
        return snapshots_of([Suggestion(place.path, place.start, place.before, tuple(lines))], state.texts())


def snapshots_of(suggestions: Sequence[Suggestion], texts: dict[str, str]) -> Snapshots:
    """Predictions in the original's form; of those that overlap the first given stays."""
    snapshots: Snapshots = {}
    for path in dict.fromkeys(suggestion.path for suggestion in suggestions):
        chosen: list[Suggestion] = []
        for suggestion in suggestions:
            span = suggestion.span
            if suggestion.path == path and all(
                span.end <= suggestion.start or suggestion.span.end <= span.start for suggestion in chosen
            ):
                chosen.append(suggestion)
        snapshots[path] = _snapshot(sorted(chosen, key=lambda item: item.start), split_lines(texts.get(path, "")))
    return snapshots


def _snapshot(suggestions: Sequence[Suggestion], lines: Sequence[str]) -> Snapshot:
    snapshot: Snapshot = []
    at = 0
    for suggestion in suggestions:
        if lines[at : suggestion.start]:
            snapshot.append(list(lines[at : suggestion.start]))
        snapshot.append(_predicted(suggestion))
        at = suggestion.span.end
    if lines[at:]:
        snapshot.append(list(lines[at:]))
    return snapshot


def _predicted(suggestion: Suggestion) -> EditDict:
    edit = edit_of(list(suggestion.before), list(suggestion.after))
    return {**edit, "file_path": suggestion.path, "confidence": suggestion.confidence}


def totals_of(runs: Sequence[HistorianRun]) -> str:
    """What the original's analysis prints: shares of the flow, and precision, recall and F1 over all steps.

    Its false negatives are every remaining edit of every step, so a system that proposes one right edit a step has a
    recall far below 1.
    """
    evaluations = [evaluation for run in runs for evaluation in run.evaluations]
    counts = {name: sum(len(evaluation[name]) for evaluation in evaluations) for name in _FLOW}
    hits, false, missed = (
        sum(evaluation[name] for evaluation in evaluations) for name in ("tp@all", "fp@all", "fn@all")
    )
    predictions = sum(counts.values())
    flow = ", ".join(f"{name.removeprefix('flow_')} {_share(count, predictions)}" for name, count in counts.items())
    return (
        f"{len(runs)} commits, {len(evaluations)} steps, precision {_share(hits, hits + false)},"
        f" recall {_share(hits, hits + missed)}, F1 {_share(2 * hits, 2 * hits + false + missed)}; {flow}"
    )


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "-"
