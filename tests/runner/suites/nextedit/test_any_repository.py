"""Whatever a repository holds, the bounds hold: the oracle has 100 %, and a model that is right is never wrong."""

import os

import pytest

from diff_apply import DIFF_ALGORITHMS
from parsers import PARSERS
from runner.git import Repository
from runner.records import Completion
from runner.suites.nextedit.answer_reading import Reading
from runner.suites.nextedit.commit_replay import replay_commit
from runner.suites.nextedit.commits import Commit, read_commit
from runner.suites.nextedit.orders import ORDERS
from runner.suites.nextedit.players import ModelPlayer
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.sim_truth import right_answer
from runner.suites.nextedit.state import Situation
from runner.suites.nextedit.steps import CommitReplay
from runner.suites.nextedit.summary import summarize
from runner.suites.nextedit.systems.baselines import Oracle
from suts.simulated.answers import call, diff_of
from suts.simulated.calls import xml
from suts.sut import Request
from tests.nextedit import ANY_SIZE
from tests.repositories import git, make_repository

READING = Reading("", PARSERS["xml-tools-v2"], DIFF_ALGORITHMS["v4"])
NAMED_IN_LATIN = os.fsdecode(b"caf\xe9.txt")
BODY = "".join(f"line {number}\n" for number in range(12))


def _rows(word: bytes) -> bytes:
    """Rows with a blank line after each fifth: where all rows differ, git takes the blank lines for changed too."""
    return b"".join(b"%d %s\n" % (number, word) + b"\n" * (number % 5 == 0) for number in range(300))


BEFORE = {
    "crlf.txt": b"a\r\nb\r\nc\r\n",
    "latin.txt": b"caf\xe9 one\nsame\nth\xe9 end\n",
    NAMED_IN_LATIN: b"one\ntwo\nthree\n",
    "gone.py": b"x = 1\n",
    "end.txt": b"no newline at the end",
    "picture.bin": b"\0\1\2",
    "moved/old.py": BODY.encode(),
    "rows.c": _rows(b"old"),
    "alike.txt": b"same\n" * 6,
}
AFTER = {
    "crlf.txt": b"a\r\nB\r\nc\r\nd",
    "latin.txt": b"caf\xe9 two\nsame\nth\xe9 very end\n",
    NAMED_IN_LATIN: b"1\ntwo\n3\n",
    "end.txt": b"a newline at the end\n",
    "picture.bin": b"\0\3",
    "moved/new.py": BODY.replace("line 3", "row 3").encode(),
    "rows.c": _rows(b"new"),
    "alike.txt": b"same\n" * 9,
    "added/empty.py": b"",
    "added/full.py": b"y = 2\n",
}


@pytest.fixture(scope="module")
def odd_commit(tmp_path_factory: pytest.TempPathFactory) -> Commit:
    """A commit with all that git may hold: bytes, links, names, binaries, moves, what is added, gone, or empty."""
    folder = tmp_path_factory.mktemp("odd")
    make_repository(folder, BEFORE, AFTER)
    (folder / "link").symlink_to("rows.c")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--amend", "-m", "all at once")
    with Repository(folder) as repository:
        commit = read_commit(repository, git(folder, "rev-parse", "HEAD").strip(), ANY_SIZE)
    assert isinstance(commit, Commit)
    return commit


async def right_model(commit: Commit) -> CommitReplay:
    """The replay of a commit with a model that always gives the first edit that is allowed."""
    order = ORDERS["graph"](commit)

    async def ask(
        request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Completion:
        assert isinstance(about, Situation)
        truth = right_answer(about.state, order, about.place, number)
        assert (truth is not None, request.truth, bool(mode), step > 0) == (True, None, True, True)
        return Completion(xml((call(truth.path, diff_of(truth.blocks)),)) if truth else "")

    player = ModelPlayer(ReplayPlan(lambda _commit: order), (READING,))
    return (await player.play(commit, ask, 1)).replay


async def test_the_oracle_has_all_and_nothing_else_at_every_step(odd_commit: Commit) -> None:
    order = ORDERS["graph"](odd_commit)

    replay = await replay_commit(odd_commit, Oracle(odd_commit, order), ReplayPlan(lambda _c: order), lambda: 0)

    assert len(replay.steps) == len(odd_commit.edits) - 1 >= 11
    assert {(step.metrics.precision, step.metrics.recall, step.troubles) for step in replay.steps} == {(1.0, 1.0, ())}
    figures = {name: figure.micro for name, figure in summarize([replay]).items()}
    assert [interval.estimate for name in ("precision", "recall") if (interval := figures[name])] == [1.0, 1.0]


async def test_a_model_that_is_right_makes_the_very_edits_in_one_prediction_each(odd_commit: Commit) -> None:
    replay = await right_model(odd_commit)

    assert {(len(step.suggestions), step.metrics.precision) for step in replay.steps} == {(1, 1.0)}
    assert all(found.exact for step in replay.steps for found in step.matches)
    assert not any(step.troubles for step in replay.steps)
