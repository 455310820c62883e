"""What a trial is to do: the plan that `evals diff` makes, over simulated models with settings of their own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.calls import XML
from runner.edit_tools import DEFAULT_EDIT_TOOL
from runner.run.plan import Plan
from runner.run.protocols import TruthOf
from runner.selftest.parts import SEED, Parts, Scale, TrialModel
from runner.storage.store import Store
from runner.suites.diff_edit.detail import DiffDetail
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.plan import plan
from runner.suites.diff_edit.sim_truth import truth_of
from suts.registry import resolve
from suts.settings import Settings
from suts.sut import Sut

_KEY = "sim-key"


@dataclass(frozen=True, slots=True)
class Trial:
    """What is on trial and how much is asked; `url` is that of the server of the simulated models."""

    parts: Parts
    scale: Scale
    store: Store
    cases: Path
    url: str
    say: Callable[[str], None]
    calls: str = XML
    edit_tool: str = DEFAULT_EDIT_TOOL


def vendors_at(url: str) -> dict[str, str]:
    """Return the variables that put the simulated server at a URL in the place of both vendors."""
    return {
        "OPENAI_API_KEY": _KEY,
        "OPENAI_BASE_URL": f"{url}/v1",
        "ANTHROPIC_API_KEY": _KEY,
        "ANTHROPIC_BASE_URL": url,
    }


def plan_of(trial: Trial, subjects: Sequence[TrialModel]) -> Plan[DiffDetail]:
    """The plan of the trial of some models."""
    settings = Settings(environment=vendors_at(trial.url), now_ns=trial.parts.now_ns, seed=SEED)
    options = _TrialOptions(
        systems=settings,
        db=trial.store.path,
        cases=trial.cases,
        model_ids=",".join(subject.sut for subject in subjects),
        quota=trial.scale.quota,
        max_concurrency=trial.scale.slots,
        seed=SEED,
        calls=trial.calls,
        edit_tool=trial.edit_tool,
    )
    return plan(options, trial.say)


def truths_of(planned: Plan[DiffDetail]) -> TruthOf:
    """Return the truth of each question of a trial."""
    return truth_of(planned.detail.cases, SEED, planned.detail.choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TrialOptions(DiffOptions):
    """The options of a trial, whose systems are made with settings of its own, not with those of the environment."""

    systems: Settings

    @property
    def builder(self) -> Callable[[str], Sut]:
        """What makes a system of a model's id."""
        return lambda model: resolve(model, self.systems)
