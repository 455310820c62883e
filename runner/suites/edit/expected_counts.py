"""What a run over simulated models has to find: the counts that are planted in them."""

from collections.abc import Iterator
from dataclasses import dataclass

from runner.suites.edit.plan import EditPlan
from runner.suites.edit.score import Form
from runner.suites.edit.sim_truth import Imagined
from suts.simulated.models import expected_counts
from suts.simulated.spec import parse_spec
from suts.sut import Sut


@dataclass(frozen=True, slots=True)
class Planted:
    """The answers of one simulated model to one prompt: how many are valid, how many of these right, and of each kind.

    Of diffs those are right that an algorithm makes right which forgives small flaws, as v4 does.
    """

    sut: str
    prompt: str
    answers: int
    right: int
    outcomes: dict[str, int]


def planted(plan: EditPlan) -> tuple[Planted, ...]:
    """The counts of each model whose answers are known beforehand, as if no limit of tokens cut one."""
    return tuple(_found(plan))


def _found(plan: EditPlan) -> Iterator[Planted]:
    for sut in plan.suts:
        if sut.endpoint.in_process:
            for form in plan.forms:
                yield _planted(plan, sut, form)


def _planted(plan: EditPlan, sut: Sut, form: Form) -> Planted:
    options = plan.options
    # The draws look at what can be answered, not at the answers: references and origins are enough.
    truths = [
        Imagined(one.references, (one.origin,)).truth(one, 1, options.seed, whole=form.whole) for one in plan.problems
    ]
    spec = parse_spec(sut.name.partition("@")[0])
    counts = expected_counts(spec, truths, options.quota, options.most_attempts)
    return Planted(sut.name, form.prompt.name, counts.valid, counts.applied, dict(counts.outcomes))
