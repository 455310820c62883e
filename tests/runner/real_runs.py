"""Whole runs of the diff-edit suite against a system whose answers are given, in virtual time."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runner.run.answer_scoring import AnswerScoring
from runner.run.engine import Lane
from runner.run.session import Session, SessionEnd, run_session
from runner.storage.runs import begin, finish
from runner.storage.store import Store
from runner.suites.diff_edit.model_attempt import attempts_of
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.plan import plan
from suts.sut import Endpoint, Received, Request, Sut, Wire
from suts.wires import WIRES
from tests.runner.contexts import Contexts, Deaf
from tests.runner.made_runs import UTC
from tests.runner.scripted import ENDPOINT, chunk, ending
from tests.runner.suites.made_cases import case_json
from tests.runner.virtual_time import now_ns, virtually


@dataclass
class Answering:
    """Gives each case's answers in turn, by what the question says; each comes in two pieces."""

    answers: Mapping[str, Sequence[str]]
    name: str = "test/scripted"
    endpoint: Endpoint = ENDPOINT
    wire: Wire = field(default_factory=lambda: WIRES["openai-chat"])
    asked: list[str] = field(default_factory=list)

    async def stream(self, request: Request) -> AsyncIterator[Received]:
        case_id = request.messages[0].text.removeprefix("Shout two in ").removesuffix(".")
        answers = self.answers[case_id]
        text = answers[self.asked.count(case_id) % len(answers)]
        self.asked.append(case_id)
        yield Received(now_ns() + 1_000_000, chunk(text[: len(text) // 2]))
        yield Received(now_ns() + 2_000_000, chunk(text[len(text) // 2 :]) + ending(prompt=100, output=20))

    async def aclose(self) -> None:
        pass


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionsOf(DiffOptions):
    """Options of a run that asks one system, which is given."""

    sut: Sut

    @property
    def builder(self) -> Callable[[str], Sut]:
        return lambda _model: self.sut


def real_run(  # noqa: PLR0917 - a run has many sides
    store: Store,
    folder: Path,
    answers: Mapping[str, Sequence[str]],
    algorithms: str = "v4",
    quota: int = 1,
    validity: str = "strict",
    run_id: str = "r1",
) -> SessionEnd:
    """A run over cases of these ids, one lane each, as `evals diff` makes it."""
    folder.mkdir(exist_ok=True)
    for case_id in answers:
        (folder / f"{case_id}.json").write_text(case_json(case_id), encoding="utf-8")
    options = OptionsOf(
        sut=Answering(answers),
        db=store.path,
        cases=folder,
        model_ids="test/scripted",
        quota=quota,
        diff_apply=algorithms,
        validity=validity,
        cap=3 * quota,
    )
    planned = plan(options, lambda _line: None)
    begin(store, run_id, planned.detail.run, UTC)
    detail = planned.detail
    scoring = AnswerScoring(detail.parser, detail.algorithms, detail.validity)
    attempt = attempts_of(detail, options.sampling, scoring)
    lanes = [Lane(key, planned.quota, planned.cap) for key in planned.lanes]
    session = Session(lanes, attempt, planned.suts, planned.detail.parser.impl, slots=4)
    end = virtually(run_session(session, Contexts(store, run_id).new(), Deaf()))
    finish(store, run_id, UTC, complete=end.complete)
    return end
