"""Applications per second of each algorithm over the recorded cases: `python -m tests.bench.bench_apply [name ...]`."""

import sys
from time import process_time
from typing import Any

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import DiffAlgorithm, DiffError
from tests.vectors import files, rows

ROUNDS = 3


def applications_per_second(algorithm: DiffAlgorithm, cases: list[dict[str, Any]]) -> float:
    """The best of a few rounds over all cases, in processor time of one core."""
    return max(len(cases) / seconds(algorithm, cases) for _ in range(ROUNDS))


def seconds(algorithm: DiffAlgorithm, cases: list[dict[str, Any]]) -> float:
    start = process_time()
    for case in cases:
        try:
            algorithm(case["original"], case["diff"])
        except DiffError:
            continue
    return process_time() - start


def main(names: list[str]) -> None:
    cases = [case for path in files("cline", "apply_cases_*") for case in rows(path)]
    for name in names or DIFF_ALGORITHMS:
        rate = applications_per_second(DIFF_ALGORITHMS[name], cases)
        sys.stdout.write(f"{name:<18} {rate:>8,.0f} applications a second\n")


if __name__ == "__main__":
    main(sys.argv[1:])
