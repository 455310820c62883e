"""What replays by the original's rules say of a system, as figures: its definitions, our intervals."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from runner.stats.intervals import Interval, mean_over_cases, rate_over_cases
from runner.stats.ratio import ratio_over_cases
from runner.suites.nextedit.historian import HistorianRun
from runner.suites.nextedit.step_metrics import Flow
from runner.suites.nextedit.summary import Figure

_Evaluation = dict[str, Any]
_Part = tuple[float, float]


def figures_of(runs: Sequence[HistorianRun]) -> dict[str, Figure]:
    """Figures by name: shares of totals and means over commits, 0..1; `latency_ms` is a mean of a step.

    False negatives are every remaining edit of every step, and recall may pass 1, as in the original: then it has no
    bounds.
    """
    steps = sum(len(run.evaluations) for run in runs)
    figures = {name: _rate(_parts(runs, measure), steps) for name, measure in _MEASURES.items()}
    times = _parts(runs, lambda evaluation: (1000 * evaluation["latency"], 1))
    return {**figures, "latency_ms": Figure(None, mean_over_cases([share / whole for share, whole in times]))}


def troubles_of(troubles: Iterable[str]) -> dict[str, int]:
    """How often each kind of trouble was met, from their words `question: kind: message`."""
    return dict(Counter([*trouble.split(": ", 2), ""][1] for trouble in troubles))


def _parts(runs: Sequence[HistorianRun], measure: Callable[[_Evaluation], _Part]) -> list[_Part]:
    """The sums of each run that has any."""
    rows = [[measure(evaluation) for evaluation in run.evaluations] for run in runs]
    sums = [(math.fsum(share for share, _ in parts), math.fsum(whole for _, whole in parts)) for parts in rows]
    return [part for part in sums if part[1] > 0]


def _rate(parts: Sequence[_Part], steps: int) -> Figure:
    means = [share / whole for share, whole in parts]
    if all(0 <= mean <= 1 for mean in means):
        return Figure(ratio_over_cases(parts), rate_over_cases(means, steps))
    total = math.fsum(share for share, _ in parts) / math.fsum(whole for _, whole in parts)
    return Figure(Interval(total, -math.inf, math.inf), mean_over_cases(means))


def _predicted(evaluation: _Evaluation) -> float:
    return float(evaluation["tp@all"] + evaluation["fp@all"])


def _allowed(evaluation: _Evaluation) -> float:
    return float(evaluation["tp@all"] + evaluation["fn@all"])


def _flow(flow: Flow) -> Callable[[_Evaluation], _Part]:
    return lambda evaluation: (len(evaluation[f"flow_{flow}"]), _predicted(evaluation))


_MEASURES: dict[str, Callable[[_Evaluation], _Part]] = {
    "precision": lambda evaluation: (evaluation["tp@all"], _predicted(evaluation)),
    "recall": lambda evaluation: (evaluation["tp@all"], _allowed(evaluation)),
    "f1": lambda evaluation: (2 * evaluation["tp@all"], _predicted(evaluation) + _allowed(evaluation)),
    **{str(flow): _flow(flow) for flow in Flow},
    "bleu": lambda evaluation: (min((evaluation["BLEU-4"] or 0.0) / 100, 1.0), 1),
}
