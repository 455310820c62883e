"""All values of one clock of a run, by model and prompt, for their distribution."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from runner.report.answer_figures import CLOCKS
from runner.storage.store import Row, Store

# Answers are counted once, whatever number of algorithms scored them.
_ROWS = """
SELECT l.sut, l.prompt, a.{clock} AS ms FROM answers a JOIN lanes l USING (lane_id)
WHERE l.run_id = ? AND a.outcome = 'answered' AND a.mode != 'repair'"""


@dataclass(frozen=True, slots=True)
class ClockValues:
    """The sorted values of a clock in milliseconds, and how many answers do not have it."""

    values: tuple[float, ...]
    without: int

    @property
    def count(self) -> int:
        """The number of answers."""
        return len(self.values) + self.without


def clock_values(store: Store, run: Row, clock: str) -> Mapping[tuple[str, str], ClockValues]:
    """Return the values of the answers of a run, or of the run that it replays. Raises ValueError for no clock."""
    if clock not in CLOCKS:
        raise ValueError(f"{clock} is no clock")
    values: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    without = defaultdict[tuple[str, str], int](int)
    for row in store.stream(_ROWS.format(clock=clock), run["replay_of"] or run["run_id"]):
        if row["ms"] is None:
            without[row["sut"], row["prompt"]] += 1
        else:
            values[row["sut"], row["prompt"]].append(row["ms"])
    return {key: ClockValues(tuple(sorted(values[key])), without[key]) for key in {**values, **without}}
