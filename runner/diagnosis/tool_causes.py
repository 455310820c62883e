"""Why an edit tool refused an edit: what it would have to forgive where it searches for a text, else its own cause."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

from diff_apply.tools.refusal import Cause
from parsers.forms.answers import EDITOR_NAMES, FORMS, OPENCODE_NAMES
from parsers.forms.call_tags import tagged_values
from runner.calls import is_foreign
from runner.diagnosis.causes import Unforgivable
from runner.diagnosis.failure import Diagnosis, FailedDiff, diagnose_diff


def is_of_tool(parser: str | None) -> bool:
    """Return whether answers that are read so are in the form of an edit tool, which has no SEARCH/REPLACE blocks."""
    return parser is not None and (parser in FORMS or is_foreign(parser))


def diagnose_call(failed: FailedDiff, blocks: object) -> Diagnosis:
    """Return why the edit of a tool failed; `blocks` is what is on record of its refusal, or of what it applied."""
    if failed.edited is not None:
        return Diagnosis(Unforgivable.WRONG_INTENT)
    as_blocks = _SEARCHES.get(failed.algorithm.removesuffix("+"))
    diff = as_blocks(failed.diff) if as_blocks else ""
    if diff:
        lenient = diagnose_diff(replace(failed, diff=diff))
        if isinstance(lenient.cause, tuple):
            return lenient
    cause = blocks.get("cause") if isinstance(blocks, dict) else None
    with suppress(ValueError):
        return Diagnosis(Cause(str(cause)))
    # What foreign tools and earlier versions left no cause of.
    return Diagnosis(Unforgivable.UNEXPLAINED)


def _replacement(names: tuple[str, ...], old: str, new: str) -> Callable[[str], str]:
    def as_blocks(call: str) -> str:
        """Return the replacement of a call as a block; "" where it has none."""
        values = tagged_values(call, names)
        search, replacement = (values.get(name, "").strip("\n") for name in (old, new))
        return f"------- SEARCH\n{search}\n=======\n{replacement}\n+++++++ REPLACE\n" if search else ""

    return as_blocks


# The tools that search for a text of whole lines, and their calls as blocks.
_SEARCHES: Final[dict[str, Callable[[str], str]]] = {
    "aider-diff": str,
    "text-editor": _replacement(EDITOR_NAMES, "old_str", "new_str"),
    "opencode-edit": _replacement(OPENCODE_NAMES, "oldString", "newString"),
}
