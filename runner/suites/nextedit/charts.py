"""Replayed commits as charts: recall over the steps of a commit, and the effect of predictions on the flow."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum

from runner.report.charts import Chart, Curve, Curves, ShareRow, Shares
from runner.suites.nextedit.step_metrics import Flow
from runner.suites.nextedit.steps import CommitReplay

# A step that fewer commits reach says little, and is left out.
_FEWEST = 3


def step_charts(replays: Mapping[str, Sequence[CommitReplay]]) -> tuple[Chart, ...]:
    """Return the charts of a run by system; nothing without steps."""
    curves = tuple(Curve(name, points) for name, commits in replays.items() if (points := _recalls(commits)))
    flows = tuple(ShareRow(name, _flows(commits)) for name, commits in replays.items())
    charts: list[Chart] = []
    if curves:
        note = (
            "Mean share of the edits that may come next that are predicted, after so many edits were made; steps that "
            f"fewer than {_FEWEST} replays reach are left out."
        )
        charts.append(Curves("Next edit over steps", note, "edits made before", curves))
    if any(any(row.counts) for row in flows):
        note = (
            "Effect of predictions on the flow of work: keeping = may come now, jumping = comes later, reverting = "
            "takes an edit back, breaking = anything else."
        )
        charts.append(Shares("Flow of work", note, tuple(map(str, Flow)), flows))
    return tuple(charts)


def _recalls(replays: Sequence[CommitReplay]) -> tuple[tuple[float, float], ...]:
    by_step: defaultdict[int, list[float]] = defaultdict(list)
    for replay in replays:
        for step in replay.steps:
            by_step[step.number].append(step.metrics.recall)
    return tuple(
        (float(number), fsum(values) / len(values))
        for number, values in sorted(by_step.items())
        if len(values) >= _FEWEST
    )


def _flows(replays: Sequence[CommitReplay]) -> tuple[int, ...]:
    return tuple(sum(step.metrics.flows.count(flow) for replay in replays for step in replay.steps) for flow in Flow)
