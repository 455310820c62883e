"""What an editor that shows one prediction gains at a step: of several it shows the one that is ranked first.

What is accepted is known from the commit: the first prediction whole, if it leads to the very text of an edit that may
come now; in part, as far as its lines are those of edits that remain at its place.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runner.suites.nextedit.commits import split_lines
from runner.suites.nextedit.editor import Suggestion, is_sound, suggestions_between
from runner.suites.nextedit.keystrokes import keystrokes
from runner.suites.nextedit.matching import Match, Target, ranks_of, target_of, trim
from runner.suites.nextedit.sent_texts import sent_lines
from runner.suites.nextedit.state import State


@dataclass(frozen=True, slots=True)
class FirstPrediction:
    """The prediction that is ranked first at a step, as an editor would show it.

    `accepted` is whether it leads to the very text of an edit that may come now. Of its `lines`, those it takes out and
    those it puts in, the commit keeps `kept`. None of both where nothing was predicted. `keys` are the keystrokes that
    the edit made takes by hand; `keys_saved` is how many fewer they are with the prediction, which takes one to accept.
    """

    visible: bool = False
    accepted: bool = False
    lines: int = 0
    kept: int = 0
    keys: int = 0
    keys_saved: int = 0


def first_prediction(
    state: State, suggestions: Sequence[Suggestion], matches: Sequence[Match], allowed: Sequence[int], next_edit: int
) -> FirstPrediction:
    """The figures of a step at which this edit is made next. Pure."""
    target = target_of(state, next_edit)
    keys = keystrokes("".join(target.before), "".join(target.after))
    if not suggestions:
        return FirstPrediction(keys=keys)
    suggestion = suggestions[ranks_of(suggestions).index(0)]
    hit = next((match for match in matches if match.rank == 0 and match.target in allowed), None)
    lines, kept = _kept(suggestion, state, hit)
    saved = 0
    if hit is not None and hit.target == next_edit:
        saved = max(0, keys - 1 - _left_to_do(suggestion, target, state.text(target.path) or ""))
    accepted = hit is not None and hit.exact
    return FirstPrediction(visible=True, accepted=accepted, lines=lines, kept=kept, keys=keys, keys_saved=saved)


def _left_to_do(suggestion: Suggestion, target: Target, text: str) -> int:
    """The keystrokes from what the prediction leads to, to what the edit leads to."""
    lines = split_lines(text)
    low, high = min(suggestion.start, target.start), max(suggestion.span.end, target.span.end)

    def result(edit: Suggestion | Target) -> str:
        return "".join(sent_lines((*lines[low : edit.start], *edit.after, *lines[edit.span.end : high])))

    return keystrokes(result(suggestion), result(target))


@dataclass(frozen=True, slots=True)
class _ChangedLines:
    """The lines that edits change: where those are that they take out, and those that they put in, in order."""

    out: frozenset[int]
    put_in: tuple[str, ...]


def _changed(edits: Iterable[Suggestion | Target]) -> _ChangedLines:
    """The lines that edits of one file change; those that they leave as they are do not count."""
    out, put_in = set[int](), list[str]()
    for edit in edits:
        for run in suggestions_between(edit.path, "".join(edit.before), "".join(edit.after)):
            out.update(range(edit.start + run.start, edit.start + run.span.end))
            put_in += run.after
    return _ChangedLines(frozenset(out), sent_lines(put_in))


def _kept(suggestion: Suggestion, state: State, hit: Match | None) -> tuple[int, int]:
    """How many lines a prediction takes out and puts in, and how many of them edits that remain at its place do too."""
    from rapidfuzz.distance import LCSseq

    guess = _changed([suggestion])
    lines = len(guess.out) + len(guess.put_in)
    if hit is not None and hit.exact:
        return lines, lines
    if not is_sound(suggestion, state.texts()):
        return lines, 0
    span = trim(suggestion).span
    targets = [target_of(state, idx) for idx in state.remaining if state.commit.edits[idx].path == suggestion.path]
    edits = _changed(
        target
        for target in sorted(targets, key=lambda target: target.start)
        if (target.start <= span.end and span.start <= target.span.end) or (hit and hit.target == target.idx)
    )
    return lines, len(guess.out & edits.out) + LCSseq.similarity(guess.put_in, edits.put_in)
