"""A served model answers with each edit tool, in the text and natively over each wire, what one in process answers."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from parsers.forms.native_form import NATIVE_FORMS
from runner.calls import CALLS, NATIVE
from runner.cli.serve_sim import book_of
from runner.edit_tools.prompt import prompt_of
from runner.records import Completion
from runner.run.diff_scoring import score_answer
from runner.selftest.trial_plan import vendors_at
from runner.storage.ledger import LaneKey, Question
from runner.storage.streams import AnswerReader
from runner.suites.diff_edit.sim_truth import truth_of
from runner.suites.diff_edit.tools import ToolChoice, choose_tools, declared_by, messages_for
from suts.registry import resolve
from suts.settings import Settings
from suts.simulated.config import ServerConfig
from suts.simulated.models import plan
from suts.simulated.server import RunningServer, serving
from suts.simulated.spec import parse_spec
from suts.sut import Request, Sut
from tests.runner.suites.made_cases import case_of

BEFORE = "".join(f"value_{at} = compute({at})\n" for at in range(12)) + "pass\npass\n"
CASE = case_of(BEFORE, expected=(BEFORE.replace("compute(5)", "compute(55)"),))
MODEL = "any?valid=0.5&applied=0.4&ttft_ms=1&gap_ms=0&piece=300"
PROVIDERS = ("openai", "openai-responses", "anthropic")


@pytest.fixture
async def server() -> AsyncIterator[RunningServer]:
    async with serving(ServerConfig(book=book_of([CASE]))) as running:
        yield running


async def answered(sut: Sut, request: Request, choice: ToolChoice) -> Completion:
    (tool,) = choice.tools.values()
    reading = AnswerReader(sut.wire.decoder(), tool.parser.start(), 0)
    async for piece in sut.stream(request):
        if reading.feed(piece):
            break
    reading.end(0)
    return reading.completion()


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("calls", CALLS)
async def test_a_served_answer_is_that_of_the_tool_that_the_request_is_about(
    server: RunningServer, provider: str, calls: str
) -> None:
    sut = resolve(f"{provider}/{MODEL}", Settings(environment=vendors_at(server.url)))
    for name in NATIVE_FORMS:
        choice = choose_tools([name], lambda _names: {}, calls=[calls])
        ((prompt, tool),) = choice.tools.items()
        truth = truth_of([CASE], 0, choice)(Question(LaneKey("m", prompt, CASE.case_id)))
        assert truth is not None
        request = Request(prompt_of(tool).render(CASE.details), messages_for(CASE, tool), tools=declared_by(tool))

        for number in (1, 2):
            answer = await answered(sut, request, choice)

            planned = plan(parse_spec(MODEL), replace(truth, number=number))
            (scoring,) = score_answer(CASE, answer, (tool.form_name, tool.parser), {name: tool.algorithm}, "strict")
            assert scoring.outcome == planned.outcome, (name, number)
            assert bool(planned.calls) is (calls == NATIVE and planned.outcome != "no_call")
            assert all(call.arguments in answer.text for call in planned.calls)
            assert answer.text.endswith(planned.text) or planned.calls
    await sut.aclose()
