"""The options of `evals completion run`, as given, and which of them cannot be."""

from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from runner.ask import Deadlines
from runner.errors import InputError

# What a request and the database can hold.
_WHOLES_END = 2**31 - 1
DEFAULT_CONTEXT = 16_000


@dataclass(frozen=True, slots=True)
class CompletionOptions:
    """`repo` None = the folder beside the data set that has its repository's name; `scenes` None = every one.

    `slots` is how many calls may be under way at once, `workers` how many runs of tests.
    """

    file: Path
    db: Path
    suts: str = ""
    repo: Path | None = None
    provider: str = ""
    base_url: str = ""
    prompts: str = "basic"
    chains: str = "raw,repaired"
    quota: int = 1
    scenes: frozenset[str] | None = None
    limit: int | None = None
    max_context: int | None = None
    temperature: float = 0.0
    max_tokens: int = 2048
    thinking_budget: int = 0
    seed: int = 0
    slots: int = 4
    workers: int = 2
    deadlines: Deadlines = field(default_factory=Deadlines)
    budget_usd: float | None = None
    rpm: float | None = None
    tpm: float | None = None
    prices: Path | None = None
    run_id: str = ""
    resume: str = ""
    name: str = ""
    note: str = ""
    dry_run: bool = False
    yes: bool = False
    quiet: bool = False
    verbose: bool = False


def check(options: CompletionOptions) -> None:
    """Raise InputError for what no run can be."""
    if not options.suts.strip():
        raise InputError("--sut: is missing; name models, such as sim/careful")
    wholes = {
        "--samples": (options.quota, 1),
        "--limit": (options.limit, 1),
        "--max-context": (options.max_context, 1),
        "--max-tokens": (options.max_tokens, 1),
        "--thinking-budget": (options.thinking_budget, 0),
        "--seed": (options.seed, -_WHOLES_END),
    }
    for option, (value, least) in wholes.items():
        if value is not None and not least <= value <= _WHOLES_END:
            raise InputError(f"{option}: is {value}; give a whole number from {least} to {_WHOLES_END}")
    if not isfinite(options.temperature):
        raise InputError(f"--temperature: is {options.temperature}; give a number, such as 0.7")
    if options.run_id and options.resume:
        raise InputError("--resume: names a run beside --run-id; give one of them")
