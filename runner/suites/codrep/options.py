"""The options of a CodRep run, and what is wrong with them."""

from dataclasses import dataclass
from pathlib import Path

from runner.run.options import WHOLES_END, AskOptions, check_asking
from runner.suites.codrep.question import PARSER, PROMPT
from runner.suites.codrep.showing import MAX_CONTEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class CodrepOptions(AskOptions):
    """The options of `evals codrep run`, as given; `suts` are names parted by commas."""

    folders: tuple[Path, ...]
    suts: str = "ranker"
    limit: int | None = None
    sample_seed: int = 0
    max_context: int = MAX_CONTEXT
    prompts: str = PROMPT
    parser: str = PARSER
    jobs: int = 1


def check(options: CodrepOptions) -> None:
    """Raise InputError for an option that cannot be meant."""
    check_asking(
        options,
        {
            "--limit": (options.limit, 1),
            "--max-context": (options.max_context, 1),
            "--jobs": (options.jobs, 1),
            "--sample-seed": (options.sample_seed, -WHOLES_END),
        },
    )
