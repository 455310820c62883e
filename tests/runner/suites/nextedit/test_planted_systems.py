"""Systems with planted shares of right, breaking, silent and new-file answers: the shares come back exactly."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle

import pytest

from diff_apply import DIFF_ALGORITHMS
from diff_apply.generate import diff_of
from parsers import PARSERS
from runner.records import Completion
from runner.suites.nextedit.answer_reading import Reading
from runner.suites.nextedit.answers import RECOMMEND
from runner.suites.nextedit.commit_replay import replay_commit
from runner.suites.nextedit.commits import Commit, Limits
from runner.suites.nextedit.editor import EditorSession, Place, Suggestion
from runner.suites.nextedit.matching import Target, target_of
from runner.suites.nextedit.orders import ORDERS, allowed_next
from runner.suites.nextedit.players import ModelPlayer
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.sources import Ready, from_cases
from runner.suites.nextedit.state import Situation, State
from runner.suites.nextedit.step_metrics import Flow
from runner.suites.nextedit.steps import CommitReplay
from runner.suites.nextedit.summary import summarize
from runner.suites.nextedit.systems.baselines import Resting
from suts.sut import Request
from tests.nextedit import cases_folder, commit_of

RIGHT, BREAKING, SILENT, NEW_FILE = "right", "breaking", "silent", "new file"
FLOWS = {RIGHT: (Flow.KEEPING,), BREAKING: (Flow.BREAKING,), SILENT: (), NEW_FILE: (Flow.BREAKING,)}
PLAN = ReplayPlan(ORDERS["graph"], seed=3)
READING = Reading("", PARSERS["xml-tools-v2"], DIFF_ALGORITHMS["v4"])
ADDING = commit_of(
    {"a.py": (None, "a = 1\n"), "b.py": ("b = 1\n", "b = 2\n"), "c.py": ("c = 1\n", None), "d.py": ("d\n", "e\n")}
)
COMMITS = [ADDING, *(ready.commit for ready in from_cases(cases_folder(), Limits()) if isinstance(ready, Ready))]
PLANTED = [
    pytest.param([RIGHT, BREAKING, SILENT, NEW_FILE], id="a-quarter-each"),
    pytest.param([RIGHT, *[BREAKING] * 8], id="wrong-eight-times-of-nine"),
    pytest.param([SILENT], id="silent"),
    pytest.param([NEW_FILE, RIGHT, RIGHT], id="new-files"),
    pytest.param([RIGHT], id="right"),
]


@dataclass
class Planted(Resting):
    """Answers each step by the next kind in a cycle: as an Ask it writes calls, as an editor it makes suggestions."""

    kinds: Sequence[str]
    commit: Commit = ADDING
    given: dict[tuple[str, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._next = cycle(self.kinds)

    async def __call__(
        self, request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Completion:
        assert (request.truth, number) == (None, 1)
        assert isinstance(about, Situation)
        kind = self._kind(about.state, step) if mode == RECOMMEND else SILENT
        match kind:
            case "right":
                return Completion(_call_of(_right(about.state), about.state))
            case "breaking":
                diff = diff_of("no such line\n", "x\n")
                path = ("elsewhere/old.py", *about.state.texts())[step % 2]
                return Completion(f"<replace_in_file><path>{path}</path><diff>\n{diff}</diff></replace_in_file>")
            case "new file":
                return Completion(
                    f"<write_to_file><path>planted/{step}.py</path><content>\nx = 1\n</content></write_to_file>"
                )
        return Completion("Nothing more to do.")

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        state = State(self.commit, tuple(past_edit.edit.idx for past_edit in session.past_edits))
        match self._kind(state, session.step):
            case "right":
                right = _right(state)
                return [Suggestion(right.path, right.start, right.before, right.after)]
            case "breaking":
                path = ("elsewhere/old.py", *session.texts)[session.step % 2]
                return [Suggestion(path, 0, ("no such line\n",), ("x\n",))]
            case "new file":
                return [Suggestion(f"planted/{session.step}.py", 0, (), ("x = 1\n",))]
        return ()

    async def fill(self, session: EditorSession, place: Place) -> None:
        """Nothing, at any place."""

    def _kind(self, state: State, step: int) -> str:
        return self.given.setdefault((state.commit.case_id, step), next(self._next))


def _right(state: State) -> Target:
    return target_of(state, allowed_next(PLAN.order(state.commit), state)[0])


def _call_of(right: Target, state: State) -> str:
    text = state.texts().get(right.path, "")
    lines = text.splitlines(keepends=True)
    edited = "".join((*lines[: right.start], *right.after, *lines[right.span.end :]))
    if not edited:
        return f"<execute_command><command>git rm {right.path}</command></execute_command>"
    return f"<replace_in_file><path>{right.path}</path><diff>\n{diff_of(text, edited)}</diff></replace_in_file>"


async def _model(planted: Planted) -> list[CommitReplay]:
    player = ModelPlayer(PLAN, (READING,))
    return [(await player.play(commit, planted, 1)).replay for commit in COMMITS]


async def _module(planted: Planted) -> list[CommitReplay]:
    replays = []
    for commit in COMMITS:
        planted.commit = commit
        replays.append(await replay_commit(commit, planted, PLAN, lambda: 0))
    return replays


Play = Callable[[Planted], Awaitable[list[CommitReplay]]]


@pytest.mark.parametrize("kinds", PLANTED)
@pytest.mark.parametrize("played", [_model, _module])
async def test_planted_shares_come_back_exactly_by_step_and_flow(played: Play, kinds: list[str]) -> None:
    planted = Planted(kinds)

    replays = await played(planted)

    for replay in replays:
        for step in replay.steps:
            kind = planted.given[replay.case_id, step.number]
            assert (step.metrics.flows, step.nothing_more) == (FLOWS[kind], kind == SILENT), (replay.case_id, step)
            assert step.metrics.new_files == (kind == NEW_FILE) + (kind == RIGHT and step.suggestions[0].path == "a.py")
    counts = Counter(planted.given.values())
    steps, predictions = counts.total(), counts.total() - counts[SILENT]
    expected = {
        "precision": counts[RIGHT] / predictions if predictions else 0.0,
        "nothing more": counts[SILENT] / steps,
        "hit@1": counts[RIGHT] / steps,
    }
    if predictions:
        expected |= {"keeping": counts[RIGHT] / predictions, "jumping": 0.0, "reverting": 0.0}
        expected["breaking"] = (counts[BREAKING] + counts[NEW_FILE]) / predictions
    micros = {name: figure.micro for name, figure in summarize(replays).items()}
    assert {name: interval.estimate for name in expected if (interval := micros[name])} == pytest.approx(expected)


async def test_a_model_and_a_module_that_say_the_same_have_the_same_figures() -> None:
    kinds = [RIGHT, BREAKING, NEW_FILE, SILENT, RIGHT, BREAKING]

    model, module = await _model(Planted(kinds)), await _module(Planted(kinds))

    assert [[step.metrics for step in replay.steps] for replay in model] == [
        [step.metrics for step in replay.steps] for replay in module
    ]
    assert [replay.order for replay in model] == [replay.order for replay in module]
