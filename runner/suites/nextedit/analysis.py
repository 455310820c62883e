"""Replays by what their steps are about: the language and the kind of the edit made, what it depends on, the step."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from runner.document import Table
from runner.report.charts import Estimate, Estimates
from runner.report.tables import percent
from runner.suites.nextedit.commits import Commit, EditKind
from runner.suites.nextedit.results import figures_json
from runner.suites.nextedit.run_replays import RunReplay
from runner.suites.nextedit.steps import CommitReplay, Step
from runner.suites.nextedit.summary import Figure, figure_of
from runner.syntax import language_of

FIGURES = ("precision", "recall", "hit@1", "exact", "accepted whole", "accepted in part", "keystrokes saved")
_SHOWN = ("hit@1", "precision", "recall", "keystrokes saved")
_CHART = "hit@1"
_KINDS = {EditKind.INSERT: "added", EditKind.DELETE: "deleted", EditKind.REPLACE: "replaced"}
_STEPS = ((1, "1"), (2, "2"), (3, "3"), (5, "4-5"), (10, "6-10"))
_LATE = "11 and later"


def _language(step: Step, commit: Commit) -> str:
    return language_of(commit.edits[step.made_edit].path) or "other"


def _kind(step: Step, commit: Commit) -> str:
    edit = commit.edits[step.made_edit]
    touched = next(touched for touched in commit.files if touched.path == edit.path)
    if touched.before is None:
        return "new file"
    return "file deleted" if touched.after is None else _KINDS[edit.kind]


def _dependence(step: Step, _commit: Commit) -> str:
    return "a new island" if step.new_island else "depends on edits made"


def _number(step: Step, _commit: Commit) -> str:
    return next((name for last, name in _STEPS if step.number <= last), _LATE)


# Of the edit that is made at a step, or of the step; each with its values in order, () = the commonest first.
DIMENSIONS: Mapping[str, tuple[Callable[[Step, Commit], str], tuple[str, ...]]] = {
    "language": (_language, ()),
    "kind of edit": (_kind, ("added", "replaced", "deleted", "new file", "file deleted")),
    "edit made": (_dependence, ("depends on edits made", "a new island")),
    "step": (_number, (*(name for _, name in _STEPS), _LATE)),
}


@dataclass(frozen=True, slots=True)
class StepGroup:
    """The steps of one system that have one value of a dimension, and their figures by name."""

    dimension: str
    value: str
    system: str
    steps: int
    figures: Mapping[str, Figure]


def step_groups(run_replays: Sequence[RunReplay]) -> list[StepGroup]:
    """The steps of a run by dimension, value and system; values without a step are left out."""
    systems = list(dict.fromkeys(row.name for row in run_replays))
    groups = []
    for dimension, (value_of, order) in DIMENSIONS.items():
        counts = Counter(value_of(step, row.commit) for row in run_replays for step in row.replay.steps)
        for value in order or [value for value, _ in counts.most_common()]:
            for system in systems:
                rows = (row for row in run_replays if row.name == system)
                replays = [shorter for row in rows if (shorter := _with_value(row, value_of, value)).steps]
                if replays:
                    figures = {name: figure_of(name, replays) for name in FIGURES}
                    steps = sum(len(replay.steps) for replay in replays)
                    groups.append(StepGroup(dimension, value, system, steps, figures))
    return groups


def _with_value(row: RunReplay, value_of: Callable[[Step, Commit], str], value: str) -> CommitReplay:
    return replace(row.replay, steps=tuple(step for step in row.replay.steps if value_of(step, row.commit) == value))


def groups_json(groups: Sequence[StepGroup], system: str) -> dict[str, dict[str, dict[str, object]]]:
    """The groups of a system as plain data: {dimension: {value: {"steps": count, "figures": figures}}}."""
    data: dict[str, dict[str, dict[str, object]]] = {}
    for group in groups:
        if group.system == system:
            row = {"steps": group.steps, "figures": figures_json(group.figures)}
            data.setdefault(group.dimension, {})[group.value] = row
    return data


def group_tables(groups: Sequence[StepGroup], simulated: Mapping[str, str]) -> Iterator[Table]:
    """A table for each dimension; shares of totals, 95 % intervals clustered by commit. `simulated` gives names."""
    for dimension in DIMENSIONS:
        rows = [
            (
                group.value,
                simulated.get(group.system, group.system),
                str(group.steps),
                *(percent(group.figures[name].micro).replace("%", "") for name in _SHOWN),
            )
            for group in groups
            if group.dimension == dimension
        ]
        if rows:
            columns = (dimension, "system", "steps", *_SHOWN)
            title = f"steps by {dimension}: %, 95 % intervals clustered by commit"
            yield Table(title, columns, tuple(rows), (dimension, "system", *_SHOWN[:2]))


def group_charts(groups: Sequence[StepGroup]) -> Iterator[Estimates]:
    """A chart for each dimension that has several values."""
    for dimension in DIMENSIONS:
        rows = tuple(
            Estimate(group.system, group.value, interval, group.steps)
            for group in sorted(groups, key=lambda group: group.system)
            if group.dimension == dimension and (interval := group.figures[_CHART].micro) is not None
        )
        if len({row.label for row in rows}) > 1:
            note = "Share of the steps at which the first prediction is an edit yet to come, of the run's steps"
            yield Estimates(f"Next edit by {dimension}", f"{note} by {dimension}.", "steps", rows)
