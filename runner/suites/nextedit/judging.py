"""What the predictions of a step are, which of them can be made, and what is proposed for the edit made next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.metrics.smooth_bleu import smooth_bleu
from runner.suites.nextedit.answers import RECOMMEND
from runner.suites.nextedit.commits import Commit, is_inside
from runner.suites.nextedit.editor import Made, Mishap, Suggestion, is_sound
from runner.suites.nextedit.matching import Match, Target, is_exact, match, target_of, trim
from runner.suites.nextedit.state import State
from runner.suites.nextedit.step_metrics import StepMetrics, excision_scores, judge
from runner.suites.nextedit.steps import Content, Trouble
from runner.suites.nextedit.whole_edits import with_whole_edits
from runner.syntax import language_of

_COMPARED = 200


@dataclass(frozen=True, slots=True)
class JudgedPredictions:
    """What the predictions of a step are: which match, their figures, and those that speak of lines not there.

    `suggestions` are the predictions themselves, those that are one edit together as one.
    """

    suggestions: tuple[Suggestion, ...]
    impossible: tuple[Suggestion, ...]
    matches: tuple[Match, ...]
    metrics: StepMetrics


def judge_predictions(
    suggestions: Sequence[Suggestion], state: State, allowed: tuple[int, ...], past_edits: Sequence[Made]
) -> JudgedPredictions:
    """Match the predictions of a step with the edits that remain. Pure."""
    texts = state.texts()
    # Of two edits that a prediction fits equally well it is the one that may come now.
    remaining = sorted(state.remaining, key=lambda idx: idx not in allowed)
    targets = [target_of(state, idx) for idx in remaining]
    suggestions = with_whole_edits(suggestions, targets, texts)
    matches = match(suggestions, targets, texts)
    impossible = tuple(suggestion for suggestion in suggestions if _is_impossible(suggestion, texts))
    return JudgedPredictions(suggestions, impossible, matches, judge(suggestions, matches, allowed, past_edits, texts))


def impossible_predictions(impossible: Sequence[Suggestion], count: int) -> tuple[Trouble, ...]:
    """The trouble that so many of a step's predictions cannot be made; () where all can."""
    if not impossible:
        return ()
    first = impossible[0]
    message = (
        f"{len(impossible)} of {count} predictions speak of lines that are not there or change nothing, the first at"
        f" line {first.start + 1} of {first.path!r}"
    )
    return (Trouble(RECOMMEND, Mishap.NONSENSE if is_inside(first.path) else Mishap.OUTSIDE, message),)


def _is_impossible(suggestion: Suggestion, texts: Mapping[str, str]) -> bool:
    """Return whether a prediction cannot be made; the lines of files that the commit does not touch are unknown."""
    known = suggestion.path in texts or not is_inside(suggestion.path) or suggestion.before == suggestion.after
    return known and not is_sound(suggestion, texts)


def weight_of(suggestions: Sequence[Suggestion], commit: Commit) -> int:
    """Return how many characters predictions count for: each is compared with the edits that remain in its file."""
    sizes = {touched.path: len(touched.before or "") for touched in commit.files}
    lines = sum(sum(map(len, suggestion.before)) + sum(map(len, suggestion.after)) for suggestion in suggestions)
    files = sum(sizes.get(suggestion.path, 0) for suggestion in suggestions)
    return lines + files + _COMPARED * len(suggestions)


def filled(lines: Sequence[str] | None, target: Target, state: State) -> Content:
    """What an answer is worth that was given for the place of an edit; nothing if there is none.

    Lines that stay as they are are no answer: with the equal lines left out it would be the very text of a deletion.
    """
    if lines is None or tuple(lines) == target.before:
        return Content(requested=True, bleu=0.0, exact=False)
    return content_of(Suggestion(target.path, target.start, target.before, tuple(lines)), target, state, requested=True)


def content_of(suggestion: Suggestion, target: Target, state: State, *, requested: bool) -> Content:
    """What a prediction is worth as the content of an edit."""
    guess, truth = trim(suggestion), trim(target)
    text = state.text(target.path) or ""
    return Content(
        requested=requested,
        bleu=smooth_bleu("".join(guess.after), "".join(truth.after)),
        exact=is_exact(suggestion, target, text),
        excision=dict(excision_scores(suggestion, target, text, language_of(target.path))),
    )
