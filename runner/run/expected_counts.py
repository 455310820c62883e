"""The expected results of a run over simulated models: their known answers, counted in advance."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from runner.calls import NATIVE, calls_of, plain_name
from runner.errors import InputError
from runner.run.protocols import TruthOf
from runner.storage.ledger import LaneKey, Question
from suts.simulated.models import expected_counts
from suts.simulated.spec import parse_spec
from suts.sut import Sut


@dataclass(frozen=True, slots=True)
class ExpectedCounts:
    """The answers of one simulated model to one prompt: how many are valid, how many of these right, and of each kind.

    A diff is right if an algorithm that tolerates small faults, such as `v4`, gives the right file. `repaired` counts
    answers that are right once they are cut where they should have stopped. Cuts by a token limit are not counted.
    """

    sut: str
    prompt: str
    answers: int
    right: int
    repaired: int
    outcomes: dict[str, int]


def check_prompt_rates(suts: Sequence[Sut], lanes: Iterable[LaneKey]) -> None:
    """Raise InputError where a simulated model has rates for a prompt that it is not asked with."""
    prompts: dict[str, set[str]] = {}
    for lane in lanes:
        prompts.setdefault(lane.sut, set()).add(plain_name(lane.prompt))
    for sut in suts:
        if sut.endpoint.in_process:
            known = prompts.get(sut.name, set())
            unknown = [name for name in parse_spec(sut.name.partition("@")[0]).by_prompt if name not in known]
            if unknown:
                names = ", ".join(sorted(known))
                raise InputError(f"{sut.name}: has rates for the prompt {unknown[0]!r}, but is asked with {names}")


def expected_of(
    suts: Sequence[Sut], lanes: Iterable[LaneKey], truth: TruthOf, quota: int, cap: int
) -> Iterator[ExpectedCounts]:
    """Yield the counts of each simulated model that answers in this process, by prompt."""
    in_process = {sut.name for sut in suts if sut.endpoint.in_process}
    groups: dict[tuple[str, str], list[LaneKey]] = {}
    for lane in lanes:
        if lane.sut in in_process:
            groups.setdefault((lane.sut, lane.prompt), []).append(lane)
    for (sut, prompt), keys in groups.items():
        spec = parse_spec(sut.partition("@")[0])
        truths = [known for key in keys if (known := truth(Question(key))) is not None]
        requests = [replace(known, number=1, prompt=plain_name(prompt)) for known in truths]
        counts = expected_counts(spec, requests, quota, cap, native=calls_of(prompt) == NATIVE)
        repaired = counts.applied + counts.outcomes.get("over_run", 0)
        yield ExpectedCounts(sut, prompt, counts.valid, counts.applied, repaired, dict(counts.outcomes))
