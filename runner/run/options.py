"""What every command that asks models takes: its options, what is wrong with them, whom they resolve to."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import ClassVar

from runner.environment import environment
from runner.errors import InputError
from runner.run.ask import Deadlines
from runner.run.launch import Pace
from runner.run.limits import Rates
from suts.sut import Sampling, Sut

PARALLEL_SLOTS = 80
# What a request and the database can hold.
WHOLES_END = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """Whom to ask, how often, how fast, at what cost, and where the answers are kept; a suite adds its own.

    `quota` is how many valid attempts are wanted at a case, `cap` how many attempts are made for them.
    """

    calm_slots: ClassVar[int] = 1

    db: Path
    provider: str = ""
    base_url: str = ""
    quota: int = 1
    cap: int | None = None
    parallel: bool = False
    max_concurrency: int | None = None
    temperature: float = 0.0
    max_tokens: int = 8192
    seed: int = 0
    thinking_budget: int = 0
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
        """How many calls may be under way at once."""
        return self.max_concurrency or (PARALLEL_SLOTS if self.parallel else self.calm_slots)

    @property
    def most_attempts(self) -> int:
        """The cap per lane."""
        return self.cap or 10 * self.quota

    @property
    def sampling(self) -> Sampling:
        """How every question is sampled."""
        return Sampling(
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            seed=self.seed,
            thinking_budget=self.thinking_budget,
        )

    @property
    def asked_how(self) -> dict[str, object]:
        """What of the options an answer depends on, for the identity of a run."""
        return {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "thinking_budget": self.thinking_budget,
        }

    @property
    def settings(self) -> dict[str, object]:
        """What may change from session to session of a run."""
        return {
            "valid_attempts_per_case": self.quota,
            "max_attempts_per_case": self.most_attempts,
            "slots": self.slots,
        }

    @property
    def builder(self) -> Callable[[str], Sut]:
        """What makes a system of a model's id, as these options say."""
        return sut_builder(self.provider, self.base_url, self.seed)

    def pace(self, judged: int = 0) -> Pace:
        """How fast a session goes; `judged` more attempts may wait for a verdict without holding calls back."""
        calls = self.max_concurrency or (None if self.parallel else self.calm_slots)
        return Pace(self.slots + judged, Rates(calls, self.rpm, self.tpm), self.deadlines, self.budget_usd)


def check_asking(
    options: AskOptions,
    own: Mapping[str, tuple[int | None, int]] | None = None,
    quota: str = "--valid-attempts-per-case",
) -> None:
    """Raise InputError for what no run can be.

    `own` has a suite's own whole numbers: by option the value and the least that it may be; `quota` is what the
    suite calls that option.
    """
    wholes: dict[str, tuple[int | None, int]] = {
        quota: (options.quota, 1),
        "--max-attempts-per-case": (options.cap, 1),
        "--max-concurrency": (options.max_concurrency, 1),
        "--max-tokens": (options.max_tokens, 1),
        "--thinking-budget": (options.thinking_budget, 0),
        "--seed": (options.seed, -WHOLES_END),
        **(own or {}),
    }
    for option, (value, least) in wholes.items():
        if value is not None and not least <= value <= WHOLES_END:
            raise InputError(f"{option}: is {value}; give a whole number from {least} to {WHOLES_END}")
    if not isfinite(options.temperature):
        raise InputError(f"--temperature: is {options.temperature}; give a number, such as 0.7")
    if options.cap is not None and options.cap < options.quota:
        raise InputError(f"--max-attempts-per-case: is {options.cap}, less than the quota of {options.quota}; raise it")
    if options.run_id and options.resume:
        raise InputError("--resume: names a run beside --run-id; give one of them")


def sut_builder(provider: str = "", base_url: str = "", seed: int = 0) -> Callable[[str], Sut]:
    """What makes a system of a model's id, with the keys and addresses of the environment."""
    from suts.registry import resolve
    from suts.settings import Settings

    settings = Settings(
        provider=provider, base_url=base_url, environment=environment(Path.cwd(), os.environ), seed=seed
    )
    return lambda model: resolve(model, settings)
