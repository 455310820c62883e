"""How far the predictions of rules are to be believed: what ranks them, and which are too unsure to be made.

A rule's confidence says how well a place fits. How often such a prediction is right also depends on the rule, on how
many other places fit as well, and on how long ago the edit was made that it follows: what was passed over once is
passed over again. The numbers were measured on commits of two repositories (docs/nextedit.md).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from runner.suites.nextedit.editor import EditorSession, Made, Suggestion

Rule = Callable[[Made, EditorSession], Iterable[Suggestion]]


@dataclass(frozen=True, slots=True)
class Weighted:
    """A rule and the share of its predictions that are right where it is surest, 0 to 1.

    Below the confidence `least` it predicts nothing. `crowded` is whether many places that fit make each unlikely.
    """

    rule: Rule
    weight: float
    least: float = 0.0
    crowded: bool = True


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Rules, and what becomes of their confidences.

    The last `look_back` edits are followed, each `fading` times as likely as the one after it. A confidence is raised
    to the power of `sharpness`; where more than `few` places fit, it is divided by the square of how many times as many
    do. What then is below `least` is not predicted.
    """

    rules: Sequence[Weighted]
    look_back: int = 4
    fading: float = 0.9
    sharpness: int = 1
    few: int | None = None
    least: float = 0.0

    def suggestions(self, session: EditorSession) -> list[Suggestion]:
        """The predictions that are sure enough, the surest first; several may be of one place."""
        return sorted(self._weighed(session), key=lambda item: -(item.confidence or 0.0))

    def _weighed(self, session: EditorSession) -> Iterator[Suggestion]:
        for age, past_edit in enumerate(reversed(session.past_edits[-self.look_back :])):
            for weighted in self.rules:
                places = [place for place in weighted.rule(past_edit, session) if _sureness(place) >= weighted.least]
                factor = weighted.weight * self.fading**age * self._thinned(weighted, len(places))
                for place in places:
                    confidence = factor * _sureness(place) ** self.sharpness
                    if confidence >= self.least:
                        yield replace(place, confidence=confidence)

    def _thinned(self, weighted: Weighted, places: int) -> float:
        if self.few is None or not weighted.crowded or places <= self.few:
            return 1.0
        return (self.few / places) ** 2


def _sureness(suggestion: Suggestion) -> float:
    return suggestion.confidence or 0.0
