"""Predictions that together are one edit of the commit: they count as that edit, however they are cut.

Git cuts the difference of a whole commit, an answer is cut by itself. Where lines inside of an edit stay as they are,
both may cut otherwise, and the pieces of a right answer would be as many wrong ones.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile

from runner.suites.nextedit.commits import Span, split_lines
from runner.suites.nextedit.editor import Suggestion, is_sound
from runner.suites.nextedit.matching import LEAST_BLEU, Target, is_exact, similarity


@dataclass(frozen=True, slots=True)
class _Piece:
    """A prediction and its position among all."""

    position: int
    suggestion: Suggestion


def with_whole_edits(
    suggestions: Sequence[Suggestion], targets: Iterable[Target], texts: Mapping[str, str]
) -> tuple[Suggestion, ...]:
    """The predictions, those that are one target together joined to one: by the very text first, then by similar text.

    It stands where the first of them stood, with the confidence of the surest. What is a target by itself is no
    part of another, and each prediction is part of one whole at most.
    """
    chosen: dict[int, Suggestion | None] = dict(enumerate(suggestions))
    by_path = _by_path(targets)
    for path, pieces in _pieces(suggestions, by_path, texts).items():
        for exactly in (True, False):
            for target in by_path[path]:
                parts = _parts_of(target, pieces, texts[path])
                whole = _whole(parts, target, texts[path], exactly=exactly) if parts else None
                if whole is not None:
                    chosen |= dict.fromkeys((part.position for part in parts), None)
                    chosen[min(part.position for part in parts)] = whole
                    pieces[:] = [piece for piece in pieces if piece not in parts]
    return tuple(suggestion for suggestion in chosen.values() if suggestion is not None)


def _by_path(targets: Iterable[Target]) -> dict[str, list[Target]]:
    by_path: dict[str, list[Target]] = {}
    for target in targets:
        by_path.setdefault(target.path, []).append(target)
    return by_path


def _pieces(
    suggestions: Sequence[Suggestion], by_path: Mapping[str, Sequence[Target]], texts: Mapping[str, str]
) -> dict[str, list[_Piece]]:
    """The predictions of files that have several which can be made and are no target, in the order of their lines."""
    counts = Counter(suggestion.path for suggestion in suggestions)
    pieces: dict[str, list[_Piece]] = {}
    for position, suggestion in enumerate(suggestions):
        path = suggestion.path
        if counts[path] < 2 or path not in texts or not is_sound(suggestion, texts):
            continue
        if not any(is_exact(suggestion, target, texts[path]) for target in by_path.get(path, ())):
            pieces.setdefault(path, []).append(_Piece(position, suggestion))
    several = {path: rows for path, rows in pieces.items() if len(rows) > 1 and path in by_path}
    return {path: sorted(rows, key=lambda row: row.suggestion.start) for path, rows in several.items()}


def _parts_of(target: Target, pieces: Sequence[_Piece], text: str) -> list[_Piece]:
    """The predictions within the lines of a target; none where there is one only."""
    room = _room(target, split_lines(text))
    parts = [row for row in pieces if room.start <= row.suggestion.start and row.suggestion.span.end <= room.end]
    return parts if len(parts) > 1 else []


def _whole(parts: Sequence[_Piece], target: Target, text: str, *, exactly: bool) -> Suggestion | None:
    """The predictions as one, if that is the target; in the target's own words where it leads to the very text."""
    joined = _joined([part.suggestion for part in parts], split_lines(text))
    if joined is None:
        return None
    if exactly:
        is_whole = is_exact(joined, target, text)
        joined = replace(joined, start=target.start, before=target.before, after=target.after)
    else:
        is_whole = similarity(joined, target) > LEAST_BLEU
    known = (part.suggestion.confidence for part in parts)
    confidence = max((sure for sure in known if sure is not None), default=None)
    return replace(joined, confidence=confidence) if is_whole else None


def _room(target: Target, lines: Sequence[str]) -> Span:
    """The lines that a target may change: where its ends are equal to what is beside it, it may be shifted."""
    start, end = target.span.start, target.span.end
    below = _common(islice(lines, start, None), chain(target.after, islice(lines, end, None)))
    above = _common(reversed(lines[:end]), chain(reversed(target.after), reversed(lines[:start])))
    return Span(start - above, end + below)


def _common(left: Iterable[str], right: Iterable[str]) -> int:
    """How many lines at the beginning are equal."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))


def _joined(parts: Sequence[Suggestion], lines: Sequence[str]) -> Suggestion | None:
    """One prediction that does what these do, which are in the order of their lines; None where two overlap."""
    first, after, at = parts[0], list[str](), parts[0].start
    for part in parts:
        if part.start < at:
            return None
        after += (*lines[at : part.start], *part.after)
        at = part.span.end
    return Suggestion(first.path, first.start, tuple(lines[first.start : at]), tuple(after))
