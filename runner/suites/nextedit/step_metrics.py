"""What the predictions of one step are worth: their effect on the flow, and the metrics of the step.

The classes of flow are those of the Historian and EditFlow papers; unlike there, a prediction reverts only if it brings
back what an edit took away. Some edit is allowed at every step.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from runner.metrics.smooth_bleu import smooth_bleu
from runner.suites.nextedit.commits import Span, split_lines
from runner.suites.nextedit.editor import Made, Suggestion, is_sound
from runner.suites.nextedit.matching import LEAST_BLEU, LEAST_OVERLAP, NEAR, Match, Target, Trimmed, overlap, trim

CUTS = (1, 3, 5, 10)
_CONTEXT = 3


class Flow(StrEnum):
    """What a prediction does to the flow of work.

    It keeps it if it is an edit that may come now, jumps if it is one that may come later, reverts if it takes an
    edit back, and breaks it otherwise.
    """

    KEEPING = "keeping"
    JUMPING = "jumping"
    BREAKING = "breaking"
    REVERTING = "reverting"


@dataclass(frozen=True, slots=True)
class StepMetrics:
    """The figures of one step, from `flows` of the predictions in the order given.

    `allowed` is how many edits may come now, at least one; `hit_ranks` are the ranks of the predictions that are edits
    yet to come, `kept_ranks` of those that may come now; `new_files` is how many predictions create a file.
    """

    flows: tuple[Flow, ...]
    allowed: int
    hit_ranks: tuple[int, ...] = ()
    kept_ranks: tuple[int, ...] = ()
    new_files: int = 0

    @property
    def precision(self) -> float:
        """The share of predictions that keep the flow; 0 without predictions."""
        return len(self.kept_ranks) / len(self.flows) if self.flows else 0.0

    @property
    def recall(self) -> float:
        """The share of allowed edits that are predicted."""
        return len(self.kept_ranks) / self.allowed

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * len(self.kept_ranks) / (len(self.flows) + self.allowed)

    def kept_at(self, cut: int) -> int:
        """How many of the first `cut` predictions keep the flow."""
        return sum(rank < cut for rank in self.kept_ranks)

    def hit_at(self, cut: int) -> bool:
        """Whether one of the first `cut` predictions is an edit yet to come."""
        return any(rank < cut for rank in self.hit_ranks)

    def share(self, flow: Flow) -> float:
        """The share of predictions with this effect; 0 without predictions."""
        return self.flows.count(flow) / len(self.flows) if self.flows else 0.0


def judge(
    suggestions: Sequence[Suggestion],
    matches: Sequence[Match],
    allowed: Collection[int],
    past_edits: Iterable[Made],
    texts: Mapping[str, str],
) -> StepMetrics:
    """The metrics of a step, given the matches of its predictions, which edits may come now, and the files."""
    targets = {match.suggestion: match.target for match in matches}
    past = tuple(past_edits)

    def flow(position: int) -> Flow:
        if position in targets:
            return Flow.KEEPING if targets[position] in allowed else Flow.JUMPING
        suggestion = suggestions[position]
        # What cannot be made changes nothing back.
        back = is_sound(suggestion, texts) and any(reverts(suggestion, past_edit) for past_edit in past)
        return Flow.REVERTING if back else Flow.BREAKING

    return StepMetrics(
        flows=tuple(flow(position) for position in range(len(suggestions))),
        allowed=len(allowed),
        hit_ranks=tuple(match.rank for match in matches),
        kept_ranks=tuple(match.rank for match in matches if match.target in allowed),
        new_files=sum(_creates(suggestion, texts) for suggestion in suggestions),
    )


def _creates(suggestion: Suggestion, texts: Mapping[str, str]) -> bool:
    """Return whether a prediction writes a file that is not there."""
    return suggestion.path not in texts and not suggestion.before and bool(suggestion.after) and not suggestion.start


def reverts(suggestion: Suggestion, past_edit: Made) -> bool:
    """Whether a prediction changes the lines of an edit that was made back into something like what they were."""
    guess, edit = trim(suggestion), past_edit.edit
    if suggestion.path != edit.path or not _touches(guess, past_edit.now):
        return False
    back = smooth_bleu("".join(guess.after), "".join(edit.before))
    return back > LEAST_BLEU and back > smooth_bleu("".join(guess.after), "".join(edit.after))


def _touches(guess: Trimmed, now: Span) -> bool:
    if not guess.before and now.start == now.end:
        return abs(guess.span.start - now.start) <= NEAR
    return overlap(guess.span, now) >= LEAST_OVERLAP


def excision_scores(suggestion: Suggestion, target: Target, text: str, language: str | None) -> Mapping[str, float]:
    """The Excision Scores of a prediction against an edit, on the lines around both. Empty where too much differs."""
    from runner.metrics import score_edit

    lines = split_lines(text)
    low = max(0, min(suggestion.start, target.start) - _CONTEXT)
    high = max(suggestion.span.end, target.span.end) + _CONTEXT

    def result(edit: Suggestion | Target) -> str:
        return "".join((*lines[low : edit.start], *edit.after, *lines[edit.span.end : high]))

    return score_edit("".join(lines[low:high]), [result(target)], result(suggestion), language)
