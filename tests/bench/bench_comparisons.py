"""How often the interval of a comparison covers the true difference, and how often a difference is found that is none.

    python -m tests.bench.bench_comparisons [DRAWS]

Draws 10,000 sets of paired cases for each shape (see `tests/paired_cases.py`) and takes them through the code of
`evals compare`. `docs/comparing.md` has the results.
"""

import sys
import time

import numpy as np
from numpy.typing import NDArray

from runner.stats.flips import mcnemar
from runner.stats.paired import paired_difference
from runner.stats.sign_flips import sign_flip_p
from tests.paired_cases import GAPS, NULL, Shape, drawn, shapes

DRAWS = 10_000


def covered(differences: NDArray[np.float64], shape: Shape) -> float:
    """The share of draws whose interval holds the true difference."""
    hits = 0
    for row in differences.tolist():
        found = paired_difference([(value,) for value in row], shape.attempts)
        assert found is not None
        hits += found.interval.low <= shape.difference + 1e-12 and found.interval.high >= shape.difference - 1e-12
    return hits / len(differences)


def p_value(row: list[float], shape: Shape) -> float:
    """By the test that `evals compare` takes."""
    return mcnemar(row.count(1.0), row.count(-1.0)) if shape.attempts == 1 else sign_flip_p(row)


def finds(differences: NDArray[np.float64], shape: Shape) -> tuple[float, float]:
    """The shares of draws in which the test is significant, and in which a difference is shown."""
    significant = shown = 0
    for row in differences.tolist():
        if p_value(row, shape) <= 0.05:
            significant += 1
            found = paired_difference([(value,) for value in row], shape.attempts)
            assert found is not None
            shown += not found.interval.low <= 0 <= found.interval.high
    return significant / len(differences), shown / len(differences)


def main(draws: int) -> None:
    """Print a line for each shape."""
    began = time.perf_counter()
    for shape in shapes(NULL + GAPS):
        differences = drawn(shape, draws)
        differing = float((differences != 0).sum(axis=1).mean())
        line = f"{shape}: {differing:5.1f} cases differ, covered {100 * covered(differences, shape):5.1f} %"
        if not shape.difference:
            test, shown = finds(differences, shape)
            line += f", test {100 * test:.1f} %, shown {100 * shown:.1f} %"
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    sys.stdout.write(f"{time.perf_counter() - began:.0f} s, {draws} draws of each\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS)
