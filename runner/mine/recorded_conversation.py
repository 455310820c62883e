"""Conversations of recorded sessions as cases have them: calls as XML, and each result right behind its call."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from diff_apply.generate import diff_of
from runner.audit.answers import blocks_of
from runner.recordings.vocabulary import AgentCall, AgentSession, CallKind, CallStatus

_WHOLE = "<write_to_file>\n<path>{path}</path>\n<content>\n{text}\n</content>\n</write_to_file>"
_DIFF = "<replace_in_file>\n<path>{path}</path>\n<diff>\n{diff}\n</diff>\n</replace_in_file>"
_READ = "<read_file>\n<path>{path}</path>\n</read_file>"
_SHELL = "<execute_command>\n<command>{command}</command>\n</execute_command>"


@dataclass(frozen=True, slots=True)
class EditRequest:
    """An editing call, the conversation up to it, and the words of the answer that it is in."""

    call: AgentCall
    messages: tuple[Mapping[str, str], ...]
    words: str


def edit_requests(session: AgentSession, chosen: frozenset[str]) -> Iterator[EditRequest]:
    """Yield the calls of these ids, each with its conversation, in the order of the recording."""
    calls = {call.call_id: call for call in session.calls}
    threads: dict[str, _Conversation] = {}
    for turn in session.turns:
        conversation = threads.setdefault(turn.thread, _Conversation())
        call = calls.get(turn.call_id) if turn.call_id else None
        if call is None:
            conversation.add(turn.role, turn.text)
            continue
        if call.call_id in chosen:
            yield EditRequest(call, *conversation.until_answer())
        if call.status is not CallStatus.NO_RESULT:
            conversation.add("assistant", call_text(call))
            conversation.add("user", _result(call))


class _Conversation:
    """The messages so far; what one side writes in a row is one message."""

    def __init__(self) -> None:
        self._messages: list[Mapping[str, str]] = []

    def add(self, role: str, text: str) -> None:
        if not text.strip():
            return
        if self._messages and self._messages[-1]["role"] == role:
            text = f"{self._messages.pop()['text']}\n\n{text}"
        self._messages.append({"role": role, "text": text})

    def until_answer(self) -> tuple[tuple[Mapping[str, str], ...], str]:
        """Return the messages up to the last one of the user, and what the assistant has written since."""
        messages = self._messages
        if messages and messages[-1]["role"] == "assistant":
            return tuple(messages[:-1]), messages[-1]["text"]
        return tuple(messages), ""


def call_text(call: AgentCall) -> str:
    """Return a call as it stands in an answer."""
    path = call.paths[0] if call.paths else ""
    match call.kind:
        case CallKind.READ if path:
            return _READ.format(path=path)
        case CallKind.SHELL:
            return _SHELL.format(command=call.command)
        case CallKind.WRITE if path:
            return _WHOLE.format(path=path, text=call.content)
        case CallKind.EDIT | CallKind.PATCH if path and (diff := diff_text(call)):
            return edit_text(path, diff)
    return f"I call {call.tool}{f' for {path}' if path else ''}."


def edit_text(path: str, diff: str) -> str:
    """Return an edit by SEARCH/REPLACE blocks as it stands in an answer."""
    return _DIFF.format(path=path, diff=diff.removesuffix("\n"))


def diff_text(call: AgentCall) -> str:
    """Return an edit as SEARCH/REPLACE blocks, as it was called, else as its file changed; "" for neither."""
    if request := blocks_of(call):
        return request
    if len(call.touched) != 1:
        return ""
    before, after = call.touched[0].before.text, call.touched[0].after.text
    return diff_of(before, after) if before is not None and after is not None and before != after else ""


def _result(call: AgentCall) -> str:
    names = {CallKind.READ: "read_file", CallKind.SHELL: "execute_command", CallKind.WRITE: "write_to_file"}
    name = names.get(call.kind, "replace_in_file" if call.kind in (CallKind.EDIT, CallKind.PATCH) else call.tool)
    of = f" for '{call.paths[0]}'" if call.paths else ""
    return f"[{name}{of}] Result:\n\n{call.answer}"
