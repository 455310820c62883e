"""What a module reports of an answer beside its predictions: tokens, cost, times to its first token and first edit."""

from collections.abc import Mapping
from typing import cast

from runner.suites.nextedit.editor import EditorError, Mishap
from suts.wires.fields import amount
from suts.wires.reported import usage_of

# The key of an answer, beside the paths of files.
REPORT = "$report"
FIRST_TOKEN = "first_token_ms"  # noqa: S105 - a clock
# Only with the first token.
FIRST_EDIT = "first_edit_ms"


def checked_report(report: object, key: str = REPORT) -> Mapping[str, float | None]:
    """Return the report that stands under this key of an answer. Raises EditorError for one in another form."""
    fields = dict(report) if isinstance(report, dict) else report
    try:
        if isinstance(fields, dict):
            amount(fields.pop(FIRST_TOKEN, None))
            amount(fields.pop(FIRST_EDIT, None))
        usage_of(fields, 0)
    except (TypeError, ValueError) as error:
        raise EditorError(Mishap.NONSENSE, f"the {key} of its answer is malformed: {error}") from error
    return cast("Mapping[str, float | None]", report)
