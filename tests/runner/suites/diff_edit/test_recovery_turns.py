"""The turns of one attempt: what goes back, what is on record between turns, and what ends them."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from diff_apply.result import DiffError
from diff_apply.tools.refusal import EditError
from parsers import PARSERS
from parsers.transcript import Transcriber
from prompts import load
from runner.edit_tools import EDIT_TOOLS
from runner.edit_tools.foreign_result import ToolFailedError
from runner.records import Outcome, Result, Scoring
from runner.run.answer_scoring import AnswerScoring
from runner.run.engine import Lane
from runner.run.lanes import resume_lanes
from runner.run.protocols import Ask
from runner.run.resolve import choose_algorithms, choose_parser
from runner.run.session import Session, SessionEnd, lane_keys, run_session
from runner.storage.store import Store
from runner.suites.diff_edit.asked_prompts import DiffEdit
from runner.suites.diff_edit.recovery.asking import Recovery
from runner.suites.diff_edit.recovery.conversation import in_product_text, natively
from runner.suites.diff_edit.recovery.refusals import replying
from suts.simulated.book import truth_book
from suts.sut import ErrorKind, Message, Request, Sampling, SutError, Truth
from suts.tools import ToolResult, ToolUse
from tests.runner.contexts import Contexts, Deaf
from tests.runner.made_runs import SUT, make_run
from tests.runner.made_runs import plan as made_plan
from tests.runner.scripted import Script, Scripted, whole
from tests.runner.suites.made_cases import AFTER, block, call, case_of
from tests.runner.virtual_time import now_ns, virtually


def found(row: dict[str, Any]) -> list[str]:
    """The outcomes of the turns of an attempt on record."""
    return [row["outcome"], *(turn["outcome"] for turn in json.loads(row["detail"] or "{}").get("turns", ()))]


BAD, GOOD = whole(call(block("not there")), 10, 5), whole(call(), 10, 5)
CASE = case_of(expected=(AFTER,), case_id="a")


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store, planned=made_plan(cases="a"))
    return Contexts(store)


def session(contexts: Contexts, *scripts: Script, turns: int = 2) -> tuple[SessionEnd, Scripted]:
    """One session of a run whose only case is asked for one valid attempt."""
    parser, algorithms = choose_parser("xml-tools-v2", print), choose_algorithms(("v4",), print)
    scoring = AnswerScoring(parser, algorithms)
    recovery = Recovery(turns, scoring, replying(None), in_product_text)
    prompt = DiffEdit(load("basic"), Sampling(), scoring, recovery=recovery)

    async def attempt(_lane: Lane, ask: Ask, number: int) -> Result:
        return await prompt.attempt(CASE, ask, number)

    lanes = [Lane(key, 1, 10) for key in lane_keys((SUT,), ["basic"], ["a"])]
    resume_lanes(contexts.store, "r1", lanes)
    sut = Scripted(list(scripts), now_ns, name=SUT)
    session = Session(lanes, attempt, (sut,), PARSERS["xml-tools-v2"], slots=4)
    return virtually(run_session(session, contexts.new(), Deaf())), sut


def turns_on_record(contexts: Contexts) -> list[tuple[int, int, str]]:
    return [(row["step"], row["try"], row["outcome"]) for row in contexts.answers()]


def test_the_error_goes_back_as_the_result_of_the_call_below_the_answer(contexts: Contexts) -> None:
    end, sut = session(contexts, BAD, GOOD)

    first, second = (request.messages for request in sut.asked)
    assert end.exit_code == 0
    assert second[:-2] == first
    assert [message.role for message in second[-2:]] == ["assistant", "user"]
    assert second[-2].text == call(block("not there"))
    assert second[-1].text.startswith("[replace_in_file for 'src/a.txt'] Result:\nThe edit was refused")
    assert f'<file_content path="src/a.txt">\n{CASE.file_contents}\n</file_content>' in second[-1].text
    assert [row["reserved_usd"] > 0 and row["cost_usd"] > 0 for row in contexts.calls()] == [True, True]


def test_a_stop_between_turns_resumes_at_the_turn(contexts: Contexts) -> None:
    lost = SutError(ErrorKind.AUTH, "401", retryable=False)
    stopped, before = session(contexts, BAD, BAD, [lost])
    resumed, after = session(contexts, GOOD)

    assert (stopped.complete, len(before.asked)) == (False, 3)
    assert (resumed.exit_code, len(after.asked)) == (0, 1)
    assert len(after.asked[0].messages) == len(CASE.messages) + 4
    assert turns_on_record(contexts) == [
        (0, 1, "answered"), (1, 1, "answered"), (2, 1, "sut_error"), (2, 2, "answered"),
    ]  # fmt: skip
    (row,) = contexts.store.rows("SELECT outcome, detail FROM scorings")
    assert found(dict(row)) == ["no_match", "no_match", "applied"]


def test_a_conversation_that_has_become_too_long_ends_with_the_turns_that_it_has(contexts: Contexts) -> None:
    end, _ = session(contexts, BAD, [SutError(ErrorKind.CONTEXT, "too long", retryable=False)])

    (row,) = contexts.store.rows("SELECT outcome, detail FROM scorings")
    assert (end.complete, row["outcome"]) == (True, "no_match")
    assert json.loads(row["detail"]) == {"turns": [], "stopped": {"after": 1, "why": "nothing more was asked"}}


def test_an_answer_without_an_edit_ends_the_turns(contexts: Contexts) -> None:
    _, sut = session(contexts, BAD, whole("I do not know.", 10, 5))

    (row,) = contexts.store.rows("SELECT outcome, valid, detail FROM scorings")
    assert (len(sut.asked), row["valid"]) == (2, 1)
    assert found(dict(row)) == ["no_match", "no_call"]


@pytest.mark.parametrize(
    "arguments, sent",
    [
        pytest.param('{"path": "a", "diff": "x"}', '{"path": "a", "diff": "x"}', id="as-they-were"),
        pytest.param('{"path": "a", "dif', "{}", id="no-json"),
        pytest.param('["a"]', "{}", id="no-object"),
    ],
)
def test_natively_the_error_is_the_result_of_the_call_by_its_id(arguments: str, sent: str) -> None:
    transcriber = Transcriber()
    answer = transcriber.prose("I will.") + transcriber.call(0, "replace_in_file", arguments)

    request = natively(CASE, Request("", CASE.messages), answer, "It was refused.")

    said, result = request.messages[-2:]
    assert (said.role, said.text, said.calls) == ("assistant", "I will.", (ToolUse("call_1", "replace_in_file", sent),))
    assert (result.role, result.text) == ("user", "")
    assert result.results == (ToolResult("call_1", "It was refused.", is_error=True),)


def test_the_program_of_a_tool_words_its_refusals_and_one_that_fails_sends_nothing_back() -> None:
    scoring = Scoring(
        Outcome.NO_MATCH, valid=True, error_text="not there", blocks='{"reason":"no_match","cause":"stale_hash"}'
    )
    causes = list[str]()

    def explain(error: DiffError) -> str:
        assert isinstance(error, EditError)
        causes.append(error.cause)
        if len(causes) > 1:
            raise ToolFailedError("it died")
        return f"{error}, half a pair: \ud800"

    tool = replace(EDIT_TOOLS["hashline"], explain=explain)

    async def said_twice() -> list[str | None]:
        return [await replying(tool)(CASE, scoring) for _ in range(2)]

    said = asyncio.run(said_twice())

    assert said == ["not there, half a pair: ?", None]
    assert causes == ["stale_hash", "stale_hash"]


def test_the_server_knows_a_conversation_that_goes_on_after_refused_edits() -> None:
    known = Truth("c", number=1)
    book = truth_book([((Message("user", "Shout two."), Message("assistant", ""), Message("user", "Now.")), known)])
    texts = ["Shout two.", "Now."]

    def repairs(*more: str) -> tuple[str, int]:
        truth = book.find_followed([*texts, *more], "", 3)
        return truth.case_id, truth.repairs

    assert repairs() == ("c", 0)
    assert repairs("I will.", "It was refused.") == ("c", 1)
    assert repairs("", "It was refused.") == ("c", 1)
    assert repairs("I will.", "It was refused.", "I will.", "It was refused.") == ("c", 2)
    assert book.find_followed(["Another.", *texts], "", 3).case_id.startswith("unknown-")
