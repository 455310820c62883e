"""Planted replays by language, kind of edit, dependence and step, and in pairs: what was planted comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from runner.report.charts import Estimates
from runner.suites.nextedit.commit_replay import replay_commit
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import EditorSession, Place, Suggestion
from runner.suites.nextedit.orders import AnyOrder
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.run_analysis import RunAnalysis, run_analysis
from runner.suites.nextedit.run_replays import Replays, RunReplay
from runner.suites.nextedit.state import State
from runner.suites.nextedit.systems.baselines import Resting
from tests.nextedit import commit_of

FILES = {
    "a.py": ("a = 1\nkeep\nb = 1\nkeep\n", "a = 2\nkeep\nkeep\nc = 1\n"),
    "b.go": (None, "package b\n"),
    "c.js": ("gone\n", None),
}
KINDS = {"replaced": 0, "deleted": 1, "added": 2, "new file": 3, "file deleted": 4}
COMMITS = [commit_of(FILES, f"change {number}") for number in range(3)]
PLAN = ReplayPlan(lambda commit: AnyOrder(len(commit.edits)), seed=1)


class Knowing(Resting):
    """Predicts the edits of some kinds, and nothing else."""

    def __init__(self, commit: Commit, kinds: Sequence[str]) -> None:
        self.commit = commit
        self.idxs = {KINDS[kind] for kind in kinds}

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        state = State(self.commit, tuple(past_edit.edit.idx for past_edit in session.past_edits))
        edits = [self.commit.edits[idx] for idx in state.remaining if idx in self.idxs]
        return [Suggestion(edit.path, state.place(edit.idx).start, edit.before, edit.after) for edit in edits]

    async def fill(self, session: EditorSession, place: Place) -> None:
        """Nothing, at any place."""


async def replayed(systems: dict[str, Sequence[str]]) -> list[RunReplay]:
    """Each commit under each system; every commit in an order of its own."""
    rows = []
    for number, commit in enumerate(COMMITS):
        plan = ReplayPlan(PLAN.order, seed=number)
        for name, kinds in systems.items():
            replay = await replay_commit(commit, Knowing(commit, kinds), plan, lambda: 0)
            rows.append(RunReplay(name, name, commit, replace(replay, case_id=f"commit-{number}")))
    return rows


def analysed(rows: list[RunReplay], simulated: frozenset[str] = frozenset()) -> RunAnalysis:
    replays: Replays = {}
    for row in rows:
        replays.setdefault(row.name, []).append(row.replay)
    return run_analysis(rows, replays, simulated)


async def test_an_edit_is_counted_under_its_kind_and_language() -> None:
    rows = await replayed({"all": list(KINDS)})
    by = analysed(rows).groups["all"]

    made = [(row.commit.edits[step.made_edit]) for row in rows for step in row.replay.steps]
    counts = {kind: sum(edit.idx == idx for edit in made) for kind, idx in KINDS.items()}
    languages = {"python": ".py", "go": ".go", "javascript": ".js"}
    assert {kind: group["steps"] for kind, group in by["kind of edit"].items()} == {
        k: n for k, n in counts.items() if n
    }
    assert {name: group["steps"] for name, group in by["language"].items()} == {
        name: count for name, end in languages.items() if (count := sum(edit.path.endswith(end) for edit in made))
    }
    assert {name: group["steps"] for name, group in by["step"].items()} == {"1": 3, "2": 3, "3": 3, "4-5": 3}
    assert by["edit made"].keys() == {"depends on edits made"}


async def test_the_kinds_that_a_system_knows_have_its_hits_and_the_others_none() -> None:
    by = analysed(await replayed({"half": ["replaced", "new file"]})).groups["half"]["kind of edit"]

    exact = {kind: _micro(group, "exact") for kind, group in by.items()}
    assert exact == {kind: float(kind in {"replaced", "new file"}) for kind in by}
    assert len(exact) >= 4


async def test_two_systems_are_compared_by_commit() -> None:
    analysis = analysed(await replayed({"all": list(KINDS), "none": []}))

    rows: dict[str, Any] = {str(row["figure"]): row for row in analysis.pairs}
    assert {name: rows[name]["difference"][0] for name in ("f1", "precision", "recall", "hit@1")} == dict.fromkeys(
        ("f1", "precision", "recall", "hit@1"), 1.0
    )
    assert {(row["first"], row["second"], row["commits"]) for row in rows.values()} == {("all", "none", 3)}
    assert "accepted whole" not in rows, "one of them shows nothing"


async def test_simulated_systems_are_not_compared_with_others() -> None:
    rows = await replayed({"all": list(KINDS), "none": []})

    assert analysed(rows, frozenset({"all"})).pairs == []
    assert analysed(rows, frozenset({"all", "none"})).pairs != []


async def test_every_dimension_has_a_table_and_a_chart_where_it_has_values() -> None:
    analysis = analysed(await replayed({"all": list(KINDS), "none": []}))

    assert [table.columns[0] for table in analysis.deeper] == [
        "language",
        "kind of edit",
        "edit made",
        "step",
        "figure",
    ]
    assert [table.columns[0] for table in analysis.tables] == ["figure"]
    titles = [chart.title for chart in analysis.charts if isinstance(chart, Estimates)]
    assert titles == ["Next edit by language", "Next edit by kind of edit", "Next edit by step"]


def _micro(group: Mapping[str, object], name: str) -> float:
    figures = cast("dict[str, dict[str, list[float]]]", group["figures"])
    return figures[name]["micro"][0]


def test_without_replays_there_is_nothing() -> None:
    analysis = analysed([])

    assert (analysis.groups, analysis.pairs, analysis.tables, analysis.deeper) == ({}, [], (), ())
