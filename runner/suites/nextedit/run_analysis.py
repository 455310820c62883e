"""What the replays of a run show beyond its figures: groups of steps, systems in pairs, charts."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from runner.document import Table
from runner.report.charts import Chart
from runner.suites.nextedit.analysis import group_charts, group_tables, groups_json, step_groups
from runner.suites.nextedit.charts import step_charts
from runner.suites.nextedit.run_replays import Replays, RunReplay
from runner.suites.nextedit.system_pairs import FIGURES, pairs_json, pairs_table, system_pairs

# The figure by which the report compares systems; the others are in its deeper tables.
_HEADLINE = FIGURES[0]


@dataclass(frozen=True, slots=True)
class RunAnalysis:
    """`groups` by system and `pairs` are plain data; `tables` are for every report, `deeper` ones on request."""

    groups: dict[str, dict[str, dict[str, dict[str, object]]]]
    pairs: list[dict[str, object]]
    tables: tuple[Table, ...]
    deeper: tuple[Table, ...]
    charts: tuple[Chart, ...]


def run_analysis(run_replays: Sequence[RunReplay], replays: Replays, simulated: Container[str]) -> RunAnalysis:
    """The analysis of a run; `replays` are the same by system."""
    groups = step_groups(run_replays)
    pairs = system_pairs(replays, [name for name in replays if name in simulated])
    names = {name: f"{name} (simulated)" for name in replays if name in simulated}
    headline = [pair for pair in pairs if pair.figure == _HEADLINE]
    others = [pair for pair in pairs if pair.figure != _HEADLINE]
    return RunAnalysis(
        {name: groups_json(groups, name) for name in replays},
        pairs_json(pairs),
        (pairs_table(headline, names),) if headline else (),
        (*group_tables(groups, names), *((pairs_table(others, names),) if others else ())),
        (*step_charts(replays), *group_charts(groups)),
    )
