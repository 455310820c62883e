"""The right answers with each edit tool for the server of simulated models, written when a tool is first asked for.

A request says by its system prompt which tool it is about and how that is called. The checked form of a tool has the
prompt of its original, and so its answers.
"""

from collections.abc import Iterable, Mapping
from functools import cache

from runner.edit_tools import EDIT_TOOLS, native
from runner.edit_tools.history import UnrenderableError
from runner.edit_tools.prompt import HEADING, section_of
from runner.edit_tools.tool import EditTool
from runner.storage.ledger import LaneKey, Question
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.sim_truth import truth_of
from runner.suites.diff_edit.tools import ToolChoice, messages_for
from suts.simulated.question import conversation_digest
from suts.sut import Truth


class ServedTools:
    """The truths of some cases by tool; what is asked for once is kept."""

    def __init__(self, cases: Iterable[DiffEditCase]) -> None:
        """Write nothing yet."""
        known = tuple(cases)
        plain = [tool for name, tool in EDIT_TOOLS.items() if not name.endswith("+")]
        tools = {tool.prompt_name: tool for tool in (*plain, *map(native, plain))}
        self._prompts = {section_of(tool): prompt for prompt, tool in tools.items()}

        @cache
        def cases_of(prompt: str) -> Mapping[str, DiffEditCase]:
            return {digest: case for case in known if (digest := _digest(case, tools[prompt]))}

        @cache
        def truth(prompt: str, digest: str) -> Truth | None:
            case = cases_of(prompt).get(digest)
            if case is None:
                return None
            choice = ToolChoice({prompt: tools[prompt]}, has_default=False)
            return truth_of([case], 0, choice)(Question(LaneKey("", prompt, case.case_id)))

        self._truth = truth

    def __call__(self, system: str, conversation: str) -> Truth | None:
        """Return the truth of a request by its system prompt and the digest of its conversation; None if unknown."""
        if HEADING not in system:
            return None
        prompt = next((prompt for section, prompt in self._prompts.items() if section in system), None)
        return None if prompt is None else self._truth(prompt, conversation)


def _digest(case: DiffEditCase, tool: EditTool) -> str:
    """Return the digest of a case's conversation as the tool has it, "" where it cannot be written."""
    try:
        return conversation_digest(text for message in messages_for(case, tool) for text in message.texts)
    except UnrenderableError:
        return ""
