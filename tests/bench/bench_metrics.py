"""What scoring costs: `python -m tests.bench.bench_metrics [DIR]`.

Prints, for every metric, edits a second on one core, parsing included, over different answers to the problems in
DIR (its predictions, or mutants where it has none; `cases/mutants` if not given). Origins and references are
remembered between answers, hypotheses come once. Then the milliseconds that ES-Token takes for three long
documents that are tokens already, with some of the tokens edited, and with no relation at all.
"""

import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from runner.metrics import METRICS, Sample, tokens
from runner.metrics.excision import examine
from runner.metrics.labelled_answers import answer, read_answers, read_problems
from runner.metrics.mutants import mutants


def samples(folder: Path) -> list[Sample]:
    """Different samples, problem by problem."""
    if any(folder.glob("predictions.*")):
        answers = read_answers(folder)
    else:
        problems = read_problems(folder).values()
        made = [(problem, mutant) for problem in problems for mutant in mutants(problem, rounds=5, seed=0)]
        answers = [answer(problem, mutant.text, model=mutant.kind, passed=False) for problem, mutant in made]
    return list(dict.fromkeys(found.sample for found in answers))


def rate(name: str, given: Sequence[Sample]) -> float:
    """Samples a second of CPU time, the best of three rounds, each beginning with nothing remembered."""
    best = float("inf")
    for _ in range(3):
        for remembered in (tokens.normalise, tokens.lines, tokens.leaves):
            remembered.cache_clear()
        start = time.process_time()
        for sample in given:
            METRICS[name](sample)
        best = min(best, time.process_time() - start)
    return len(given) / best


def edited(source: random.Random, document: Sequence[str], share: float) -> list[str]:
    """The document with about this share of its tokens deleted, replaced, or with a token before them."""
    result = []
    for token in document:
        kind = source.random() / share if share else 9.0
        if kind >= 1 / 3:
            result += [f"new{source.randrange(500)}"] if kind < 1 else []
            result += [] if 1 / 3 <= kind < 2 / 3 else [token]
    return result


def milliseconds(origin: Sequence[str], reference: Sequence[str], hypothesis: Sequence[str]) -> float:
    """CPU time of one score, the best of five."""
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        examine(origin, reference, hypothesis)
        best = min(best, time.process_time() - start)
    return best * 1e3


def show(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Print the figures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "cases/mutants"
    given = samples(folder)
    size = sum(len(sample.hypothesis) for sample in given) / len(given)
    show(f"{len(given)} different samples of {size:.0f} characters")
    for name in METRICS:
        show(f"{name:12}{rate(name, given):10,.0f} samples/s")
    source = random.Random(0)
    for length in (5_000, 20_000):
        origin = [f"token{source.randrange(500)}" for _ in range(length)]
        for share in (0.01, 0.1, 0.5):
            took = milliseconds(origin, edited(source, origin, share), edited(source, origin, share))
            show(f"{length:6} tokens, {share:4.0%} edited {took:8.1f} ms")
        others = [[f"token{source.randrange(500)}" for _ in range(length)] for _ in range(2)]
        show(f"{length:6} tokens, unrelated   {milliseconds(origin, others[0], others[1]):8.1f} ms")


if __name__ == "__main__":
    main()
