"""A step on a screen: what was predicted wrongly and where, beside the nearest edits that remained."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

import msgspec

from runner.errors import InputError
from runner.report.side_by_side import visible
from runner.run.replay import asked_in
from runner.storage.store import Row, Store
from runner.structs import WrongField, converted
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import Suggestion
from runner.suites.nextedit.matching import Target, target_of
from runner.suites.nextedit.recorded_commits import commits_of_run
from runner.suites.nextedit.state import State
from runner.suites.nextedit.step_metrics import Flow

_PREDICTIONS = 3
_LINES = 6
_FAR = 1_000_000
_DAMAGED = "column detail of a scoring: {}, so the database is damaged; restore it from a copy"


def step_screen(store: Store, run: Row) -> Callable[[Mapping[str, Any]], Iterator[str]]:
    """Return what gives the further lines of an attempt of a run: none where no step is judged with it."""
    run_id, commits = asked_in(run), dict[str, Commit]()

    def lines(record: Mapping[str, Any]) -> Iterator[str]:
        case_id, detail = record["case_id"], record.get("detail")
        if not isinstance(detail, dict) or "predictions" not in detail:
            return
        if case_id not in commits:
            commits.update(commits_of_run(store, run_id, case_id))
        yield from misprediction_lines(detail, commits[case_id]) if case_id in commits else ()

    return lines


class StepMatch(msgspec.Struct, frozen=True):
    """Which edit of the commit a prediction is."""

    prediction: int
    edit: int


class StepPrediction(msgspec.Struct, frozen=True):
    """A prediction as it is on record."""

    path: str
    start: Annotated[int, msgspec.Meta(ge=0)]
    before: tuple[str, ...]
    after: tuple[str, ...]


class JudgedStep(msgspec.Struct, frozen=True):
    """What a screen takes of the record of a step."""

    applied: tuple[int, ...]
    allowed: tuple[int, ...]
    flow: tuple[str, ...]
    matches: tuple[StepMatch, ...]
    predictions: tuple[StepPrediction, ...]
    nothing_more: bool = False
    new_island: bool = False

    def fits(self, commit: Commit) -> bool:
        """Return whether the edits that it names are there, and one remains."""
        size = len(commit.edits)
        past = set(self.applied)
        named = {*past, *self.allowed}
        return (
            all(0 <= idx < size for idx in named)
            and len(past) == len(self.applied) < size
            and len(self.flow) == len(self.predictions)
        )


def misprediction_lines(detail: Mapping[str, Any], commit: Commit) -> Iterator[str]:
    """Yield each prediction of a judged step that is no edit allowed then, and the edit that is nearest to it.

    Raises InputError for a damaged record.
    """
    step = converted(dict(detail), JudgedStep, _damaged)
    if not step.fits(commit):
        raise InputError(_DAMAGED.format("its edits or predictions are not there"))
    state, allowed = State(commit, step.applied), set(step.allowed)
    island = ", none of which depends on those made" if step.new_island else ""
    remaining = state.remaining
    yield f"  {len(state.applied)} edits made; {len(allowed)} of {len(remaining)} that remain may come next{island}"
    targets = [target_of(state, idx) for idx in remaining]
    matched = {match.prediction: match.edit for match in step.matches}
    wrong = [at for at, flow in enumerate(step.flow) if flow != Flow.KEEPING]
    for at in wrong[:_PREDICTIONS]:
        suggestion = _suggestion(step.predictions[at])
        yield f"  prediction {at + 1} of {len(step.flow)}, {visible(step.flow[at])}: {_place(suggestion)}"
        yield from _change(suggestion)
        near = next((target for target in targets if target.idx == matched.get(at)), None) or nearest(
            suggestion, targets
        )
        yield f"  nearest edit that remains ({_when(near, allowed)}): {_place(near)}"
        yield from _change(near)
    if len(wrong) > _PREDICTIONS:
        yield f"  ... {len(wrong) - _PREDICTIONS} more wrong predictions: --json"
    if step.nothing_more:
        yield "  stated that nothing is left to do; may come next:"
        for target in [target for target in targets if target.idx in allowed][:_PREDICTIONS]:
            yield f"  {_place(target)}"
            yield from _change(target)


def nearest(suggestion: Suggestion, targets: list[Target]) -> Target:
    """The edit that is the fewest lines away in the prediction's file, else the one with the most similar new lines."""
    from rapidfuzz.distance import Indel

    def far(target: Target) -> tuple[int, float]:
        gap = max(target.start - suggestion.span.end, suggestion.start - target.span.end, 0)
        distance = gap if target.path == suggestion.path else _FAR
        return distance, Indel.normalized_distance("".join(suggestion.after), "".join(target.after))

    return min(targets, key=far)


def _suggestion(row: StepPrediction) -> Suggestion:
    return Suggestion(row.path, row.start, row.before, row.after)


def _damaged(wrong: WrongField) -> InputError:
    return InputError(_DAMAGED.format(f"{wrong.path} {wrong.problem}"))


def _place(edit: Suggestion | Target) -> str:
    return f"{visible(edit.path)} line {edit.start + 1}"


def _when(target: Target, allowed: set[int]) -> str:
    return "may come next" if target.idx in allowed else "comes later"


def _change(edit: Suggestion | Target) -> Iterator[str]:
    lines = [*(f"- {line}" for line in edit.before), *(f"+ {line}" for line in edit.after)]
    yield from (f"    {visible(line.removesuffix(chr(10)))}" for line in lines[:_LINES])
    if len(lines) > _LINES:
        yield f"    ... {len(lines) - _LINES} more lines"
