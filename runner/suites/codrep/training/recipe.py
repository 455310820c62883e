"""How to train the ranker."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to train.

    - `trees`, `seeds`: the forest is the mean of one booster per seed, each with `trees` trees.
    - `rows`: how many candidates of a task, the best by outlook, the forest learns from.
    - `left_out`: groups of features to do without.
    - `jobs`: processes.
    - `cache`: a folder for the arrays made on the way.
    """

    trees: int = 200
    seeds: tuple[int, ...] = (1, 2, 3, 4)
    rows: int = 12
    left_out: tuple[str, ...] = ()
    jobs: int = 1
    cache: Path | None = None
