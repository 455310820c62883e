"""What a session computes before any model is asked: what models are shown, and what predictors answer."""

from collections.abc import Collection, Sequence

from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.suite import Say
from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.plan import CodrepDetail
from runner.suites.codrep.predictors.predict import Choice
from runner.suites.codrep.predictors.systems import predictor_system
from runner.suites.codrep.showing import Shown, windows_of
from suts.sut import Sut


def shown_of(plan: Plan[CodrepDetail], lanes: Sequence[Lane], say: Say) -> dict[str, Shown]:
    """What models are shown of the cases at which one of them has something left to do."""
    detail = plan.detail
    cases = _left(plan, lanes, [sut.name for sut in plan.suts])
    if detail.room is None or detail.counter is None or not cases:
        return {}
    windows = windows_of(cases, detail.room, detail.options.jobs)
    cut = sum(not item.window.whole for item in windows.values())
    counted = f"{detail.room.max_context} tokens by {detail.counter.method}"
    say(f"{cut} of {len(cases)} files are longer than {counted}, and shown in part")
    return windows


def predictors_of(plan: Plan[CodrepDetail], lanes: Sequence[Lane], say: Say) -> list[Sut]:
    """The predictors with their answers to all that is left to do."""
    options = plan.detail.options
    systems: list[Sut] = []
    for name in plan.local:
        cases = _left(plan, lanes, [name])
        if cases:
            say(f"{name}: predicting {len(cases)} tasks")
        systems.append(predictor_system(Choice(name, options.seed), cases, options.jobs))
    return systems


def _left(plan: Plan[CodrepDetail], lanes: Sequence[Lane], systems: Collection[str]) -> tuple[CodrepCase, ...]:
    """The cases at which one of these systems has something left to do."""
    todo = {lane.key.case_id for lane in lanes if lane.key.sut in systems and lane.launchable}
    return tuple(case for case in plan.detail.cases if case.case_id in todo)
