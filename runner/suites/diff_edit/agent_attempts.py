"""How a coding agent is asked to edit the file of a case."""

from prompts import Prompt
from runner.records import Result
from runner.run.engine import Lane
from runner.run.protocols import Ask, Attempt
from runner.run.tree_scoring import path_in_folder, tree_scoring
from runner.suites.diff_edit.cases import DiffEditCase
from suts.agent_parts import WorkingFolder
from suts.sut import Message, Request, Sampling

PROMPT = Prompt(
    "agent",
    "Edit one file in your working folder, as the conversation below asks. Change no other file, and make none. "
    "Nobody can answer questions: decide yourself, and end when the file is as it is to be.",
)


def task_of(case: DiffEditCase) -> str:
    """Return the task of an agent."""
    turns = "\n\n".join(f"{message.role.capitalize()}:\n{message.text}" for message in case.messages)
    return f"{PROMPT.wording}\n\nThe file: {path_in_folder(case)}\n\n{turns}\n"


def agent_attempts(cases: tuple[DiffEditCase, ...], sampling: Sampling) -> Attempt:
    """Return how one attempt of an agent is made and scored."""
    known = {case.case_id: case for case in cases}

    async def attempt_lane(lane: Lane, ask: Ask, number: int) -> Result:
        case = known[lane.key.case_id]
        folder = WorkingFolder({path_in_folder(case): case.file_contents}, case.case_id, number)
        request = Request("", (Message("user", task_of(case)),), sampling, folder=folder)
        completion = await ask(request, number=number)
        scoring = tree_scoring(case, completion)
        return Result(scoring.valid, (scoring,), completion.cost_usd)

    return attempt_lane
