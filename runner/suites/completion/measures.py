"""What an answer is worth beside what its tests say: how near it is to the truth, and whether it stopped in time."""

from dataclasses import dataclass
from functools import lru_cache

from runner.metrics import METRICS, Sample, TooLargeError
from runner.suites.completion.dataset import Dataset, Task
from runner.suites.completion.rates import COMMENT

ES = "es-token"


@dataclass(frozen=True, slots=True)
class FillingMeasures:
    """One filling against the truth.

    - `exact`: equal but for white space around both; `first_line` the same of the first lines.
    - `similarity`: 0 to 100, of the longest common subsequence (Indel), both empty 100.
    - `es`: the Excision Score of the edit from the file with nothing in the hole, 0 to 1; None for a text that is too
      large for it, and for comments, of which it sees nothing.
    - `empty`: nothing but white space; `goes_on`: the truth, and then more.
    """

    exact: bool
    first_line: bool
    similarity: float
    es: float | None
    empty: bool
    goes_on: bool


def measure(dataset: Dataset, task: Task, filling: str) -> FillingMeasures:
    """The measures of a filling of a task's hole."""
    from rapidfuzz.distance import Indel

    truth = dataset.truth(task)
    text, right = filling.strip(), truth.strip()
    texts = (dataset.assembled(task, text) for text in ("", truth, filling))
    return FillingMeasures(
        exact=text == right,
        first_line=_first_line(text) == _first_line(right),
        similarity=100 * Indel.normalized_similarity(filling, truth),
        es=None if task.block_type == COMMENT else _excision(*texts),
        empty=not text,
        goes_on=text != right and text.startswith(right),
    )


def _first_line(text: str) -> str:
    return text.partition("\n")[0].strip()


@lru_cache(maxsize=256)
def _excision(origin: str, truth: str, filled: str) -> float | None:
    try:
        return METRICS[ES](Sample(origin, (truth,), filled, "python"))
    except TooLargeError:
        return None
