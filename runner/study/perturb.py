"""Puts the same random text before origin, references and answer: what an edit's measure must not see."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from runner.metrics.labelled_answers import LabelledAnswer

LETTERS = np.frombuffer(b"abcdef \n", dtype=np.uint8)
SHORTEST, LONGEST = 2_000, 3_000


def with_prefix(answers: Iterable[LabelledAnswer], seed: int) -> Iterator[LabelledAnswer]:
    """Yield each answer after its own preamble: 2,000 to 3,000 characters drawn evenly from `a`-`f`, space and newline.

    The last character is a newline: the first line of the code stays a line.
    """
    random = np.random.default_rng(seed)
    for answer in answers:
        size = int(random.integers(SHORTEST, LONGEST, endpoint=True)) - 1
        text = LETTERS[random.integers(0, len(LETTERS), size)].tobytes().decode()
        yield replace(answer, sample=replace(answer.sample, preamble=f"{text}\n"))
