"""What a model with native calls is asked: nothing shows it the XML of tools, or the case is skipped by name."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from parsers.xml_tools_v2 import PARAMS, TOOLS
from prompts import PROMPTS, load
from runner.calls import native_name
from runner.suites.diff_edit.cases import load_cases
from runner.suites.diff_edit.native_history import NoNativeFormError, native_messages
from runner.suites.diff_edit.native_tools import native_request
from suts.anthropic_messages import messages_body
from suts.openai_chat import chat_body
from suts.openai_responses import responses_body
from suts.sut import Message, Request, Sampling

CASES = load_cases(Path(__file__).parents[4] / "cases" / "diff_edit").cases
BODIES: dict[str, Callable[[Request], dict[str, object]]] = {
    "chat": lambda request: chat_body("m", request, provider="vllm"),
    "responses": lambda request: responses_body("m", request),
    "messages": lambda request: messages_body("m", request),
}
ASSISTANT = "I look.\n\n<read_file>\n<path>a.py</path>\n</read_file>"
RESULT = "[read_file for 'a.py'] Result:\n\nx = 1\n\n\n<environment_details>\nnoon\n</environment_details>"
CONVERSATION = (Message("user", "Mend a.py."), Message("assistant", ASSISTANT), Message("user", RESULT))


@pytest.mark.parametrize("form", BODIES)
@pytest.mark.parametrize("prompt", ["basic", "strict"])
def test_no_native_request_shows_xml_of_tools(form: str, prompt: str) -> None:
    wording = load(native_name(prompt))
    for case in CASES:
        request = native_request(wording.render(case.details), case.messages, Sampling())
        sent = json.dumps(BODIES[form](request), ensure_ascii=False)

        tags = [f"<{mark}{name}>" for name in TOOLS for mark in ("", "/")]
        # A file may hold a tag that is also a parameter's name.
        tags += [f"<{name}>" for name in PARAMS if f"<{name}>" not in case.file_contents]
        assert [tag for tag in tags if tag in sent] == [], case.case_id
        assert "] Result:" not in sent, case.case_id


def test_every_call_and_every_file_of_the_shipped_cases_is_there() -> None:
    for case in CASES:
        messages = native_messages(case.messages)
        calls = [call for message in messages for call in message.calls]
        results = [result for message in messages for result in message.results]

        assert [call.id for call in calls] == [result.call_id for result in results]
        assert len(calls) >= sum("] Result:" in message.text for message in case.messages)
        shown = [result.text for result in results if case.file_contents.strip() in result.text]
        assert shown or case.file_contents.strip() in messages[0].text, case.case_id


def test_a_call_and_its_result_are_what_they_were_in_text() -> None:
    user, assistant, result = native_messages(CONVERSATION)

    assert user == CONVERSATION[0]
    assert assistant.text == "I look."
    assert [(call.name, call.input) for call in assistant.calls] == [("read_file", {"path": "a.py"})]
    assert [found.text for found in result.results] == ["x = 1\n"]
    assert result.text == "<environment_details>\nnoon\n</environment_details>"


def test_a_conversation_without_calls_stays_as_it_is() -> None:
    talk = (Message("user", "Which?"), Message("assistant", "The first."), Message("user", "Good."))

    assert native_messages(talk) == talk


@pytest.mark.parametrize(
    "messages,why",
    [
        pytest.param((*CONVERSATION[:1], Message("assistant", f"{ASSISTANT}\n{ASSISTANT}"), CONVERSATION[2]),
                     "messages[1] has several calls", id="several calls"),
        pytest.param((CONVERSATION[0], Message("assistant", ASSISTANT[:-5]), CONVERSATION[2]),
                     "messages[1] has a call that breaks off", id="half a call"),
        pytest.param((Message("user", "Use <replace_in_file> for it."), *CONVERSATION[1:]),
                     "messages[0] shows XML", id="a user's tag"),
        pytest.param(CONVERSATION[:2], "the last call has no result", id="no result"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_natively_says_why(messages: tuple[Message, ...], why: str) -> None:
    with pytest.raises(NoNativeFormError) as caught:
        native_messages(messages)

    assert why in str(caught.value)


def test_each_prompt_for_edits_by_tools_has_a_native_wording() -> None:
    edits = [name for name in PROMPTS if "/" not in name and "<replace_in_file>" in load(name).wording]

    assert {native_name(name) for name in edits} <= set(PROMPTS)
