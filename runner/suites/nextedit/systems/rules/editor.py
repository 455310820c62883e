"""A system of rules: what the last edits did, done where it fits, without a model or a network.

After TRACE (Liu et al., ASE 2025), whose gate distinguishes renames, definitions with their uses, and clones before any
model is asked; here every rule names places with contents, which are ranked by how often such predictions are right.
"""

from collections.abc import Sequence

from runner.suites.nextedit.commits import Span
from runner.suites.nextedit.editor import EditorSession, Made, Place, Suggestion, is_sound
from runner.suites.nextedit.systems.baselines import Resting
from runner.suites.nextedit.systems.rules.analogy import change_line, paired_lines, segments_of, transfer
from runner.suites.nextedit.systems.rules.calls import new_arguments, new_parameters
from runner.suites.nextedit.systems.rules.clones import clones
from runner.suites.nextedit.systems.rules.imports import dangling_uses, missing_imports, unused_imports
from runner.suites.nextedit.systems.rules.insertion import repeated_insertions
from runner.suites.nextedit.systems.rules.ranking import RuleSet, Weighted
from runner.suites.nextedit.systems.rules.substitution import renames, substitutions

RULES = RuleSet(
    (
        Weighted(renames, 0.7, crowded=False),
        Weighted(substitutions, 0.7, least=0.75),
        Weighted(clones, 0.7),
        Weighted(repeated_insertions, 0.65, least=0.9),
        Weighted(unused_imports, 1.0),
        Weighted(missing_imports, 0.6),
        Weighted(dangling_uses, 0.7),
        Weighted(new_arguments, 1.0),
        Weighted(new_parameters, 1.0),
    ),
    look_back=2,
    fading=0.5,
    sharpness=3,
    few=8,
    least=0.25,
)
# The baseline: what the clone rule says, in its own order.
CLONES = RuleSet((Weighted(clones, 1.0),))
_MOST = 10


class Rules(Resting):
    """Predicts by rules from the last few edits, the latest weighing most."""

    def __init__(self, rules: RuleSet = RULES) -> None:
        """Take the rules to go by."""
        self._rules = rules

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        """The predictions of all rules, the surest first; none that overlaps a surer one."""
        chosen: list[Suggestion] = []
        for suggestion in self._rules.suggestions(session):
            if is_sound(suggestion, session.texts) and not any(_overlap(suggestion, other) for other in chosen):
                chosen.append(suggestion)
            if len(chosen) == _MOST:
                break
        return chosen

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:
        """What an edit did to like lines; for an insertion what was last inserted; else no answer."""
        if not place.before:
            inserted = (past_edit.edit.after for past_edit in reversed(session.past_edits) if not past_edit.edit.before)
            return next(inserted, session.past_edits[-1].edit.after)
        for past_edit in reversed(session.past_edits):
            lines = _replaced_alike(past_edit, place.before)
            if lines != place.before:
                return lines
        return None


def _overlap(left: Suggestion, right: Suggestion) -> bool:
    if left.path != right.path:
        return False
    mine, theirs = _grown(left.span), _grown(right.span)
    return mine.start < theirs.end and theirs.start < mine.end


def _grown(span: Span) -> Span:
    """An insertion takes up its place."""
    return span if span.end > span.start else Span(span.start, span.start + 1)


def _replaced_alike(past_edit: Made, lines: tuple[str, ...]) -> tuple[str, ...]:
    from rapidfuzz.fuzz import ratio

    edit = past_edit.edit
    if ratio("".join(edit.before).strip(), "".join(lines).strip()) > 80:
        return transfer(edit.after, edit.before, lines)
    result = list(lines)
    for old, new in paired_lines(edit.before, edit.after):
        segments = segments_of(old, new)
        for at, line in enumerate(result):
            changed = change_line(line, segments)
            if changed is not None:
                result[at] = changed.line
    return tuple(result)
