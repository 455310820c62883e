"""What a coding agent put into a hole, by the difference of its working folder."""

from dataclasses import dataclass

from runner.agents.answers import figures_in
from runner.agents.tree_difference import difference_in
from runner.records import Outcome
from runner.run.tree_scoring import tree_outcome


@dataclass(frozen=True, slots=True)
class Unfilled:
    """An attempt that has put nothing into its hole; of one that is valid the file was changed elsewhere."""

    outcome: Outcome
    why: str | None


def filling_of(answer: str, path: str, before: str, behind: str) -> str | Unfilled:
    """Return the text between `before` and `behind` in the file at `path`. Total.

    White space at the edges of the hole may have changed, and so may a line end of the whole file: CR LF to LF, or that
    of the last line. Anything else that differs outside of the hole leaves no filling.
    """
    tree = difference_in(answer)
    outcome, why = tree_outcome(tree, path, str(figures_in(answer).get("ended_by")))
    if outcome is not Outcome.APPLIED or tree is None:
        return Unfilled(outcome, why)
    filling = filling_between(tree.changed[path], before, behind)
    return Unfilled(Outcome.UNSOLVED, "changed the file outside of the hole") if filling is None else filling


def filling_between(text: str, before: str, behind: str) -> str | None:
    """Return what stands between two texts; None where the text has other ends."""
    filling = _within(text, before, behind)
    if filling is not None:
        return filling
    head, tail = before.rstrip(), behind.lstrip()
    text = text.replace("\n", "\r\n") if "\r\n" in before + behind and "\r" not in text else text
    if tail:
        text = text.rstrip("\r\n") + tail[len(tail.rstrip("\r\n")) :]
    middle = _within(text, head, tail)
    if middle is None:
        return None
    # White space that the file has around the hole is none of the filling's.
    middle = middle[_common(middle, before[len(head) :]) :]
    space = behind[: len(behind) - len(tail)]
    return middle[: len(middle) - _common(middle[::-1], space[::-1])]


def _within(text: str, before: str, behind: str) -> str | None:
    fits = len(text) >= len(before) + len(behind) and text.startswith(before) and text.endswith(behind)
    return text[len(before) : len(text) - len(behind)] if fits else None


def _common(text: str, other: str) -> int:
    """Return the length of the beginning that two texts share."""
    pairs = zip(text, other, strict=False)
    return next((at for at, (own, its) in enumerate(pairs) if own != its), min(len(text), len(other)))
