"""Attempts at completion tasks: what is asked, judged once, and recorded."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from threading import Event

import orjson
import pytest

from runner.execution.repository_judge import Judge
from runner.execution.syntax_check import syntax_error_of
from runner.execution.verdicts import JudgeTask, Verdict, VerdictKind
from runner.records import Completion as Said
from runner.records import Outcome
from runner.storage.ledger import LaneKey, Question
from runner.suites.completion.answering import Answering
from runner.suites.completion.chains import choose_chains
from runner.suites.completion.dataset import read_dataset
from runner.suites.completion.forms import Seen, choose_forms
from runner.suites.completion.judging import Judging
from runner.suites.completion.options import CompletionOptions
from runner.suites.completion.plan import CompletionCase, plan
from runner.suites.completion.sim_truth import hole_of, truth_of
from suts.sut import Request, Sampling
from tests.runner.suites.completion.test_scoring import DATASET, TASK

SHIPPED = Path(__file__).parents[4] / "cases" / "completion" / "shelf.jsonl"
(BASIC,) = choose_forms(["basic"], lambda _told: None)
CHAINS = choose_chains(["raw", "repaired"], "")
CASE = CompletionCase(TASK, {BASIC.name: Seen(TASK.file, "before", "behind")})


class Scribe:
    """Says one text to everything, and keeps what it was asked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[Request] = []

    async def __call__(
        self, request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Said:
        assert (step, mode, about) == (0, "", None)
        self.asked.append(request)
        return Said(self.text, answer_id=number)


class Slow:
    """Takes a while for each verdict, and counts them."""

    tree = "t"

    def __init__(self, outcome: VerdictKind = VerdictKind.FAIL) -> None:
        self.outcome = outcome
        self.tried = 0

    def judge(self, question: JudgeTask) -> Verdict:
        time.sleep(0.1)
        self.tried += 1
        return Verdict(self.outcome, log=question.file)


def suite(judging: Judging) -> Answering:
    return Answering(DATASET, BASIC, CHAINS, Sampling(seed=7), judging)


def test_a_plan_has_the_tasks_of_a_data_set_with_all_that_is_seen_of_them() -> None:
    shelf = read_dataset(SHIPPED)

    cases = plan(CompletionOptions(file=SHIPPED, model_ids="sim/truth"), lambda _line: None).detail.cases

    assert [case.task for case in cases] == list(shelf.tasks)
    for case in cases:
        text, seen = shelf.files[case.task.file], case.seen[BASIC.name]
        assert text.startswith(seen.before + shelf.truth(case.task))
        assert text.endswith(seen.behind)
        assert (seen.behind == "") is (case.task.scene == "1.3"), case.case_id


async def test_an_answer_is_scored_by_each_chain(judge: Judge) -> None:
    with Judging({"": judge}, DATASET, 2) as judging:
        result = await suite(judging).attempt(CASE, Scribe("```\nreturn x + x\n\n\ndef more(\n```"), 1)

    assert result.valid
    assert [(one.parser, one.outcome, one.valid, one.answer_id) for one in result.scorings] == [
        ("raw", Outcome.UNSOLVED, True, 1),
        ("repaired", Outcome.SOLVED, True, 1),
    ]
    assert result.scorings[0].error_text == "syntax"
    detail = orjson.loads(result.scorings[1].detail or "")
    assert (detail["scene"], detail["block_type"], detail["verdict"], detail["filling"]) == (
        "1.1", "STATEMENT", "pass", "return x + x",
    )  # fmt: skip
    assert detail["key"]


async def test_chains_that_agree_and_attempts_at_once_ask_the_judge_once() -> None:
    judge = Slow()
    with Judging({"": judge}, DATASET, 2) as judging:
        one = suite(judging)
        await asyncio.gather(*(one.attempt(CASE, Scribe("return 3"), number) for number in range(1, 5)))

    assert judge.tried == 1


async def test_an_attempt_that_is_cancelled_takes_no_verdict_from_another() -> None:
    with Judging({"": Slow()}, DATASET, 1) as judging:
        one = suite(judging)
        first = asyncio.create_task(one.attempt(CASE, Scribe("return 3"), 1))
        second = asyncio.create_task(one.attempt(CASE, Scribe("return 3"), 2))
        await asyncio.sleep(0.05)
        first.cancel()
        result = await second

    assert result.outcome is Outcome.UNSOLVED


class Waiting:
    """Gives its verdict once it is allowed to."""

    tree = "t"

    def __init__(self) -> None:
        self.begun, self.allowed = Event(), Event()

    def judge(self, question: JudgeTask) -> Verdict:
        self.begun.set()
        assert self.allowed.wait(60)
        return Verdict(VerdictKind.FAIL, log=question.file)


async def test_the_event_loop_goes_on_while_tests_run() -> None:
    judge = Waiting()
    with Judging({"": judge}, DATASET, 1) as judging:
        attempt = asyncio.create_task(suite(judging).attempt(CASE, Scribe("return 3"), 1))
        assert await asyncio.to_thread(judge.begun.wait, 60)
        # The loop has its turn while the judge waits for it, or nobody would allow it to go on.
        judge.allowed.set()
        result = await attempt

    assert result.outcome is Outcome.UNSOLVED


async def test_what_the_judge_cannot_tell_is_no_failure_of_the_model() -> None:
    with Judging({"": Slow(VerdictKind.INFRA)}, DATASET, 1) as judging:
        result = await suite(judging).attempt(CASE, Scribe("return 3"), 1)

    assert [(one.outcome, one.valid) for one in result.scorings] == [(Outcome.INFRA, False), (Outcome.INFRA, False)]
    assert Outcome.INFRA.infrastructure
    assert "pass" not in result.scorings[0].scores
    # The answer is there: it is not asked for again.
    assert result.valid


async def test_a_task_without_tests_is_valid_and_neither_solved_nor_failed() -> None:
    case = replace(CASE, task=replace(TASK, tests=(), block_type="COMMENT"))
    with Judging({"": Slow()}, DATASET, 1) as judging:
        result = await suite(judging).attempt(case, Scribe("# x"), 1)

    assert [(one.outcome, one.valid) for one in result.scorings] == [(Outcome.UNTESTED, True)] * 2
    assert not Outcome.UNTESTED.solved


async def test_a_question_of_the_suite_has_no_truth_in_it() -> None:
    scribe = Scribe("")
    with Judging({"": Slow()}, DATASET, 1) as judging:
        await suite(judging).attempt(CASE, scribe, 3)

    (asked,) = scribe.asked
    assert asked.truth is None


@pytest.mark.parametrize("prompt, fenced", [("completion/basic", True), ("fim/codegemma", False)])
def test_the_truth_of_a_question_has_its_number_the_seed_and_the_hole_as_its_prompt_asks(
    prompt: str, fenced: bool
) -> None:
    truth = truth_of(DATASET, {"completion/basic": True, "fim/codegemma": False}, {"": syntax_error_of}, seed=7)

    known = truth(Question(LaneKey("sim/any", prompt, TASK.task_id), number=3))

    assert known is not None
    assert (known.case_id, known.number, known.seed) == (TASK.task_id, 3, 7)
    assert known.hole == hole_of(DATASET, TASK, syntax_error_of, fenced=fenced)
