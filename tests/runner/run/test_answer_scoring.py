"""Answers are scored without holding up the loop: small ones at once, large ones and plug-ins' in another process."""

import asyncio
import os
from pathlib import Path

import pytest

from runner.pool.executor import RemoteError
from runner.pool.processes import Processes
from runner.records import Completion, Outcome, Scoring
from runner.run.answer_scoring import SCORED_AT_ONCE, AnswerScoring
from runner.run.resolve import choose_algorithms, choose_parser
from tests.runner.suites.made_cases import BEFORE, call, case_of

PLUG_IN = """
import os, time
from diff_apply.result import Applied

def naming(original, diff, *, final=True):
    return Applied(str(os.getpid()))

def endless(original, diff, *, final=True):
    while True:
        time.sleep(1)

class Refusing:
    def start(self):
        raise ValueError("no start")

    def parse(self, text):
        raise ValueError("no parse")

PARSER = Refusing()
"""


def scored(
    text: str, algorithms: str = "v4", parser: str = "xml-tools-v2", limit_s: float = 60.0
) -> tuple[tuple[Scoring, ...], int]:
    """The scorings, and how often the loop went round meanwhile."""
    ticks = 0

    async def ticking() -> None:
        nonlocal ticks
        while True:
            # The first rounds come at once, the others spare the processor.
            await asyncio.sleep(0 if ticks < 100 else 0.01)
            ticks += 1

    async def run() -> tuple[Scoring, ...]:
        with Processes(1, limit_s) as pool:
            named = choose_algorithms(algorithms.split(","), print)
            scoring = AnswerScoring(choose_parser(parser, print), named, pool=pool)
            others = asyncio.ensure_future(ticking())
            try:
                return await scoring.scorings(case_of(), Completion(text, answer_id=7))
            finally:
                others.cancel()

    return asyncio.run(run()), ticks


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"plug_in_of_{os.getpid()}_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(PLUG_IN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return name


def test_a_small_answer_is_scored_at_once() -> None:
    (scoring,), ticks = scored(call())

    assert (scoring.outcome, scoring.answer_id, ticks) == (Outcome.APPLIED, 7, 0)


def test_a_large_answer_has_the_same_scoring_while_the_loop_goes_on() -> None:
    small, _ = scored(call(), "v1,v4")

    large, ticks = scored("x" * SCORED_AT_ONCE + call(), "v1,v4")

    assert ticks > 0
    assert [scoring.edited for scoring in large] == [scoring.edited for scoring in small]
    assert [(scoring.diff_algorithm, scoring.answer_id) for scoring in large] == [("v1", 7), ("v4", 7)]


def test_a_plug_in_runs_in_another_process(plug_in: str) -> None:
    (scoring,), _ = scored(call(), f"{plug_in}:naming")

    assert scoring.outcome is Outcome.APPLIED
    assert scoring.edited not in {None, BEFORE, str(os.getpid())}


def test_an_endless_plug_in_is_a_crash_of_every_scoring(plug_in: str) -> None:
    scorings, ticks = scored(call(), f"v4,{plug_in}:endless", limit_s=3.0)

    assert [scoring.outcome for scoring in scorings] == [Outcome.CRASHED] * 2
    assert [(scoring.valid, scoring.answer_id) for scoring in scorings] == [(False, 7)] * 2
    assert "longer than 3 s" in (scorings[0].error_text or "")
    assert ticks > 0


def test_a_bug_of_a_parser_that_is_a_plug_in_is_raised_with_its_traceback(plug_in: str) -> None:
    with pytest.raises(RemoteError, match="ValueError: no parse"):
        scored(call(), parser=f"{plug_in}:PARSER")
