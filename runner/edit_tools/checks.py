"""The checked form of a tool: it refuses an edit that would damage what the edit is not about."""

from collections import Counter
from dataclasses import dataclass

from diff_apply.result import Applied
from diff_apply.tools.refusal import Cause, EditError
from runner.edit_tools.application import Edit


@dataclass(frozen=True, slots=True)
class CheckedAlgorithm:
    """A tool's application, refused where it alters lines in what the tool does not show: ends, tabs, copies."""

    edit: Edit

    def __call__(self, original: str, diff: str, *, final: bool = True) -> Applied:  # noqa: ARG002 - the Protocol has it
        """Return the file after a call. Raises EditError."""
        edited = self.edit(original, diff)
        for is_damaged, what in (
            (_lost(original, edited, "\r"), "line ends of lines that it leaves alone"),
            (_lost(original, edited, "\t"), "tabs of lines that it leaves alone"),
            (_repeats(original, edited), "several places at once"),
        ):
            if is_damaged:
                raise EditError(Cause.DAMAGE, f"the tool would change {what}; nothing was changed")
        return Applied(edited)


def _lost(original: str, edited: str, character: str) -> bool:
    """Whether lines are the same but for a character that they had: of CR, at their end, or of tabs, expanded."""
    if character not in original:
        return False
    before, after = Counter(original.split("\n")), Counter(edited.split("\n"))
    lost, new = before - after, after - before
    return any(character in line and _plain(line) in new for line in lost)


def _plain(line: str) -> str:
    return line.removesuffix("\r").expandtabs()


def _repeats(original: str, edited: str) -> bool:
    """Whether there is one replacement at several places: the same lines went and the same came, twice or more."""
    from diff_apply.changes import changes

    before, after = original.split("\n"), edited.split("\n")
    counts = Counter(
        (tuple(before[change.start : change.end]), tuple(after[change.begin : change.stop]))
        for change in changes(before, after)
    )
    return any(count > 1 and any(line.strip() for line in old) for (old, _), count in counts.items())
