"""Commits replayed against models as attempts: scored, scored again, and gone on with."""

import json
from dataclasses import replace

import pytest

from diff_apply.result import Applied, DiffError, Reason
from runner.prices import Prices
from runner.records import Clocks, Completion, Result
from runner.run.ask import asking
from runner.run.protocols import Ask
from runner.storage.ledger import LaneKey, Question
from runner.storage.store import Store
from runner.suites.nextedit.answers import RECOMMEND
from runner.suites.nextedit.commits import Limits
from runner.suites.nextedit.editor import Leak, Mishap, Place
from runner.suites.nextedit.order import Edge, Graph
from runner.suites.nextedit.order import Reason as Related
from runner.suites.nextedit.orders import ORDERS, Order
from runner.suites.nextedit.players import ModelPlayer
from runner.suites.nextedit.reread_steps import reread
from runner.suites.nextedit.score import result_of
from runner.suites.nextedit.sim_truth import right_answer, truth_of
from runner.suites.nextedit.sources import Ready, from_cases
from runner.suites.nextedit.state import State
from runner.suites.nextedit.step_metrics import Flow
from runner.suites.nextedit.steps import CommitReplay
from suts.registry import resolve
from suts.settings import Settings
from suts.sut import ErrorKind, Request, SutError
from tests.nextedit import cases_folder, commit_of
from tests.runner.contexts import Contexts
from tests.runner.made_runs import make_run, plan, variant
from tests.runner.suites.nextedit.test_prompted import (
    COMMIT,
    PLAN,
    READING,
    Answering,
    _call,
)
from tests.runner.virtual_time import virtually


class Echoing:
    """An Ask that answers with the blocks of the truth, or with lines that no file has."""

    TRUTH = staticmethod(truth_of(PLAN.order))

    async def __call__(
        self, request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Completion:
        assert request.truth is None
        truth = self.TRUTH(Question(LaneKey("m", "p", "c"), step, mode, number), about)
        assert truth is not None, (step, mode, number)
        search, replace_by = next(iter(truth.blocks), ("nowhere\n", "there\n"))
        return Completion(_call(truth.path, search, replace_by), clocks=Clocks(round_trip_ms=10.0))


class TestWhatSimulatedModelsAreTold:
    """The right answer is an edit that is allowed now."""

    COMMIT = commit_of({"a.py": (None, "a = 1\n"), "b.py": ("b = 1\n", "b = 2\n"), "c.py": ("c = 1\n", "c = 2\n")})
    TO_THE_ADDED = Graph(3, (Edge(2, 0, Related.JUDGED, 0.5),))

    @pytest.mark.parametrize(
        "order, applied, answer",
        [
            pytest.param(TO_THE_ADDED, (2,), ("a.py", (("", "a = 1\n"),)), id="of-a-file-that-is-not-there"),
            pytest.param(TO_THE_ADDED, (2, 0), ("b.py", (("b = 1\n", "b = 2\n"),)), id="any-on-a-new-island"),
        ],
    )
    def test_it_is_one_that_may_come_now(
        self, order: Order, applied: tuple[int, ...], answer: tuple[str, tuple[tuple[str, str], ...]]
    ) -> None:
        truth = right_answer(State(self.COMMIT, applied), order, None, 1)

        assert truth is not None
        assert (truth.path, truth.blocks) == answer

    def test_the_place_that_is_told_may_be_in_a_file_that_is_to_be_begun(self) -> None:
        truth = right_answer(State(self.COMMIT, (1,)), ORDERS["none"](self.COMMIT), Place("a.py", 0, ()), 1)

        assert truth is not None
        assert (truth.path, truth.blocks) == ("a.py", (("", "a = 1\n"),))

    async def test_every_first_answer_is_valid_of_a_model_that_says_what_it_is_told(self) -> None:
        ask = Echoing()

        played = await ModelPlayer(PLAN, (READING,)).play(self.COMMIT, ask, 1)

        assert [answer.valid for answer in played.answers] == [True] * len(played.answers)
        assert not any(step.troubles for step in played.replay.steps)


class TestSuite:
    SUITE = ModelPlayer(PLAN, (READING,))

    async def _attempt(self, ask: Ask) -> Result:
        return result_of([(("xml-tools-v2", "v4"), await self.SUITE.play(COMMIT, ask, 1))])

    async def test_every_answer_is_scored_and_a_steps_figures_stand_once(self) -> None:
        ask = Answering("no", _call("b.py", "from a import old\n", "from a import new\n"), "never again")

        result = await self._attempt(ask)

        assert len(result.scorings) == len(ask.asked)
        assert {one.answer_id for one in result.scorings} == set(range(1, len(ask.asked) + 1))
        assert result.cost_usd == 0.5 * len(ask.asked)
        steps = [json.loads(one.detail)["step"] for one in result.scorings if one.detail]
        assert steps == sorted(set(steps))

    async def test_a_step_without_a_valid_answer_has_its_figures_with_the_last(self) -> None:
        result = await self._attempt(Answering("no"))

        told = [
            (one.valid, json.loads(one.detail)["step"], one.scores["hit@1"]) for one in result.scorings if one.detail
        ]
        assert told == [(False, 1, 0.0), (False, 2, 0.0)]
        assert [at for at, one in enumerate(result.scorings) if one.detail] == [0, 2]

    async def test_a_replay_has_the_clocks_of_its_answers(self) -> None:
        three = replace(self.SUITE, readings=(replace(READING, valid_attempts=3),))
        played = await three.play(COMMIT, Answering("no", "no", _call("b.py", "from a import old\n", "x\n")), 1)

        assert sorted(played.replay.order) == [0, 1, 2]
        assert played.replay.steps[0].latency_ns == 30_000_000

    async def test_without_an_answer_the_attempt_waits_for_another_time(self) -> None:
        async def refusing(
            request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
        ) -> Completion:
            raise SutError(ErrorKind.OVERLOADED, f"{request.system} {step} {mode} {number} {about}")

        with pytest.raises(SutError):
            await self._attempt(refusing)


CASE = "offcut-2fa02d1f3a"
MODEL = "sim/careful?time=virtual"
RUN = plan(cases=[CASE], variants=[variant(MODEL, simulated=True)], suite="nextedit")


class TestRescoring:
    """Answers that one algorithm takes and another does not."""

    async def test_the_same_reading_gives_the_same_replay(self) -> None:
        ask = Answering(_call("b.py", "from a import old\n", "from a import new\n"))
        played = await ModelPlayer(PLAN, (READING,)).play(COMMIT, ask, 1)

        again = (await reread(COMMIT, played, READING, Leak.MESSAGE)).replay

        assert [step.suggestions for step in again.steps] == [step.suggestions for step in played.replay.steps]
        assert [step.metrics for step in again.steps] == [step.metrics for step in played.replay.steps]
        assert [step.content for step in again.steps] == [step.content for step in played.replay.steps]

    @pytest.mark.parametrize(
        "edges, asked",
        [
            pytest.param([(0, 1), (0, 2)], False, id="allowed"),
            pytest.param([(0, 1), (1, 2)], True, id="not-allowed"),
        ],
    )
    async def test_what_may_not_come_yet_is_judged_by_the_answer_at_its_place(
        self, edges: list[tuple[int, int]], asked: bool
    ) -> None:
        async def ask(
            request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
        ) -> Completion:
            assert request.messages, (step, number, about)
            return Completion(_call("b.py", "b = 1\n", "b = 2\n" if mode == RECOMMEND else "b = 3\n"))

        commit = commit_of({"a.py": ("a = 1\nx\ny = 1\n", "a = 2\nx\ny = 2\n"), "b.py": ("b = 1\n", "b = 2\n")})
        graph = Graph(3, tuple(Edge(*edge, Related.JUDGED, 0.5) for edge in edges))
        plan_of_one = replace(PLAN, order=lambda _commit: graph)
        played = await ModelPlayer(plan_of_one, (READING,)).play(commit, ask, 1)

        again, _ = (await reread(commit, played, READING, Leak.MESSAGE)).replay.steps

        assert again.content == played.replay.steps[0].content
        assert again.content is not None
        assert (again.content.requested, again.content.exact) == (asked, not asked)

    async def test_answers_of_which_none_is_an_edit_are_nonsense_when_read_again_too(self) -> None:
        played = await ModelPlayer(PLAN, (READING,)).play(COMMIT, Answering("no"), 1)

        again = (await reread(COMMIT, played, READING, Leak.MESSAGE)).replay

        told = [(each.question, each.reason) for step in again.steps for each in step.troubles]
        assert told == [("recommend", Mishap.NONSENSE), ("fill", Mishap.NONSENSE)] * 2
        assert [step.troubles for step in again.steps] == [step.troubles for step in played.replay.steps]
        assert [step.content for step in again.steps] == [step.content for step in played.replay.steps]

    async def test_another_algorithm_is_judged_on_the_recorded_states(self) -> None:
        def upper(original: str, diff: str, *, final: bool = True) -> Applied:
            raise DiffError(Reason.NO_MATCH, f"{len(original)} {len(diff)} {final}")

        ask = Answering(_call("b.py", "from a import old\n", "from a import new\n"))
        played = await ModelPlayer(PLAN, (READING,)).play(COMMIT, ask, 1)

        other = (await reread(COMMIT, played, replace(READING, algorithm=upper), Leak.MESSAGE)).replay

        assert other.order == played.replay.order
        assert any(step.matches for step in played.replay.steps)
        assert not any(step.matches for step in other.steps)
        assert {flow for step in other.steps for flow in step.metrics.flows} == {Flow.BREAKING}
        assert all(step.troubles for step in other.steps)
        assert [step.content is None for step in other.steps] == [
            step.content is not None and not step.content.requested for step in played.replay.steps
        ]


class Stopping:
    """An Ask that passes on so many questions and then is interrupted."""

    def __init__(self, ask: Ask, left: int) -> None:
        self.ask = ask
        self.left = left

    async def __call__(
        self, request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Completion:
        if not self.left:
            raise InterruptedError
        self.left -= 1
        return await self.ask(request, step=step, mode=mode, number=number, about=about)


class TestSimulatedModels:
    """A careful simulated model over a shipped bundle, asked through the ledger of a run."""

    SUT = resolve(MODEL, Settings(seed=1))

    async def _attempt(self, contexts: Contexts, left: int = 1000) -> CommitReplay:
        suite = ModelPlayer(PLAN, (READING,))
        (ready,) = from_cases(cases_folder() / f"{CASE}.json", Limits())
        assert isinstance(ready, Ready)
        commit = ready.commit
        context = replace(contexts.new(), truth=truth_of(PLAN.order))
        async with context.ledger:
            ask = asking(context, self.SUT, LaneKey(self.SUT.name, "basic", commit.case_id), READING.parser)
            return (await suite.play(commit, Stopping(ask, left), 1)).replay

    def test_a_careful_model_predicts_most_edits_and_every_step_has_its_clocks(self, contexts: Contexts) -> None:
        replay = virtually(self._attempt(contexts))

        kept = [bool(step.metrics.kept_ranks) for step in replay.steps if step.allowed]
        assert sum(kept) / len(kept) > 0.5
        assert all(step.latency_ns > 0 for step in replay.steps)
        assert all(row["first_edit_ms"] is not None for row in contexts.answers() if row["outcome"] == "answered")

    def test_an_interrupted_commit_goes_on_at_its_step_to_the_same_end(self, store: Store, contexts: Contexts) -> None:
        with pytest.raises(InterruptedError):
            virtually(self._attempt(contexts, left=3))
        answered = len(contexts.answers())
        resumed = virtually(self._attempt(contexts))

        rows = contexts.answers()
        questions = [(row["step"], row["mode"], row["number"]) for row in rows]
        make_run(store, "r2", RUN)
        straight = virtually(self._attempt(Contexts(store, run_id="r2", prices=contexts.prices)))
        assert answered == 3
        assert len(set(questions)) == len(questions)
        assert resumed.order == straight.order
        assert [step.suggestions for step in resumed.steps] == [step.suggestions for step in straight.steps]


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store, planned=RUN)
    return Contexts(store, prices=Prices("2026-01-01", {}))
