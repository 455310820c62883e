"""What replays of several commits say of a system: every figure over all steps, and over commits that weigh alike."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from runner.stats.intervals import Interval, mean_over_cases, rate_over_cases
from runner.stats.ratio import ratio_over_cases
from runner.suites.nextedit.answers import RECOMMEND
from runner.suites.nextedit.first_prediction import FirstPrediction
from runner.suites.nextedit.step_metrics import CUTS, Flow
from runner.suites.nextedit.steps import CommitReplay, Step, Trouble

Part = tuple[float, float]
CommitMeasure = Callable[[CommitReplay], Part]


@dataclass(frozen=True, slots=True)
class Figure:
    """A share of totals (`micro`) and a mean over commits (`macro`), intervals clustered by commit; None = unknown."""

    micro: Interval | None
    macro: Interval | None


def summarize(replays: Sequence[CommitReplay]) -> dict[str, Figure]:
    """The figures of a system by name; rates are 0..1, `bleu` too.

    `latency_ms`, `first_edit_ms` and `cost_usd` are means of a step: its recommendation's time in milliseconds, the
    time to the first edit in an answer, and what all its answers cost. They are unknown where no answer has them.
    """
    return {name: figure_of(name, replays) for name in MEASURES}


def figure_of(name: str, replays: Sequence[CommitReplay]) -> Figure:
    """One figure of `summarize`."""
    if name == "precision":
        return _precision_figure(replays)
    parts = [part for part in _by_commit(replays, MEASURES[name]).values() if part[1]]
    means = [share / whole for share, whole in parts]
    if name in _AMOUNTS:
        return Figure(None, mean_over_cases(means))
    return Figure(ratio_over_cases(parts), rate_over_cases(means, sum(len(replay.steps) for replay in replays)))


def share_by_commit(name: str, replays: Sequence[CommitReplay]) -> dict[str, float]:
    """A figure of each commit by its id, where it has one; precision without predictions is 0."""
    parts = _by_commit(replays, MEASURES[name])
    if name == "precision":
        return {commit: hits / predictions if predictions else 0.0 for commit, (hits, predictions) in parts.items()}
    return {commit: share / whole for commit, (share, whole) in parts.items() if whole}


def _precision_figure(replays: Sequence[CommitReplay]) -> Figure:
    """Hits per prediction, of the run and of each commit; 0 where nothing was predicted.

    So silence is worth nothing, in one commit as in all.
    """
    parts = list(_by_commit(replays, _precision).values())
    means = list(share_by_commit("precision", replays).values())
    return Figure(
        ratio_over_cases(parts) or ratio_over_cases(list(_by_commit(replays, _none_of_all).values())),
        rate_over_cases(means, sum(len(replay.steps) for replay in replays)),
    )


def _none_of_all(replay: CommitReplay) -> Part:
    """None of the steps."""
    return _steps(lambda _step: False)(replay)


def with_dependent_edits(replays: Iterable[CommitReplay]) -> list[CommitReplay]:
    """Return the replays with those steps alone at which an edit depends on those made; without any, no replay."""
    shorter = (replace(replay, steps=tuple(step for step in replay.steps if not step.new_island)) for replay in replays)
    return [replay for replay in shorter if replay.steps]


def _by_commit(replays: Sequence[CommitReplay], measure: CommitMeasure) -> dict[str, Part]:
    """The parts of each commit by its id, all its replays together: they are not independent."""
    parts: dict[str, Part] = {}
    for replay in replays:
        share, whole = measure(replay)
        known = parts.get(replay.case_id, (0.0, 0.0))
        parts[replay.case_id] = known[0] + share, known[1] + whole
    return parts


def _sum(replay: CommitReplay, share: Callable[[Step], float], whole: Callable[[Step], float]) -> Part:
    return sum(map(share, replay.steps)), sum(map(whole, replay.steps))


def _precision(replay: CommitReplay) -> Part:
    return _sum(replay, lambda step: len(step.metrics.kept_ranks), lambda step: len(step.metrics.flows))


def _recall(replay: CommitReplay) -> Part:
    return _sum(replay, lambda step: len(step.metrics.kept_ranks), lambda step: len(step.allowed))


def _f1(replay: CommitReplay) -> Part:
    return _sum(
        replay,
        lambda step: 2 * len(step.metrics.kept_ranks),
        lambda step: len(step.metrics.flows) + len(step.allowed),
    )


def _flow(flow: Flow) -> CommitMeasure:
    return lambda replay: _sum(
        replay, lambda step: step.metrics.flows.count(flow), lambda step: len(step.metrics.flows)
    )


def _first(share: Callable[[FirstPrediction], float], whole: Callable[[FirstPrediction], float]) -> CommitMeasure:
    """A share of what editors gain that show the first prediction."""
    return lambda replay: _sum(replay, lambda step: share(step.first), lambda step: whole(step.first))


def _right_nothing_more(replay: CommitReplay) -> Part:
    return _sum(replay, lambda step: step.nothing_more and step.new_island, lambda step: step.nothing_more)


def _new_files(replay: CommitReplay) -> Part:
    return _sum(replay, lambda step: step.metrics.new_files, lambda step: len(step.metrics.flows))


def _steps(value: Callable[[Step], float]) -> CommitMeasure:
    """A mean over steps."""
    return lambda replay: _sum(replay, value, lambda _step: 1)


def _hit(cut: int) -> CommitMeasure:
    return _steps(lambda step: step.metrics.hit_at(cut))


def _kept(cut: int) -> CommitMeasure:
    return _steps(lambda step: step.metrics.kept_at(cut) > 0)


def _bleu(step: Step) -> float:
    return step.content.bleu / 100 if step.content else 0.0


def _exact(step: Step) -> float:
    return float(step.content is not None and step.content.exact)


def _excision(step: Step) -> float:
    return step.content.excision.get("es-token", 0.0) if step.content else 0.0


def _in_time(replay: CommitReplay) -> Part:
    return len(replay.predicted_in_time), len(replay.steps)


def _in_view(replay: CommitReplay) -> Part:
    seen = [bool(step.in_view) for step in replay.steps if step.in_view is not None]
    return sum(seen), len(seen)


def _edits_in_view(replay: CommitReplay) -> Part:
    return _sum(
        replay,
        lambda step: len(step.in_view or ()),
        lambda step: 0 if step.in_view is None else len(step.allowed),
    )


def _latency(replay: CommitReplay) -> Part:
    return _sum(replay, lambda step: step.latency_ns / 1e6, lambda _step: 1)


def _first_edit(replay: CommitReplay) -> Part:
    clocks = (call.clocks.first_edit_ms for step in replay.steps for call in step.calls if call.mode == RECOMMEND)
    known = [clock for clock in clocks if clock is not None]
    return sum(known), len(known)


def _cost(replay: CommitReplay) -> Part:
    costs = [call.cost_usd for step in replay.steps for call in step.calls]
    known = [cost for cost in costs if cost is not None]
    return sum(known), len(replay.steps) if known and len(known) == len(costs) else 0


_AMOUNTS: dict[str, CommitMeasure] = {
    "latency_ms": _latency,
    "first_edit_ms": _first_edit,
    "cost_usd": _cost,
}
MEASURES: dict[str, CommitMeasure] = {
    "precision": _precision,
    "recall": _recall,
    "f1": _f1,
    **{str(flow): _flow(flow) for flow in Flow},
    **{f"hit@{cut}": _hit(cut) for cut in CUTS},
    **{f"kept@{cut}": _kept(cut) for cut in CUTS},
    "predicted in time": _in_time,
    "nothing more": _steps(lambda step: step.nothing_more),
    "right nothing more": _right_nothing_more,
    "accepted whole": _first(lambda first: first.accepted, lambda first: first.visible),
    "accepted in part": _first(lambda first: first.kept, lambda first: first.lines),
    "keystrokes saved": _first(lambda first: first.keys_saved, lambda first: first.keys),
    "new islands": _steps(lambda step: step.new_island),
    "new files": _new_files,
    "in view": _in_view,
    "edits in view": _edits_in_view,
    "bleu": _steps(_bleu),
    "exact": _steps(_exact),
    "excision": _steps(_excision),
    **_AMOUNTS,
}


def failure(replays: Iterable[CommitReplay]) -> Trouble | None:
    """The first trouble of a system that failed at every question of every step; None if it had an answer to one."""
    steps = [step for replay in replays for step in replay.steps]
    requests = sum(1 + (step.content is not None and step.content.requested) for step in steps)
    failed = [trouble for step in steps for trouble in step.troubles if trouble.reason.failed]
    return failed[0] if steps and len(failed) == requests else None


def troubles(replays: Iterable[CommitReplay]) -> dict[str, int]:
    """How often each kind of trouble was met."""
    counts: dict[str, int] = {}
    for replay in replays:
        for trouble in (*replay.troubles, *(trouble for step in replay.steps for trouble in step.troubles)):
            counts[str(trouble.reason)] = counts.get(str(trouble.reason), 0) + 1
    return counts
