"""Systems without a model, asked by way of the ledger."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count

import pytest

from runner.execution.workspace import Workspace, files_of, scratch
from runner.prices import Price, Prices, Rate
from runner.records import Completion, Outcome
from runner.run.ask import asking
from runner.run.protocols import Ask
from runner.storage.ledger import LaneKey
from runner.storage.store import Store
from runner.suites.nextedit.answers import FILL, RECOMMEND
from runner.suites.nextedit.commit_replay import session_of
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import EditorError, EditorSession, Leak, Mishap, Place, Suggestion
from runner.suites.nextedit.orders import ORDERS, Order
from runner.suites.nextedit.players import LocalPlayer
from runner.suites.nextedit.recorded_editor import SETUP, LocalRequest, LocalSut, RecordedEditor
from runner.suites.nextedit.replay_plan import ReplayPlan, remembered
from runner.suites.nextedit.reread_steps import Played
from runner.suites.nextedit.score import result_of
from runner.suites.nextedit.state import State
from runner.suites.nextedit.steps import CommitReplay
from runner.suites.nextedit.systems import SYSTEMS, System
from runner.suites.nextedit.systems.baselines import Resting, Silent
from suts.sut import ErrorKind, Request, SutError
from suts.wires import WIRES
from tests.nextedit import commit_of
from tests.runner.contexts import Contexts
from tests.runner.made_runs import make_run, plan, variant

COMMIT = commit_of(
    {
        "a.py": ("old = 1\nx = 0\nprint(old)\n", "new = 1\nx = 0\nprint(new)\n"),
        "b.py": ("from a import old\n", "from a import new\n"),
    },
    message="Rename old to new",
)
PLAN = ReplayPlan(ORDERS["none"], seed=1)
NAMES = ("rules", "clones", "oracle", "silent", "repeat-last", "random")
RUN = plan(cases=[COMMIT.case_id], variants=[variant(name, prompt="", algorithm="") for name in NAMES])


async def _nothing() -> None:
    """Nothing to release."""


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store, planned=RUN)
    return Contexts(store, prices=Prices("2026-01-01", {name: Price(Rate(0.0, 0.0)) for name in NAMES}))


@dataclass
class Kept:
    """An Ask that keeps answers as a ledger does, and tells which questions were new."""

    texts: dict[tuple[int, str, int], str] = field(default_factory=dict)
    new: list[tuple[int, str]] = field(default_factory=list)
    left: int = 1000

    async def __call__(
        self, request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Completion:
        assert about is None
        key = (step, mode, number)
        if key not in self.texts:
            if not self.left:
                raise InterruptedError
            self.left -= 1
            self.new.append((step, mode))
            assert isinstance(request, LocalRequest)
            assert request.work is not None
            self.texts[key] = json.dumps(await request.work())
        return Completion(self.texts[key], list_cost_usd=0.0, answer_id=len(self.texts))


@dataclass
class Noisy(Resting):
    """An editor that notes what it is asked, and fails where it is told to."""

    fails: Sequence[str] = ()
    asked: list[str] = field(default_factory=list)

    def _note(self, question: str) -> None:
        self.asked.append(question)
        if question in self.fails:
            raise EditorError(Mishap.TIMEOUT, f"late at {question}")

    async def setup(self, session: EditorSession) -> None:
        self._note(f"setup {session.step}")

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        self._note(f"recommend {session.step}")
        return [Suggestion("b.py", 0, ("from a import old\n",), ("from a import \udcff\n",), 0.5)]

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str]:
        self._note(f"fill {session.step}")
        return ("x\n", *place.before)

    async def aclose(self) -> None:
        self.asked.append("close")


def suite_of(editor: Noisy, trees: list[str] | None = None) -> LocalPlayer:
    @contextmanager
    def tree_of(commit: Commit) -> Iterator[Workspace]:
        with scratch(files_of({each.path: each.before or "" for each in commit.files})) as workspace:
            if trees is not None:
                trees.append(commit.case_id)
            yield workspace

    return LocalPlayer(PLAN, System(lambda _commit, _plan: editor, needs_tree=trees is not None), tree_of)


class TestEditors:
    async def test_no_answer_to_a_place_given_stays_none_on_record(self) -> None:
        ask = Kept()

        found = [
            await RecordedEditor(ask, Silent(), 1).fill(EditorSession("c", 1, (), {}), Place("b.py", 0, ()))
            for _ in range(2)
        ]

        assert found == [None, None]
        assert ask.texts == {(1, "fill", 1): '{"lines": null}'}

    async def test_each_question_is_one_answer_in_json(self) -> None:
        ask = Kept()

        played = await suite_of(Noisy()).play(COMMIT, ask, 1)

        assert ask.new == [(0, SETUP), (1, RECOMMEND), (1, FILL), (2, RECOMMEND), (2, FILL)]
        assert json.loads(ask.texts[1, RECOMMEND, 1]) == {
            "predictions": [["b.py", 0, ["from a import old\n"], ["from a import \udcff\n"], 0.5]]
        }
        assert [answer.mode for answer in played.answers] == [RECOMMEND, FILL] * 2

    @pytest.mark.parametrize("done", [0, 1, 2, 3, 4])
    async def test_an_interrupted_commit_goes_on_at_its_question_with_an_editor_set_up_anew(self, done: int) -> None:
        ask = Kept(left=done)
        with pytest.raises(InterruptedError):
            await suite_of(Noisy()).play(COMMIT, ask, 1)
        first, ask.new, ask.left = list(ask.new), [], 1000
        editor = Noisy()

        resumed = await suite_of(editor).play(COMMIT, ask, 1)
        straight = await suite_of(Noisy()).play(COMMIT, Kept(), 1)

        questions = [f"{mode} {step}" for step, mode in ask.new]
        setup = f"setup {ask.new[0][0]}"
        assert len(first) == done
        assert editor.asked == list(dict.fromkeys([setup, *questions, "close"]))
        assert resumed.replay == straight.replay

    async def test_a_finished_commit_asks_nothing_and_begins_nothing(self) -> None:
        ask = Kept()
        before = await suite_of(Noisy()).play(COMMIT, ask, 1)
        editor = Noisy()

        again = await suite_of(editor).play(COMMIT, ask, 1)

        assert editor.asked == ["close"]
        assert again.replay == before.replay

    async def test_a_failure_is_an_answer_with_its_reason(self) -> None:
        ask = Kept()
        suite = suite_of(Noisy(fails=("setup 0", "recommend 1", "fill 2")))

        played = await suite.play(COMMIT, ask, 1)
        again = await suite.play(COMMIT, ask, 1)

        assert [trouble.message for trouble in played.replay.troubles] == ["late at setup 0"]
        late = [
            trouble.message for step in played.replay.steps for trouble in step.troubles if "late" in trouble.message
        ]
        assert late == ["late at recommend 1", "late at fill 2"]
        assert again.replay == played.replay
        assert [(answer.mode, answer.outcome, answer.trouble) for answer in played.answers][:2] == [
            (SETUP, Outcome.NO_ANSWER, "timeout: late at setup 0"),
            (RECOMMEND, Outcome.NO_ANSWER, "timeout: late at recommend 1"),
        ]

    async def test_a_failed_answer_is_scored_as_none_and_every_other_as_what_it_is(self) -> None:
        suite = suite_of(Noisy(fails=("recommend 1",)))

        result = result_of([(("", ""), await suite.play(COMMIT, Kept(), 1))])

        assert [(one.outcome, one.valid) for one in result.scorings] == [
            (Outcome.NO_ANSWER, False),
            (Outcome.UNSOLVED, True),
            (Outcome.UNSOLVED, True),
            (Outcome.UNSOLVED, True),
        ]
        assert result.scorings[0].error_text == "timeout: late at recommend 1"
        assert [one.detail is not None for one in result.scorings] == [True, False, True, False]
        assert result.cost_usd == 0

    async def test_a_tree_is_made_only_for_systems_that_want_one(self) -> None:
        trees: list[str] = []

        await suite_of(Noisy(), trees).play(COMMIT, Kept(), 1)

        assert trees == [COMMIT.case_id]

    async def test_an_editor_is_closed_whatever_happens(self) -> None:
        editor = Noisy()
        with pytest.raises(InterruptedError):
            await suite_of(editor).play(COMMIT, Kept(left=2), 1)

        assert editor.asked[-1] == "close"


class TestLedger:
    async def _play(self, contexts: Contexts, name: str, times: Iterator[int]) -> Played:
        context = contexts.new()
        sut = LocalSut(name, "local", times.__next__, _nothing)
        async with context.ledger:
            ask = asking(context, sut, LaneKey(name, "", COMMIT.case_id), None)
            return await LocalPlayer(PLAN, SYSTEMS[name]).play(COMMIT, ask, 1)

    @pytest.mark.parametrize("name", NAMES)
    def test_answers_stand_in_the_ledger_free_of_charge_and_give_the_same_again(
        self, contexts: Contexts, name: str
    ) -> None:
        first = asyncio.run(self._play(contexts, name, count(10**9, 1000)))
        rows = contexts.answers()
        again = asyncio.run(self._play(contexts, name, count()))

        assert again.replay == first.replay
        assert len(contexts.answers()) == len(rows)
        assert {(row["outcome"], row["list_cost_usd"], row["input_tokens"]) for row in rows} == {("answered", 0.0, 0)}

    def test_chance_does_not_hang_on_what_was_asked_before(self, contexts: Contexts) -> None:
        played = asyncio.run(self._play(contexts, "random", count()))
        seen = asyncio.run(_asked_alone(played.replay))

        assert seen == played.replay.steps[1].suggestions

    def test_the_wire_tells_the_text_and_that_no_token_was_used(self) -> None:
        decoder = WIRES["local"].decoder()
        sut = LocalSut("rules", "local", count().__next__, _nothing)

        async def received() -> list[object]:
            async def work() -> dict[str, object]:
                return {"lines": ["\udcff"]}

            request = LocalRequest("", (), work=work)
            return [event async for piece in sut.stream(request) for event in decoder.feed(piece)]

        usage, text = asyncio.run(received())
        decoder.finish()

        assert (getattr(usage, "input_tokens", None), getattr(usage, "output_tokens", None)) == (0, 0)
        assert json.loads(getattr(text, "text", "")) == {"lines": ["\udcff"]}


async def _asked_alone(replay: CommitReplay) -> tuple[Suggestion, ...]:
    """What the system of chance says at the second step, asked about nothing before."""
    editor = SYSTEMS["random"].make(COMMIT, PLAN)
    return tuple(await editor.recommend(session_of(State(COMMIT, replay.order[:2]), 2, Leak.MESSAGE, None)))


def test_an_order_is_made_once_for_all_systems() -> None:
    made: list[str] = []

    def order(commit: Commit) -> Order:
        made.append(commit.case_id)
        return ORDERS["none"](commit)

    known = remembered(order)

    assert known(COMMIT) is known(replace(COMMIT))
    assert made == [COMMIT.case_id]


async def test_without_an_answer_on_record_nobody_is_asked() -> None:
    async def empty(
        request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Completion:
        raise SutError(ErrorKind.NOT_FOUND, f"{type(request).__name__} {step} {mode} {number}{about or ''}")

    ask: Ask = empty
    with pytest.raises(SutError, match="LocalRequest 0 setup 1"):
        await RecordedEditor(ask, Silent(), 1).setup(EditorSession("c", 0, (), {}))
