"""Systems without a model in the ledger: what they answer to a step is kept as JSON, like the answers of models.

So an interrupted commit goes on at its step, and whatever reads a run reads them too. A system that fails has answered
with its reason.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from runner.json_texts import stored_json
from runner.records import Outcome
from runner.run.protocols import Ask
from runner.suites.nextedit.answers import FILL, RECOMMEND, StepAnswer
from runner.suites.nextedit.editor import EditorError, EditorSession, Mishap, NextEditor, Place, Reporting, Suggestion
from runner.suites.nextedit.systems.module_report import FIRST_EDIT, FIRST_TOKEN, REPORT
from suts.sut import Endpoint, Received, Request, Sampling, Wire
from suts.wires import WIRES

SETUP: Literal["setup"] = "setup"
_NOTHING_SAMPLED = Sampling(max_tokens=0, temperature=None, seed=None)
Work = Callable[[], Awaitable[dict[str, object]]]


@dataclass(frozen=True, slots=True)
class LocalRequest(Request):
    """A question whose answer is made by calling `work`."""

    work: Work | None = None


class LocalSut:
    """What answers a LocalRequest: this program, in whose time and at no cost."""

    def __init__(
        self,
        name: str,
        identity: str,
        now_ns: Callable[[], int],
        release: Callable[[], Awaitable[None]],
        wire: str = "local",
    ) -> None:
        """`identity` distinguishes systems of the same name, such as two versions of a module.

        With the wire `reported` tokens and cost are what the system reports, else both are 0.
        """
        self.name = name
        self.endpoint = Endpoint("local", identity, "", priced=wire == "local")
        self.wire: Wire = WIRES[wire]
        self._now_ns = now_ns
        self._release = release

    async def stream(self, request: Request) -> AsyncIterator[Received]:
        """The answer in one piece, but for its first bytes where it is reported when a token and an edit came first."""
        assert isinstance(request, LocalRequest)
        assert request.work is not None
        began_ns = self._now_ns()
        answer = dict(await request.work())
        report = dict(cast("Mapping[str, float | None]", answer.pop(REPORT, {})))
        data, now_ns = _encoded(answer), self._now_ns()
        first_ms, edit_ms = report.pop(FIRST_TOKEN, None), report.pop(FIRST_EDIT, None)
        if first_ms is not None:
            for moment_ms in (first_ms,) if edit_ms is None else (first_ms, edit_ms):
                yield Received(min(now_ns, began_ns + round(moment_ms * 1e6)), data[:1])
                data = data[1:]
        yield Received(now_ns, data + (b"\n" + _encoded(report) if report else b""))

    async def aclose(self) -> None:
        """Release what serves all commits; each commit's editor is closed with its replay."""
        await self._release()


def _encoded(value: object) -> bytes:
    # Escapes, because texts may hold bytes that are no UTF-8 as lone surrogates.
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii")


class RecordedEditor:
    """An editor whose answers are asked for by way of the ledger; those on record already are not asked for again.

    `answers` are all of them in order. The editor is set up when it is first needed: after an interruption that is
    in the middle of the commit.
    """

    def __init__(self, ask: Ask, editor: NextEditor, number: int) -> None:
        """Take the function that asks by way of the ledger, the editor, and the attempt's number."""
        self._ask = ask
        self._editor = editor
        self._number = number
        self._ready = False
        self.answers: list[StepAnswer] = []

    async def setup(self, session: EditorSession) -> None:
        """Prepare the editor. Raises EditorError."""
        await self._reply_to(session, SETUP, _nothing)

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        """The editor's predictions. Raises EditorError."""

        async def work() -> dict[str, object]:
            return {"predictions": [_plain(suggestion) for suggestion in await self._editor.recommend(session)]}

        reply = await self._reply_to(session, RECOMMEND, work)
        return self.answers[-1].suggestions if reply else ()

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:
        """The lines the editor puts in the place, None for no answer. Raises EditorError."""

        async def work() -> dict[str, object]:
            lines = await self._editor.fill(session, place)
            return {"lines": None if lines is None else list(lines)}

        reply = await self._reply_to(session, FILL, work)
        return None if reply["lines"] is None else tuple(str(line) for line in reply["lines"])

    async def aclose(self) -> None:
        """Release the editor."""
        await self._editor.aclose()

    async def _reply_to(self, session: EditorSession, mode: str, work: Work) -> dict[str, Any]:
        async def answered() -> dict[str, object]:
            try:
                if not self._ready:
                    self._ready = True
                    await self._editor.setup(session)
                answer = await work()
            except EditorError as error:
                answer = {"trouble": {"reason": str(error.reason), "message": str(error)}}
            report = self._editor.take_report() if isinstance(self._editor, Reporting) else None
            return answer if report is None else {**answer, REPORT: report}

        request = LocalRequest("", (), _NOTHING_SAMPLED, work=answered)
        completion = await self._ask(request, step=session.step, mode=mode, number=self._number)
        reply: dict[str, Any] = stored_json(completion.text)
        trouble = reply.get("trouble")
        suggestions = tuple(_suggestion(row) for row in reply.get("predictions", ()))
        outcome = _outcome(reply)
        message = f"{trouble['reason']}: {trouble['message']}" if trouble else None
        self.answers.append(StepAnswer(session.step, mode, completion, outcome, suggestions, message))
        if trouble:
            raise EditorError(Mishap(trouble["reason"]), trouble["message"])
        return reply


async def _nothing() -> dict[str, object]:
    return {}


def _outcome(reply: dict[str, Any]) -> Outcome:
    if "trouble" in reply:
        return Outcome.NO_ANSWER
    if reply.get("predictions") == []:
        return Outcome.NOTHING_MORE
    return Outcome.APPLIED if reply.get("predictions") or reply.get("lines") is not None else Outcome.APPLIED_NOTHING


def _plain(suggestion: Suggestion) -> list[object]:
    return [suggestion.path, suggestion.start, suggestion.before, suggestion.after, suggestion.confidence]


def _suggestion(values: list[Any]) -> Suggestion:
    path, start, before, after, confidence = values
    return Suggestion(path, start, tuple(before), tuple(after), confidence)
