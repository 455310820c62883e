from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

import pytest

from runner.execution.workspace import Workspace, files_of, scratch
from runner.suites.nextedit.commit_replay import replay_commit
from runner.suites.nextedit.commits import Commit, Limits
from runner.suites.nextedit.editor import EditorError, EditorSession, Leak, Mishap, NextEditor, Place, Suggestion
from runner.suites.nextedit.judging import judge_predictions
from runner.suites.nextedit.orders import ORDERS
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.sources import Ready, from_cases
from runner.suites.nextedit.state import State
from runner.suites.nextedit.step_metrics import Flow
from runner.suites.nextedit.steps import CommitReplay
from runner.suites.nextedit.systems import SYSTEMS
from runner.suites.nextedit.systems.baselines import Oracle, Silent
from tests.nextedit import cases_folder, commit_of

COMMIT = commit_of(
    {
        "lib.py": (
            "def load(path):\n    return open(path).read()\n\n\ndef other():\n    return 1\n",
            "def load(path, strict):\n    return open(path).read()\n\n\ndef other():\n    return 1\n",
        ),
        "use.py": (
            "from lib import load\n\nfirst = load('a')\nx = 1\nsecond = load('b')\ny = 2\nprint(first)\n",
            "from lib import load\n\nfirst = load('a', True)\nx = 1\nsecond = load('b', True)\ny = 2\nlog(first)\n",
        ),
    },
    message="Make loading strict",
)
UNRELATED = commit_of({"a.py": ("a = 1\nx\nb = 2\ny\nc\n", "import os\nx\nreturn True\ny\n'z'\n")})
GRAPH = ReplayPlan(ORDERS["graph"], seed=7)


def _now() -> Iterator[int]:
    return count(0, 1_000_000)


async def _replay(editor: NextEditor, plan: ReplayPlan = GRAPH, workspace: Workspace | None = None) -> CommitReplay:
    return await replay_commit(COMMIT, editor, plan, _now().__next__, workspace)


class Scripted(Silent):
    """Answers from functions, and keeps what it was shown."""

    def __init__(self) -> None:
        self.sessions: list[EditorSession] = []
        self.places: list[Place] = []
        self.closed = 0

    async def setup(self, session: EditorSession) -> None:
        self.sessions.append(session)

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        self.sessions.append(session)
        return ()

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:
        self.places.append(place)
        return await super().fill(session, place)

    async def aclose(self) -> None:
        self.closed += 1


class TestSteps:
    async def test_every_edit_is_made_once_whatever_is_predicted(self) -> None:
        for name in SYSTEMS:
            result = await _replay(SYSTEMS[name].make(COMMIT, GRAPH))

            assert sorted(result.order) == [0, 1, 2, 3], name

    async def test_where_no_edit_depends_on_those_made_any_may_begin_a_new_island(self) -> None:
        oracle = await replay_commit(UNRELATED, Oracle(UNRELATED, ORDERS["graph"](UNRELATED)), GRAPH, _now().__next__)
        silent = await replay_commit(UNRELATED, Silent(), GRAPH, _now().__next__)

        for result, recall in ((oracle, 1), (silent, 0)):
            first, last = result.steps
            assert [step.new_island for step in result.steps] == [True, True]
            assert sorted((*first.applied, *first.allowed)) == [0, 1, 2]
            assert (first.metrics.recall, last.metrics.recall) == (recall, recall)
        assert [draw.step for draw in silent.draws] == [0, 1, 2]

    @pytest.mark.parametrize("order", ORDERS)
    async def test_the_oracle_answers_at_every_step_and_has_precision_and_recall_1(self, order: str) -> None:
        shipped = [ready.commit for ready in from_cases(cases_folder(), Limits()) if isinstance(ready, Ready)]
        plan = replace(GRAPH, order=ORDERS[order])

        replays = [
            await replay_commit(commit, SYSTEMS["oracle"].make(commit, plan), plan, _now().__next__)
            for commit in (COMMIT, UNRELATED, *shipped)
        ]

        steps = [step for replay in replays for step in replay.steps]
        assert {(step.metrics.precision, step.metrics.recall, step.metrics.hit_at(1)) for step in steps} == {(1, 1, 1)}
        assert all(step.content is not None and step.content.exact for step in steps)
        assert any(step.new_island for step in steps) == (order == "graph")

    @pytest.mark.parametrize("allowed", [0, 1])
    def test_of_two_edits_that_a_prediction_fits_it_is_the_one_that_may_come_now(self, allowed: int) -> None:
        alike = commit_of({"a.py": ("1\n2\n", "call(x)\n1\ncall(x)\n2\n")})
        prediction = Suggestion("a.py", 1, (), ("call(x);\n",))

        judged = judge_predictions([prediction], State(alike), (allowed,), ())

        assert [match.target for match in judged.matches] == [allowed]
        assert judged.metrics.flows == (Flow.KEEPING,)

    async def test_a_prediction_that_fits_is_followed_and_no_place_is_told(self) -> None:
        result = await _replay(Oracle(COMMIT, ORDERS["none"](COMMIT)), replace(GRAPH, order=ORDERS["none"]))

        assert [draw.step for draw in result.draws] == [0]
        assert all(step.fill_ns is None for step in result.steps)
        assert result.predicted_in_time >= set(result.order[1:])

    async def test_the_silent_are_told_every_place(self) -> None:
        editor = Scripted()
        result = await _replay(editor)

        assert len(editor.places) == len(result.steps) == 3
        assert all(step.metrics.precision == 0 and step.metrics.flows == () for step in result.steps)
        assert result.predicted_in_time == frozenset()

    async def test_clocks_are_taken_per_question(self) -> None:
        step = (await _replay(Silent())).steps[0]

        assert (step.latency_ns, step.fill_ns) == (1_000_000, 1_000_000)

    async def test_a_prediction_of_a_later_edit_jumps(self) -> None:
        everything = Oracle(COMMIT, ORDERS["none"](COMMIT))
        result = await _replay(everything, replace(GRAPH, order=ORDERS["file"]))

        assert result.order == (0, 1, 2, 3)
        assert result.steps[0].metrics.flows == (Flow.KEEPING, Flow.JUMPING, Flow.JUMPING)


class TestSeeds:
    async def test_the_same_seed_draws_the_same(self) -> None:
        assert (await _replay(Silent())).draws == (await _replay(Silent())).draws

    async def test_another_seed_draws_otherwise(self) -> None:
        plans = [replace(GRAPH, order=ORDERS["none"], seed=seed) for seed in range(20)]

        orders = {(await _replay(Silent(), plan)).order for plan in plans}

        assert len(orders) > 5

    async def test_another_commit_draws_otherwise_though_its_edits_are_the_same(self) -> None:
        plan = replace(GRAPH, order=ORDERS["none"])
        origins = [replace(COMMIT.origin, sha=f"{number:040x}") for number in range(20)]

        orders = {
            (await replay_commit(replace(COMMIT, origin=origin), Silent(), plan, _now().__next__)).order
            for origin in origins
        }

        assert len(orders) > 5

    async def test_draws_keep_their_options(self) -> None:
        result = await _replay(Silent())

        assert all(draw.chosen in draw.options for draw in result.draws)
        assert result.draws[0].options == ORDERS["graph"](COMMIT).initial()


class TestKnowledge:
    @pytest.mark.parametrize(
        "leak, message, files",
        [
            (Leak.NONE, None, 1),
            (Leak.FILES, None, 2),
            (Leak.MESSAGE, "Make loading strict", 2),
        ],
    )
    async def test_a_system_knows_what_may_be_known(self, leak: Leak, message: str | None, files: int) -> None:
        editor = Scripted()
        await _replay(editor, replace(GRAPH, leak=leak))

        first = editor.sessions[0]
        assert (first.message, len(first.files), len(first.texts)) == (message, files, files)

    async def test_texts_and_places_follow_the_edits_made(self) -> None:
        editor = Scripted()
        result = await _replay(editor)

        for session, step in zip(editor.sessions[1:], result.steps, strict=True):
            assert [made.edit.idx for made in session.past_edits] == list(step.applied)
            for made in session.past_edits:
                lines = session.texts[made.edit.path].splitlines(keepends=True)
                assert tuple(lines[made.now.start : made.now.end]) == made.edit.after


class TestTree:
    async def test_the_tree_follows_the_edits_and_foreign_changes_are_undone(self) -> None:
        class Meddling(Scripted):
            async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
                assert session.tree is not None
                seen.append((session.tree / "use.py").read_text() == session.texts["use.py"])
                (session.tree / "use.py").write_text("mine\n")
                (session.tree / "trash").write_text("x")
                return ()

        seen: list[bool] = []
        with scratch(files_of({touched.path: touched.before or "" for touched in COMMIT.files})) as workspace:
            await _replay(Meddling(), workspace=workspace)
            left = sorted(path.name for path in workspace.folder.iterdir())

        assert seen == [True, True, True]
        assert left == ["lib.py", "use.py"]


DELETIONS = commit_of({"a.py": ("a = 1\nx\nb = 2\nx\nc = 3\nx\n", "x\nx\nx\n")})


class TestContent:
    """What an answer is worth that is given for the place of an edit."""

    @pytest.mark.parametrize("commit", [pytest.param(COMMIT, id="edits"), pytest.param(DELETIONS, id="deletions")])
    async def test_silence_is_worth_nothing_and_the_oracle_everything(self, commit: Commit) -> None:
        plan = ReplayPlan(ORDERS["none"], seed=1)
        silent, oracle = [
            await replay_commit(commit, SYSTEMS[name].make(commit, plan), plan, _now().__next__)
            for name in ("silent", "oracle")
        ]

        assert [(each.content.bleu, each.content.exact) for each in silent.steps if each.content] == [(0, False)] * len(
            commit.edits[1:]
        )
        assert [each.content.bleu for each in oracle.steps if each.content] == [100] * len(commit.edits[1:])

    async def test_lines_left_as_they_are_are_no_answer_to_a_deletion(self) -> None:
        class Leaving(Scripted):
            async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:  # noqa: ARG002 - the Protocol's
                return list(place.before)

        class Deleting(Scripted):
            async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:  # noqa: ARG002 - the Protocol's
                return []

        left, deleted = [
            await replay_commit(DELETIONS, editor, GRAPH, _now().__next__) for editor in (Leaving(), Deleting())
        ]

        assert [each.content.bleu for each in left.steps if each.content] == [0, 0]
        assert [each.content.bleu for each in deleted.steps if each.content] == [100, 100]


class TestTrouble:
    async def test_an_editor_that_fails_costs_its_own_questions(self) -> None:
        class Failing(Scripted):
            async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
                raise EditorError(Mishap.TIMEOUT, f"no answer at step {session.step}")

            async def fill(self, session: EditorSession, place: Place) -> Sequence[str] | None:
                raise EditorError(Mishap.CRASHED, f"ended at {place} of step {session.step}")

        editor = Failing()
        result = await _replay(editor)

        assert sorted(result.order) == [0, 1, 2, 3]
        assert [trouble.reason for trouble in result.steps[0].troubles] == [Mishap.TIMEOUT, Mishap.CRASHED]
        assert result.steps[0].content is not None
        assert result.steps[0].content.bleu == 0
        assert editor.closed == 1

    @pytest.mark.parametrize(
        "suggestion, reason",
        [
            (Suggestion("use.py", 0, ("not there\n",), ()), Mishap.NONSENSE),
            (Suggestion("../../etc/passwd", 0, (), ("x\n",)), Mishap.OUTSIDE),
        ],
    )
    async def test_predictions_of_lines_that_are_not_there_break_the_flow_with_a_reason(
        self, suggestion: Suggestion, reason: Mishap
    ) -> None:
        class Nonsense(Silent):
            async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:  # noqa: ARG002 - the Protocol's
                return [suggestion]

        step = (await _replay(Nonsense())).steps[0]

        assert (step.metrics.flows, step.matches) == ((Flow.BREAKING,), ())
        assert [trouble.reason for trouble in step.troubles] == [reason]

    async def test_an_editor_is_closed_even_if_it_breaks(self) -> None:
        class Broken(Scripted):
            async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
                raise RuntimeError(str(session.step))

        editor = Broken()
        with pytest.raises(RuntimeError):
            await _replay(editor)

        assert editor.closed == 1


def test_orders_by_name_fit_a_commit() -> None:
    commit: Commit = COMMIT

    assert ORDERS["none"](commit).allowed({0}) == (1, 2, 3)
    assert ORDERS["none"](commit).initial() == (0, 1, 2, 3)
    assert ORDERS["file"](commit).allowed({0, 1}) == (2,)
    assert ORDERS["file"](commit).initial() == (0,)
    assert ORDERS["graph"](commit).allowed({0}) == (1, 2)
