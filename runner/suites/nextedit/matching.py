"""Which predicted edit is which edit of the commit: one to one, by place and content.

Differs from Historian's matching on purpose: an insertion is anchored to its line instead of the path of enclosing
constructs; lines that an edit leaves as they are do not count, so that an insertion written as a replacement of the
line above is an insertion; each edit is matched once, by the best of the predictions that fit; equal confidences are
ranked in the order given.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from runner.metrics.smooth_bleu import smooth_bleu
from runner.suites.nextedit.commits import Span, split_lines
from runner.suites.nextedit.editor import Suggestion, is_sound
from runner.suites.nextedit.sent_texts import has_sign, sent_lines
from runner.suites.nextedit.state import State

LEAST_OVERLAP = 0.5
LEAST_BLEU = 50.0
# An insertion may be this many lines off: between two statements, before or after a blank line.
NEAR = 2


@dataclass(frozen=True, slots=True)
class Target:
    """An edit of the commit as it stands in the texts as they now are."""

    idx: int
    path: str
    start: int
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def span(self) -> Span:
        """The lines that are replaced."""
        return Span(self.start, self.start + len(self.before))


def target_of(state: State, idx: int) -> Target:
    """An edit of the commit as it stands in the texts as they now are."""
    edit = state.commit.edits[idx]
    return Target(idx, edit.path, state.place(idx).start, edit.before, edit.after)


@dataclass(frozen=True, slots=True)
class Trimmed:
    """The part of an edit that changes something: without equal lines at its beginning and end."""

    span: Span
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A prediction (by its position in the list) that is an edit; `exact` if it leads to the very same text."""

    suggestion: int
    rank: int
    target: int
    bleu: float
    exact: bool


def trim(edit: Suggestion | Target) -> Trimmed:
    """Leave out the lines that stay as they are at either end."""
    before, after = edit.before, edit.after
    shorter = min(len(before), len(after))
    head = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    tail = next((at for at in range(shorter - head) if before[-1 - at] != after[-1 - at]), shorter - head)
    start = edit.start + head
    end = edit.start + len(before) - tail
    return Trimmed(Span(start, end), before[head : len(before) - tail], after[head : len(after) - tail])


def ranks_of(suggestions: Sequence[Suggestion]) -> tuple[int, ...]:
    """The rank of each prediction, from 0: by confidence, those without last, equal ones in the order given."""

    def worth(position: int) -> float:
        confidence = suggestions[position].confidence
        return float("-inf") if confidence is None else confidence

    order = sorted(range(len(suggestions)), key=lambda position: (-worth(position), position))
    ranks = [0] * len(order)
    for rank, position in enumerate(order):
        ranks[position] = rank
    return tuple(ranks)


def match(suggestions: Sequence[Suggestion], targets: Sequence[Target], texts: Mapping[str, str]) -> tuple[Match, ...]:
    """The matches, best rank first; every prediction and every edit is in one at most.

    Exact predictions go first, then in the order of ranks each takes the edit whose content is most like its own. What
    speaks of lines that are not there matches nothing.
    """
    ranks = ranks_of(suggestions)
    sound = [position for position, suggestion in enumerate(suggestions) if is_sound(suggestion, texts)]
    order = sorted(sound, key=lambda position: ranks[position])
    matches: dict[int, Match] = {}
    open_targets = {target.idx: target for target in targets}
    for exactly in (True, False):
        for position in order:
            if position in matches:
                continue
            best = _best(suggestions[position], open_targets.values(), texts, exactly=exactly)
            if best is not None:
                target, bleu = best
                matches[position] = Match(position, ranks[position], target.idx, bleu, exactly)
                del open_targets[target.idx]
    return tuple(sorted(matches.values(), key=lambda row: row.rank))


def _best(
    suggestion: Suggestion, targets: Iterable[Target], texts: Mapping[str, str], *, exactly: bool
) -> tuple[Target, float] | None:
    """The edit that a prediction is, with the BLEU of its content; of several the likest, of equals the first."""
    best: tuple[Target, float] | None = None
    for target in targets:
        if target.path != suggestion.path:
            continue
        if exactly:
            if is_exact(suggestion, target, texts.get(target.path, "")):
                return target, 100.0
            continue
        bleu = similarity(suggestion, target)
        if bleu > LEAST_BLEU and (best is None or bleu > best[1]):
            best = target, bleu
    return best


def is_exact(suggestion: Suggestion, target: Target, text: str) -> bool:
    """Whether both lead to the very same text, however they are written.

    A sign that was sent in place of bytes that are no UTF-8 is these bytes.
    """
    if len(suggestion.after) - len(suggestion.before) != len(target.after) - len(target.before):
        return False
    lines = split_lines(text)
    low = min(suggestion.start, target.start)
    high = max(suggestion.span.end, target.span.end)

    def result(edit: Suggestion | Target) -> tuple[str, ...]:
        return (*lines[low : edit.start], *edit.after, *lines[edit.span.end : high])

    mine, right = result(suggestion), result(target)
    return mine == right or (has_sign(suggestion.after) and sent_lines(mine) == sent_lines(right))


def similarity(suggestion: Suggestion, target: Target) -> float:
    """BLEU of the content where both change the same lines (half of them) or insert nearby, else 0."""
    guess, truth = trim(suggestion), trim(target)
    if not _same_place(guess, truth):
        return 0.0
    return smooth_bleu("".join(guess.after), "".join(truth.after))


def _same_place(guess: Trimmed, truth: Trimmed) -> bool:
    if not guess.before and not truth.before:
        return abs(guess.span.start - truth.span.start) <= NEAR
    return overlap(guess.span, truth.span) >= LEAST_OVERLAP


def overlap(left: Span, right: Span) -> float:
    """The Dice coefficient of two ranges of lines, 0 to 1; 0 where one is empty."""
    common = max(0, min(left.end, right.end) - max(left.start, right.start))
    return 2 * common / (left.end - left.start + right.end - right.start) if common else 0.0
