"""The line diff of two texts by diff-match-patch, cleaned up as Aider does: semantically, then by efficiency."""

import sys

_SIGNS = {-1: "-", 0: " ", 1: "+"}
# Pairs of lines; diff-match-patch compares all of them at worst.
_MOST_PAIRS = 4_000_000


def line_diff(before: str, after: str) -> list[str]:
    """Return the lines of both texts, each after " ", "-" or "+"; none where the texts are too long to be compared."""
    from diff_match_patch import diff_match_patch

    if (before.count("\n") + 1) * (after.count("\n") + 1) > _MOST_PAIRS:
        return []
    tool = diff_match_patch()
    codes, others, lines = tool.diff_linesToChars(before, after)
    # A deadline in time would make results depend on the machine.
    script = tool.diff_main(codes, others, checklines=False, deadline=sys.maxsize)
    tool.diff_cleanupSemantic(script)
    tool.diff_cleanupEfficiency(script)
    tool.diff_charsToLines(script, lines)
    return [_SIGNS[sign] + line for sign, text in script for line in text.splitlines(keepends=True)]
