"""pass@k: the chance that at least one of k answers to a task is right, estimated from n answers without bias."""

import math
from collections.abc import Iterable


def pass_at_k(answers: int, right: int, k: int) -> float:
    """1 - C(answers - right, k) / C(answers, k): unbiased where the answers are independent (Chen et al. 2021).

    The naive 1 - (1 - right/answers)^k is too low. Raises ValueError where there are fewer answers than k, or more
    right ones than answers.
    """
    if not 0 < k <= answers or not 0 <= right <= answers:
        raise ValueError(f"pass@{k} of {right} right in {answers}: needs 1 <= k <= answers and 0 <= right <= answers")
    return 1.0 - math.comb(answers - right, k) / math.comb(answers, k)


def mean_pass_at_k(tasks: Iterable[tuple[int, int]], k: int) -> float | None:
    """Return the mean over tasks (answers, right) with at least k answers; None without any."""
    values = [pass_at_k(answers, right, k) for answers, right in tasks if answers >= k]
    return math.fsum(values) / len(values) if values else None
