"""What a run over simulated models has to find: the counts that are planted in them."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from runner.suites.completion.dataset import Task
from suts.simulated.models import plan
from suts.simulated.spec import parse_spec
from suts.sut import Hole, Sut, Truth


@dataclass(frozen=True, slots=True)
class Planted:
    """The answers of one simulated model to tasks that something tests: how many are right, and of each kind.

    `repaired` are right once they are cut where they should have stopped.
    """

    sut: str
    prompt: str
    answers: int
    right: int
    repaired: int
    outcomes: dict[str, int]


def planted(
    sut: Sut, prompt: str, tasks: Iterable[Task], hole_of: Callable[[Task], Hole], told: tuple[int, int]
) -> Planted:
    """The counts for so many answers a task; `told` is the seed and that number.

    Answers that a limit of tokens would cut are counted as if they were whole.
    """
    seed, answers = told
    spec = parse_spec(sut.name.partition("@")[0])
    outcomes = Counter(
        plan(spec, Truth(task.task_id, number, seed=seed, hole=hole_of(task))).outcome
        for task in tasks
        if task.tests
        for number in range(1, answers + 1)
    )
    right = outcomes["solved"]
    counts = dict(sorted(outcomes.items()))
    return Planted(sut.name, prompt, outcomes.total(), right, right + outcomes["over_run"], counts)
