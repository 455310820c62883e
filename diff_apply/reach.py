"""Whether a diff algorithm can make one text of another at all."""

from diff_apply import DIFF_ALGORITHMS
from diff_apply.generate import diff_of
from diff_apply.result import DiffError


def out_of_reach(before: str, after: str, algorithm: str) -> str:
    """Return why the diff generated from two texts does not give the second under a diff algorithm; "" if it does."""
    try:
        applied = DIFF_ALGORITHMS[algorithm](before, diff_of(before, after))
    except DiffError as error:
        return f"its generated diff is refused by {algorithm} ({error.reason})"
    return "" if applied.text == after else f"its generated diff gives another file under {algorithm}"
