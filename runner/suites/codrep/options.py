"""The options of a CodRep run, and what is wrong with them."""

from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from runner.ask import Deadlines
from runner.errors import InputError
from runner.suites.codrep.question import PARSER, PROMPT
from runner.suites.codrep.showing import MAX_CONTEXT

PARALLEL_SLOTS = 80
# What a request and the database can hold.
_WHOLES_END = 2**31 - 1


@dataclass(frozen=True, slots=True)
class CodrepOptions:
    """The options of `evals codrep run`, as given; `suts` are names parted by commas."""

    db: Path
    folders: tuple[Path, ...]
    suts: str = "ranker"
    provider: str = ""
    base_url: str = ""
    limit: int | None = None
    sample_seed: int = 0
    max_context: int = MAX_CONTEXT
    quota: int = 1
    cap: int | None = None
    prompts: str = PROMPT
    parser: str = PARSER
    parallel: bool = False
    max_concurrency: int | None = None
    temperature: float = 0.0
    max_tokens: int = 8192
    seed: int = 0
    thinking_budget: int = 0
    jobs: int = 1
    run_id: str = ""
    resume: str = ""
    name: str = ""
    note: str = ""
    deadlines: Deadlines = field(default_factory=Deadlines)
    budget_usd: float | None = None
    rpm: float | None = None
    tpm: float | None = None
    prices: Path | None = None
    dry_run: bool = False
    yes: bool = False
    quiet: bool = False
    verbose: bool = False

    @property
    def slots(self) -> int:
        """How many attempts may be under way at once."""
        return self.max_concurrency or (PARALLEL_SLOTS if self.parallel else 1)

    @property
    def most_attempts(self) -> int:
        """The cap per lane."""
        return self.cap or 10 * self.quota


def check(options: CodrepOptions) -> None:
    """Raise InputError for an option that cannot be meant."""
    _check_numbers(options)
    if options.cap is not None and options.cap < options.quota:
        raise InputError(f"--max-attempts-per-case: is {options.cap}, less than the quota of {options.quota}; raise it")
    if options.run_id and options.resume:
        raise InputError("--resume: names a run beside --run-id; give one of them")


def _check_numbers(options: CodrepOptions) -> None:
    wholes = {
        "--limit": (options.limit, 1),
        "--max-context": (options.max_context, 1),
        "--valid-attempts-per-case": (options.quota, 1),
        "--max-attempts-per-case": (options.cap, 1),
        "--max-concurrency": (options.max_concurrency, 1),
        "--max-tokens": (options.max_tokens, 1),
        "--thinking-budget": (options.thinking_budget, 0),
        "--jobs": (options.jobs, 1),
        "--seed": (options.seed, -_WHOLES_END),
        "--sample-seed": (options.sample_seed, -_WHOLES_END),
    }
    for option, (value, least) in wholes.items():
        if value is not None and not least <= value <= _WHOLES_END:
            raise InputError(f"{option}: is {value}; give a whole number from {least} to {_WHOLES_END}")
    if not isfinite(options.temperature):
        raise InputError(f"--temperature: is {options.temperature}; give a number, such as 0.7")
