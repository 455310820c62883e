"""Asks models what Codev-Bench asked chat models, one question per task, through the engine and the ledger."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from prompts import Prompt, load
from runner.records import Outcome, Result, Scoring
from runner.run.engine import Lane
from runner.run.protocols import Ask, Attempt
from runner.storage.ledger import LaneKey
from runner.storage.rows import to_json
from runner.storage.runs import CaseRow, RunPlan
from runner.storage.store import Store
from runner.suites.completion.codev.files import Outcome as Predicted
from runner.suites.completion.codev.files import Prediction
from runner.suites.completion.codev.judging import Said
from runner.suites.completion.codev.rules import question_of, response_of
from runner.suites.completion.codev.tasks import CodevTask, read_tasks
from runner.variant import Variant
from suts.sut import Hole, Message, Request, Sampling, Sut, Truth

SUITE = "codev"
PROMPT = "codev/chat"
PARSER = "codev-last-fence"
# Neither a statement nor a part of one.
_WRONG = ")("
_NEXT = "\n\n\ndef further("
_ANSWERS = """
SELECT l.case_id, a.text_id, a.round_trip_ms FROM answers a JOIN lanes l USING (lane_id)
WHERE l.run_id = ? AND l.sut = ? AND a.outcome IN ('answered', 'crashed') AND a.text_id IS NOT NULL AND a.number = 1
"""


@dataclass(frozen=True, slots=True)
class Codev:
    """Asks each task once; every answer counts, one without a fence as an empty response."""

    prompt: Prompt
    sampling: Sampling
    name: str = SUITE

    def load(self, source: Path) -> Iterator[CodevTask]:
        """The tasks of a file of prompts."""
        yield from read_tasks(source, source.name.removesuffix(".jsonl"))[0]

    async def attempt(self, case: CodevTask, ask: Ask, number: int) -> Result:
        """Ask once; the tests come later, when all answers are there."""
        completion = await ask(self.request(case, number), number=number)
        scoring = Scoring(
            outcome=Outcome.UNTESTED,
            valid=True,
            parser=PARSER,
            detail=to_json({"response": response_of(completion.text), "middle": case.middle}),
            answer_id=completion.answer_id,
        )
        return Result(valid=True, scorings=(scoring,), cost_usd=completion.cost_usd)

    def request(self, case: CodevTask, number: int) -> Request:
        """The question; what is right and wrong reaches simulated models only."""
        wrong = {"wrong": _WRONG, "over_run": case.middle + _NEXT, **({"empty": ""} if case.middle else {})}
        truth = Truth(case.case_id, number, seed=self.sampling.seed or 0, hole=Hole(case.middle, wrong, fenced=True))
        question = f"{question_of(case.prompt)}\n\nCompletion:"
        return Request(self.prompt.wording, (Message("user", question),), self.sampling, truth)


def plan_of(
    tasks: Sequence[CodevTask], suts: Sequence[Sut], sampling: Sampling, settings: dict[str, object]
) -> RunPlan:
    """What a run over these tasks is."""
    prompt, digest = load(PROMPT), _digest(tasks)
    identity = {
        "suts": [f"{sut.name} at {sut.endpoint.base_url}" for sut in suts],
        "prompts": [f"{prompt.name}@{prompt.digest}"],
        "cases": digest,
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
        "seed": sampling.seed,
    }

    return RunPlan(
        suite=SUITE,
        identity=identity,
        settings=settings,
        variants=[_variant(sut, prompt) for sut in suts],
        cases=[
            CaseRow(
                task.case_id, _sha(task.prompt + task.middle), path=task.file, language="python", content=_told(task)
            )
            for task in tasks
        ],
        cases_digest=digest,
    )


def attempts_of(tasks: Sequence[CodevTask], sampling: Sampling) -> Attempt:
    """How one attempt is made."""
    suite, cases = Codev(load(PROMPT), sampling), {task.case_id: task for task in tasks}

    async def attempt(lane: Lane, ask: Ask, number: int) -> Result:
        return await suite.attempt(cases[lane.key.case_id], ask, number)

    return attempt


def lanes_of(tasks: Sequence[CodevTask], suts: Sequence[Sut]) -> list[Lane]:
    """One sample of each task, in the order of the tasks."""
    return [Lane(LaneKey(sut.name, PROMPT, task.case_id), 1, 1) for task in tasks for sut in suts]


def predicted(store: Store, run_id: str, tasks: Sequence[CodevTask], sut: Sut) -> list[Predicted]:
    """The predictions of a model by mode, in the order of the tasks; those not answered are missing."""
    answers = {row["case_id"]: row for row in store.rows(_ANSWERS, run_id, sut.name)}
    outcomes = []
    for mode in dict.fromkeys(task.mode for task in tasks):
        found = []
        for task in tasks:
            row = answers.get(task.case_id)
            if task.mode == mode and row is not None:
                text, spent = store.text(row["text_id"]) or "", row["round_trip_ms"]
                found.append(Prediction(task, Said(text, response_of(text)), None if spent is None else spent / 1000))
        outcomes.append(Predicted(mode, sut.name, tuple(found), simulated=sut.endpoint.simulated))
    return outcomes


def _variant(sut: Sut, prompt: Prompt) -> Variant:
    return Variant(
        sut=sut.name,
        prompt=prompt.name,
        parser=PARSER,
        diff_algorithm="",
        prompt_digest=prompt.digest,
        parser_digest="",
        algorithm_digest="",
        endpoint=sut.endpoint.base_url,
        simulated=sut.endpoint.simulated,
    )


def _told(task: CodevTask) -> str:
    return to_json({"messages": [{"role": "user", "text": question_of(task.prompt)}], **task.row})


def _digest(tasks: Sequence[CodevTask]) -> str:
    return _sha("\n".join(f"{task.case_id}\t{_sha(task.prompt + task.middle)}" for task in tasks))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
