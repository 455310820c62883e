"""Our own systems in worker processes: the same answers, and no stream of a model waits for them."""

import os
from collections.abc import Iterator, Sequence

import pytest

from runner.pool.executor import Executor
from runner.pool.processes import Processes
from runner.run.answer_scoring import SCORED_AT_ONCE
from runner.suites.nextedit.commit_replay import replay_commit, session_of
from runner.suites.nextedit.editor import EditorError, EditorSession, Leak, Mishap, Place, Suggestion
from runner.suites.nextedit.orders import ORDERS
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.state import State
from runner.suites.nextedit.systems import SYSTEMS
from runner.suites.nextedit.systems.baselines import Resting
from runner.suites.nextedit.systems.pooled import Pooled
from tests.nextedit import commit_of

FILLER = "".join(f"value_{number} = {number}\n" for number in range(SCORED_AT_ONCE // 10))
COMMIT = commit_of(
    {
        "lib.py": (
            f"def load(path):\n    return path\n{FILLER}",
            f"def load(path, strict):\n    return path\n{FILLER}",
        ),
        "use.py": (
            "first = load('a')\nx = 1\nfirst = load('a')\n",
            "first = load('a', 1)\nx = 1\nfirst = load('a', 1)\n",
        ),
    }
)
SMALL = commit_of({"a.py": ("a = 1\nx\nb = 1\n", "a = 2\nx\nb = 2\n")})


class Locating(Resting):
    """Predicts a file that is named after the process in which it is asked."""

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        return [Suggestion(str(os.getpid()), session.step, (), ())]

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str]:
        return (str(os.getpid()), place.path, str(session.step))


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with Processes(1) as workers:
        yield workers


def _session(large: bool) -> EditorSession:
    return session_of(State(COMMIT if large else SMALL, (0,)), 1, Leak.MESSAGE, None)


@pytest.mark.parametrize("large", [True, False])
async def test_questions_about_large_files_are_answered_in_another_process(pool: Executor, large: bool) -> None:
    editor = Pooled(Locating(), pool)

    (suggestion,) = await editor.recommend(_session(large))
    lines = await editor.fill(_session(large), Place("use.py", 0, ()))

    assert (suggestion.path != str(os.getpid())) == large
    assert lines == (suggestion.path, "use.py", "1")


@pytest.mark.parametrize("name", ["rules", "clones", "repeat-last", "random"])
async def test_the_answers_are_the_same(pool: Executor, name: str) -> None:
    plans = [ReplayPlan(ORDERS["graph"], 1, Leak.MESSAGE, workers) for workers in (None, pool)]

    here, there = [await replay_commit(COMMIT, SYSTEMS[name].make(COMMIT, plan), plan, lambda: 0) for plan in plans]

    assert here == there
    assert any(step.suggestions for step in here.steps)


async def test_a_process_that_takes_too_long_costs_the_question() -> None:
    with Processes(1, limit_s=0.001) as slow:
        editor = Pooled(Locating(), slow)

        with pytest.raises(EditorError, match=r"longer than 0\.001 s") as recommending:
            await editor.recommend(_session(large=True))
        with pytest.raises(EditorError, match=r"longer than 0\.001 s"):
            await editor.fill(_session(large=True), Place("use.py", 0, ()))

    assert recommending.value.reason is Mishap.CRASHED
