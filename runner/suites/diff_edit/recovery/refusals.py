"""What goes back to a model after an edit that was refused, in the words of its edit tool."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from diff_apply.result import DiffError, Reason
from diff_apply.tools.refusal import Cause, EditError
from runner.edit_tools.foreign_result import ToolFailedError
from runner.edit_tools.tool import EditTool
from runner.json_texts import readable
from runner.records import Outcome, Scoring
from runner.run.diff_scoring import EDIT_TOOL
from runner.storage.rows import from_json
from runner.suites.diff_edit.cases import DiffEditCase

Reply = Callable[[DiffEditCase, Scoring], Awaitable[str | None]]
"""Maps a case and the scoring of an answer to it to what goes back; None where nothing was refused."""

_REFUSED: Final = frozenset({Outcome.NO_MATCH, Outcome.AMBIGUOUS, Outcome.MALFORMED_DIFF})
_UNREAD: Final = {
    Outcome.MISSING_DIFF: "the call has no edit in it",
    Outcome.TRUNCATED: "the call breaks off before its end",
    Outcome.BAD_ARGUMENTS: "the arguments are not those of the tool",
}


def refusal_of(scoring: Scoring) -> DiffError | None:
    """Return why an edit was refused, None where it was not: it was applied, or there was nothing to apply."""
    if scoring.outcome in _UNREAD:
        return EditError(Cause.BAD_PARAM, scoring.error_text or _UNREAD[scoring.outcome])
    if scoring.outcome not in _REFUSED:
        return None
    about = from_json(scoring.blocks, "column blocks of a refused edit") if scoring.blocks else {}
    words = scoring.error_text or str(scoring.outcome)
    if "cause" in about:
        return EditError(Cause(about["cause"]), words)
    return DiffError(Reason(about.get("reason", Reason.MALFORMED)), words)


def replying(tool: EditTool | None) -> Reply:
    """Return what says so for a tool; None stands for the default one, which also shows the file, as its product does.

    Where the program of a foreign tool fails nothing goes back.
    """

    async def reply(case: DiffEditCase, scoring: Scoring) -> str | None:
        refusal = refusal_of(scoring)
        if refusal is None:
            return None
        if tool is None:
            return readable(_with_file(case, refusal))
        try:
            # A program is waited for elsewhere, so that it holds up no stream.
            words = await asyncio.to_thread(tool.explain, refusal) if tool.foreign else tool.explain(refusal)
        except ToolFailedError:
            return None
        return readable(words)

    return reply


def headed(case: DiffEditCase, words: str) -> str:
    """Return the result of a call in the text, below the line by which its product names the call."""
    return f"[{EDIT_TOOL} for '{case.file_path}'] Result:\n{words}"


def _with_file(case: DiffEditCase, refusal: DiffError) -> str:
    return (
        f"The edit was refused, and the file is as it was: {refusal}\n\n"
        f'<file_content path="{case.file_path}">\n{case.file_contents}\n</file_content>\n\n'
        f"Correct the edit and send it once more. SEARCH has to be the text of the file, letter by letter."
    )
