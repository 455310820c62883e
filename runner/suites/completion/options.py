"""The options of `evals completion run`, as given, and which of them cannot be."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from runner.errors import InputError
from runner.run.options import AskOptions, check_asking

DEFAULT_CONTEXT = 16_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionOptions(AskOptions):
    """`repo` None = the folder beside the data set that has its repository's name; `scenes` None = every one.

    `workers` is how many runs of tests may be under way at once.
    """

    calm_slots: ClassVar[int] = 4

    file: Path
    suts: str = ""
    repo: Path | None = None
    prompts: str = "basic"
    chains: str = "raw,repaired"
    scenes: frozenset[str] | None = None
    limit: int | None = None
    max_context: int | None = None
    max_tokens: int = 2048
    workers: int = 2

    @property
    def most_attempts(self) -> int:
        """The cap per lane: every answer is valid."""
        return self.quota


def check(options: CompletionOptions) -> None:
    """Raise InputError for what no run can be."""
    if not options.suts.strip():
        raise InputError("--sut: is missing; name models, such as sim/careful")
    check_asking(options, {"--limit": (options.limit, 1), "--max-context": (options.max_context, 1)}, quota="--samples")
