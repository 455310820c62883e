"""What a metric is given: one edit that was asked for and one that was made."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """An origin, the acceptable revisions of it, and the revision to judge.

    - `references`: at least one; metrics take the best of them unless their definition says otherwise.
    - `language`: a grammar's name (see `runner.syntax`); None = prose, or code without a grammar.
    - `preamble`: text that stands before all of the documents and belongs to no grammar; it ends in a newline.
    """

    origin: str
    references: tuple[str, ...]
    hypothesis: str
    language: str | None = None
    preamble: str = ""

    def __post_init__(self) -> None:
        if not self.references:
            raise ValueError("a sample needs at least one reference")


Metric = Callable[[Sample], float]
