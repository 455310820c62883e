"""The same planted edits with each edit tool, in the text and natively over every wire: the same outcomes and files."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.forms.native_form import NATIVE_FORMS
from runner.calls import CALLS, NATIVE
from runner.edit_tools.tool import EditTool
from runner.records import Completion, Outcome, Scoring
from runner.run.diff_scoring import score_answer
from runner.storage.ledger import LaneKey, Question
from runner.storage.streams import AnswerReader, read_again
from runner.suites.diff_edit.cases import DiffEditCase, load_cases
from runner.suites.diff_edit.sim_truth import truth_of
from runner.suites.diff_edit.tool_truth import transcript_of
from runner.suites.diff_edit.tools import choose_tools, declared_by, messages_for
from suts.settings import Settings
from suts.simulated import simulated
from suts.simulated.calls import NativeCall
from suts.simulated.spec import FAILURES, WireName
from suts.sut import Received, Request, Truth
from suts.wires import WIRES
from tests.runner.suites.made_cases import case_of

NAMES = [*NATIVE_FORMS]
OVER: tuple[WireName, ...] = ("openai-chat", "openai-responses", "anthropic-messages")
BEFORE = "".join(f"value_{at} = compute({at})  # é😀\n" for at in range(12)) + "pass\npass\n"
AFTER = BEFORE.replace("compute(5)", 'compute("\\t55")')
MADE = case_of(BEFORE, expected=(AFTER,))
ANY = "any?valid=0.5&applied=0.4&ttft_ms=9&piece=7"
every_tool = pytest.mark.parametrize("name", NAMES)
every_wire = pytest.mark.parametrize("wire", OVER)


@cache
def asked(name: str, case: DiffEditCase) -> dict[str, tuple[EditTool, Truth]]:
    """The tool and the truth of a case, by how it is called."""
    choice = choose_tools([name], lambda _names: {}, calls=CALLS)
    truths = truth_of([case], 0, choice)
    found = {}
    for calls, (prompt, tool) in zip(CALLS, choice.tools.items(), strict=True):
        truth = truths(Question(LaneKey("m", prompt, case.case_id)))
        assert truth is not None
        found[calls] = tool, truth
    return found


def pieces(name: str, case: DiffEditCase, number: int, model: str, calls: str) -> list[Received]:
    """The stream of an answer, in virtual time from 0."""
    tool, truth = asked(name, case)[calls]
    request = Request("Edit.", messages_for(case, tool), truth=replace(truth, number=number), tools=declared_by(tool))
    sut = simulated(f"{model}&time=virtual", Settings(now_ns=lambda: 0))

    async def received() -> list[Received]:
        return [piece async for piece in sut.stream(request)]

    return asyncio.run(received())


def answer_of(tool: EditTool, arguments: str) -> Completion:
    return Completion(transcript_of([NativeCall(tool.declaration.name, arguments)]), finish_reason="stop")


def read(stream: list[Received], wire: str, tool: EditTool) -> Completion:
    reading = AnswerReader(WIRES[wire].decoder(), tool.parser.start(), 0)
    for piece in stream:
        reading.feed(piece)
    reading.end(stream[-1].at_ns)
    return reading.completion()


def scored(name: str, case: DiffEditCase, number: int, model: str, wire: str, calls: str) -> Scoring:
    tool = asked(name, case)[calls][0]
    answer = read(pieces(name, case, number, f"{model}&wire={wire}", calls), wire, tool)
    (scoring,) = score_answer(case, answer, (tool.form_name, tool.parser), {tool.name: tool.algorithm}, "strict")
    return scoring


def check_agreement(name: str, case: DiffEditCase, numbers: range, wire: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for number in numbers:
        text, native = (scored(name, case, number, ANY, wire, calls) for calls in CALLS)
        assert (native.outcome, native.edited) == (text.outcome, text.edited), (name, case.case_id, number)
        assert (native.equals_expected, native.valid) == (text.equals_expected, text.valid)
        found[native.outcome] += 1
    return found


@every_wire
@every_tool
def test_outcomes_and_files_are_those_of_calls_in_the_text(name: str, wire: str) -> None:
    found = check_agreement(name, MADE, range(1, 11), wire)

    assert found["applied"]
    assert len(found) >= 3


@pytest.mark.slow
@every_wire
@every_tool
def test_so_they_are_for_shipped_cases(name: str, wire: str) -> None:
    cases = load_cases(Path("cases/diff_edit")).cases[::3]

    found = [check_agreement(name, case, range(1, 3), wire) for case in cases]

    assert [counts.total() for counts in found] == [2] * len(cases)


@every_wire
@every_tool
def test_clocks_are_those_of_the_pieces_that_begin_and_end_the_call(name: str, wire: str) -> None:
    tool = asked(name, MADE)[NATIVE][0]
    stream = pieces(name, MADE, 1, f"any?valid=1&applied=1&piece=9&ttft_ms=50&gap_ms=7&wire={wire}", NATIVE)
    answer = read(stream, wire, tool)

    times = [piece.at_ns for piece in stream if piece.data]
    begun = next(piece.at_ns for piece in stream if f'"{tool.declaration.name}"'.encode() in piece.data)
    assert answer.clocks.first_edit_ms == begun // 1000 / 1000
    assert answer.clocks.closed_ms == times[-2] // 1000 / 1000
    assert answer.clocks.first_line_ms is not None
    assert answer.clocks.first_edit_ms < answer.clocks.first_line_ms <= answer.clocks.closed_ms
    assert read_again(answer.stream, WIRES[wire].decoder(), tool.parser.start()) == answer


@every_tool
def test_other_arguments_than_declared_are_an_outcome_of_their_own(name: str) -> None:
    others = "&".join(f"{other}=0" for other in FAILURES if other != "bad_arguments")

    scoring = scored(name, MADE, 1, f"any?valid=1&applied=0&bad_arguments=1&{others}", "openai-chat", NATIVE)

    assert (scoring.outcome, scoring.valid) == (Outcome.BAD_ARGUMENTS, True)
    assert scoring.error_text == "the tool has no argument 'file'"


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just("\ud800")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(("loc", "range")), inner)),
    max_leaves=4,
)


@every_tool
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_hostile_arguments_have_an_outcome(name: str, data: st.DataObject) -> None:
    tool = asked(name, MADE)[NATIVE][0]
    kinds = [kind for kind, _ in NATIVE_FORMS[name].kinds]
    values = data.draw(st.dictionaries(st.sampled_from([*kinds, "other"]), VALUES))
    values |= {"path": MADE.file_path} if data.draw(st.booleans()) else {}
    arguments = json.dumps(values)[: data.draw(st.integers(0, 400))]

    (scoring,) = score_answer(MADE, answer_of(tool, arguments), (tool.form_name, tool.parser),
                              {name: tool.algorithm}, "strict")  # fmt: skip

    assert scoring.outcome is not Outcome.CRASHED, scoring.error_text


@pytest.mark.parametrize(
    "name, arguments, why",
    [
        pytest.param("text-editor", '{"path":"a","insert_line":"4"}', "insert_line: no whole number", id="text"),
        pytest.param("text-editor", '{"path":"a","insert_line":true}', "insert_line: no whole number", id="bool"),
        pytest.param("opencode-edit", '{"path":"src/a.txt","replaceAll":1}', "replaceAll: no truth value", id="number"),
        pytest.param("hashline", '{"path":"src/a.txt","edits":["a"]}', "edits: no list of objects", id="list"),
        pytest.param("aider-diff", '{"input":["a"]}', "input: no string", id="no text"),
        pytest.param("v4a", '{"path":"src/a.txt","diff":"a\nb"}', "the arguments are not JSON", id="no JSON"),
        pytest.param("line-range", '{"path":"src/a.txt","start_line":1.5,"new_text":2}',
                     "new_text: no string; start_line: no whole number", id="several"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_arguments_is_told(name: str, arguments: str, why: str) -> None:
    tool = asked(name, MADE)[NATIVE][0]

    (scoring,) = score_answer(
        MADE, answer_of(tool, arguments), (tool.form_name, tool.parser), {name: tool.algorithm}, "strict"
    )

    assert scoring.outcome is Outcome.BAD_ARGUMENTS
    assert why in (scoring.error_text or "")
