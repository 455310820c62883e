"""The options of every command that asks models: one record, each field annotated once as its option."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from typer import Argument, Option

from runner.errors import InputError
from runner.pool import PROCESSES
from runner.run.duration import seconds_of

if TYPE_CHECKING:
    # Every command imports this module, so its properties import what they return.
    from contextlib import AbstractContextManager

    from runner.pool.executor import Executor
    from runner.run.pace import Deadlines, Pace
    from runner.run.shards import Shard
    from suts.settings import Settings
    from suts.sut import Sampling, Sut

PARALLEL_SLOTS = 80
# How many questions may wait for batches at once; each is a task with its own memory.
BATCH_SLOTS = 10_000
# The deadline at servers of the user's own, in seconds: a slow machine may take minutes to read a long prompt.
OWN_FIRST_TOKEN_S = 600.0
# The largest integer in a request and in the database.
INTEGER_END = 2**31 - 1
DEFAULT_DB = Path("evals.db")

Db = Annotated[Path, Option("--db", envvar="EVALS_DB", help="The database file.")]
YesWeak = Annotated[
    bool, Option("--yes", "-y", help="Do not ask for confirmation before tests run as root without a sandbox.")
]
Json = Annotated[bool, Option("--json", help="Print the result as JSON to stdout.")]
Wide = Annotated[bool, Option("--wide", help="Show all columns of tables, however narrow the terminal is.")]
JOBS = Option("--jobs", "--workers", "-j", min=1, help="The number of processes that compute or run tests at once.")
Jobs = Annotated[int, JOBS]
EngineName = Annotated[
    str,
    Option("--executor", help="What computes and asks: processes of this machine, dask, or another package's engine."),
]
Scheduler = Annotated[
    str,
    Option("--scheduler", help="The address of Dask's scheduler. [default: workers of this machine, --jobs of them]"),
]
WeakSandbox = Annotated[
    bool,
    Option("--weak-sandbox", help="Run tests even where they cannot be isolated: they then have all your permissions."),
]
Models = Annotated[
    list[str] | None,
    Argument(metavar="MODELS", help="Models to ask, such as openai/gpt-x sim/careful; the same as --model-ids."),
]
Provider = Annotated[
    str, Option("--provider", help="The provider of every model; the ids then need no `provider/` before them.")
]
BaseUrls = Annotated[
    list[str] | None,
    Option(
        "--base-url",
        help="The base URL of an OpenAI-compatible server; may be given several times, for servers of one model.",
    ),
]
InsecureHttp = Annotated[
    bool,
    Option(
        "--insecure-http",
        help="Allow plain http to other machines: others on the network can then read the key and the prompts.",
    ),
]
PriceTable = Annotated[
    Path | None, Option("--prices", help="A price table to use instead of the one that comes with evals.")
]

# Names of options whose help differs between commands: the main name first, then older ones.
MODEL_IDS = ("--model-ids", "--sut")
MAX_CASES = ("--max-cases", "--max-problems", "--limit")
PROMPTS = ("--prompts", "--prompt", "--system-prompt-name")
PARSER = ("--parser", "--parsing-function")
DIFF_APPLY = ("--diff-apply", "--diff-apply-file", "--diff-edit-function")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputingOptions:
    """What computes: an engine, how many processes of it, and the address of its scheduler."""

    jobs: Jobs = 1
    executor: EngineName = PROCESSES
    scheduler: Scheduler = ""

    @property
    def alone(self) -> bool:
        """Whether the command's own process does everything that takes little time."""
        return self == ALONE

    def opened(self) -> "AbstractContextManager[Executor]":
        """Open the engine. Raises InputError where there is none of this name, or it cannot be reached."""
        from runner.pool.engines import Computing

        return Computing(self.jobs, self.executor, self.scheduler).opened()


ALONE = ComputingOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """Which models to ask, how often, how fast, at what cost, and where answers are stored; a suite adds its own.

    `quota` is the number of valid attempts at each case, `cap` the maximum number of attempts.
    """

    calm_slots: ClassVar[int] = 1

    models: Models = None
    model_ids: Annotated[
        str,
        Option(*MODEL_IDS, help="Models to ask, comma-separated, such as openai/gpt-x or sim/careful."),
    ] = ""
    provider: Provider = ""
    base_url: BaseUrls = None
    insecure_http: InsecureHttp = False
    quota: Annotated[
        int,
        Option(
            "--valid-attempts-per-case", "--samples", "-n", help="The quota: the number of valid attempts at each case."
        ),
    ] = 1
    cap: Annotated[
        int | None,
        Option(
            "--max-attempts-per-case",
            help="The cap: the maximum number of attempts at each case. [default: 10 times the quota]",
        ),
    ] = None
    parallel: Annotated[
        bool,
        Option("--parallel", help="Send several requests at once: 80, or as many as a server of your own has slots."),
    ] = False
    max_concurrency: Annotated[
        int | None, Option("--max-concurrency", "--slots", help="The maximum number of requests at once.")
    ] = None
    temperature: Annotated[float, Option("--temperature", min=0, help="The sampling temperature.")] = 0.0
    max_tokens: Annotated[
        int, Option("--max-tokens", min=1, help="The maximum number of output tokens of an answer.")
    ] = 8192
    seed: Annotated[int, Option("--seed", help="The seed; providers get it, and simulated models use it.")] = 0
    thinking_budget: Annotated[
        int, Option("--thinking-budget", min=0, help="The maximum number of tokens for thinking.")
    ] = 0
    no_cache: Annotated[
        bool, Option("--no-cache", help="Mark no prompts for the provider's cache: those of Anthropic's models.")
    ] = False
    batch_api: Annotated[
        bool,
        Option("--batch-api", help="Ask by the batch API of OpenAI or Anthropic: at half the price, without clocks."),
    ] = False
    poll_batches: Annotated[
        str, Option("--poll-batches", help="How often to look whether a batch has ended, such as 5m.")
    ] = "1m"
    jobs: Annotated[int | None, JOBS] = None
    executor: EngineName = PROCESSES
    scheduler: Scheduler = ""
    run_id: Annotated[str, Option("--run-id", help="Create a run with this id, or resume it.")] = ""
    resume: Annotated[str, Option("--resume", help="Resume a run: its id, or `latest`.")] = ""
    shard: Annotated[
        str,
        Option("--shard", metavar="I/N", help="Ask only about the cases of shard I of N; `auto`: as a job array says."),
    ] = ""
    name: Annotated[str, Option("--name", help="A name for the run.")] = ""
    note: Annotated[str, Option("--note", help="A note on the run.")] = ""
    first_token_timeout: Annotated[
        float | None,
        Option(
            "--first-token-timeout",
            "--first-byte-timeout",
            min=0.001,
            help="Maximum seconds until the first token of an answer. [default: 300; 600 for servers of your own]",
        ),
    ] = None
    idle_timeout: Annotated[
        float, Option("--idle-timeout", min=0.001, help="Maximum seconds between two tokens of an answer.")
    ] = 60.0
    total_timeout: Annotated[float, Option("--total-timeout", min=0.001, help="Maximum seconds for one call.")] = 900.0
    wait_for_server: Annotated[
        str,
        Option(
            "--wait-for-server",
            help="How long to wait for a server that does not answer yet, such as 10m. [default: a few seconds]",
        ),
    ] = ""
    budget: Annotated[float | None, Option("--budget", min=0, help="The maximum cost of the run, in USD.")] = None
    rpm: Annotated[float | None, Option("--rpm", min=0.001, help="Maximum requests per minute.")] = None
    tpm: Annotated[float | None, Option("--tpm", min=1, help="Maximum tokens per minute.")] = None
    prices: PriceTable = None
    save_locally: Annotated[
        Path | None,
        Option(
            "--save-locally",
            "--output-path",
            help="Also write one JSON file per case to this folder; without a folder: results.",
        ),
    ] = None
    db: Db = DEFAULT_DB
    dry_run: Annotated[
        bool, Option("--dry-run", help="Print the plan and the estimated cost, and stop; no model is asked.")
    ] = False
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask for confirmation before a paid run.")] = False
    json: Json = False
    wide: Wide = False
    verbose: Annotated[bool, Option("--verbose", "-v", help="Print a line for each attempt.")] = False

    @property
    def quiet(self) -> bool:
        """Whether progress is hidden."""
        return self.json

    @property
    def slots(self) -> int:
        """The maximum number of calls at once."""
        usual = BATCH_SLOTS if self.batch_api else PARALLEL_SLOTS if self.parallel else self.calm_slots
        return self.max_concurrency or usual

    @property
    def most_attempts(self) -> int:
        """The cap per lane."""
        return self.cap or 10 * self.quota

    @property
    def sampling(self) -> "Sampling":
        """The sampling of every question."""
        from suts.sut import Sampling

        return Sampling(
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            seed=self.seed,
            thinking_budget=self.thinking_budget,
            cache=not self.no_cache,
        )

    @property
    def asked_how(self) -> dict[str, object]:
        """The options that answers depend on, for the identity of a run."""
        return {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "thinking_budget": self.thinking_budget,
            **({"cache": False} if self.no_cache else {}),
            **({"batch_api": True} if self.batch_api else {}),
        }

    @property
    def settings(self) -> dict[str, object]:
        """The options that may change between sessions of a run."""
        return {
            "valid_attempts_per_case": self.quota,
            "max_attempts_per_case": self.most_attempts,
            "slots": self.slots,
        }

    @property
    def builder(self) -> "Callable[[str], Sut]":
        """The function from a model's id to a system, for these options."""
        from suts.registry import resolve

        settings = self.sut_settings
        return lambda model: resolve(model, settings)

    @property
    def sut_settings(self) -> "Settings":
        """What systems are made with, for these options."""
        chosen = sut_settings(
            self.provider, self.base_url or (), self.seed, insecure_http=self.insecure_http, keyless=self.dry_run
        )
        return replace(chosen, batched=self.batch_api)

    @property
    def computing(self) -> ComputingOptions:
        """What asks, where that is not this process."""
        return ComputingOptions(jobs=self.jobs or 1, executor=self.executor, scheduler=self.scheduler)

    @property
    def deadlines(self) -> "Deadlines":
        """The maximum durations of a call."""
        from runner.run.pace import Deadlines

        if self.first_token_timeout is not None:
            return Deadlines(self.first_token_timeout, self.idle_timeout, self.total_timeout)
        return Deadlines(idle_s=self.idle_timeout, total_s=self.total_timeout, own_first_token_s=OWN_FIRST_TOKEN_S)

    @property
    def wait_s(self) -> float:
        """How long a server that does not answer yet is waited for. Raises InputError for what is no duration."""
        return seconds_of(self.wait_for_server, "--wait-for-server")

    @property
    def poll_s(self) -> float:
        """The seconds between two looks at a batch. Raises InputError for what is no duration."""
        return seconds_of(self.poll_batches, "--poll-batches")

    def pace(self, waiting: int = 0) -> "Pace":
        """Return the pace of a session; `waiting` more attempts may wait for a verdict without delaying calls."""
        from runner.run.limits import Rates
        from runner.run.pace import Pace

        calls = self.slots if self.batch_api else self.max_concurrency or (None if self.parallel else self.calm_slots)
        return Pace(self.slots, Rates(calls, self.rpm, self.tpm), self.deadlines, self.budget, waiting)

    @property
    def chosen_shard(self) -> "Shard | None":
        """The shard of the run that is asked about; None = all of it. Raises InputError."""
        from runner.run.shards import chosen_shard

        return chosen_shard(self.shard, os.environ)

    def check(self) -> None:
        """Raise InputError for options that no run can have."""
        check_asking(self)

    def integers(self) -> dict[str, tuple[int | None, int]]:
        """Return the integer options by name: the value and its minimum. A suite adds its own."""
        return {
            "--valid-attempts-per-case": (self.quota, 1),
            "--max-attempts-per-case": (self.cap, 1),
            "--max-concurrency": (self.max_concurrency, 1),
            "--max-tokens": (self.max_tokens, 1),
            "--thinking-budget": (self.thinking_budget, 0),
            "--seed": (self.seed, -INTEGER_END),
        }


def check_asking(options: AskOptions) -> None:
    """Raise InputError for options that no run can have."""
    for option, (value, least) in options.integers().items():
        if value is not None and not least <= value <= INTEGER_END:
            raise InputError(f"{option}: is {value}; give a whole number from {least} to {INTEGER_END}")
    seconds_of(options.wait_for_server, "--wait-for-server")
    _check_batches(options)
    _check_engine(options)
    if not isfinite(options.temperature):
        raise InputError(f"--temperature: is {options.temperature}; give a number, such as 0.7")
    if options.cap is not None and options.cap < options.quota:
        raise InputError(f"--max-attempts-per-case: is {options.cap}, less than the quota of {options.quota}; raise it")
    if options.run_id and options.resume:
        raise InputError("--resume: cannot be combined with --run-id; give one of them")


def _check_batches(options: AskOptions) -> None:
    if not options.poll_s:
        raise InputError("--poll-batches: is no time; give one, such as 1m")
    if options.batch_api and len(options.base_url or ()) > 1:
        raise InputError("--base-url: a batch goes to one server; give it once, or remove --batch-api")
    for name, rate in (("--rpm", options.rpm), ("--tpm", options.tpm)):
        if options.batch_api and rate is not None:
            raise InputError(f"{name}: is for requests that are sent one by one; remove it, or --batch-api")


def _check_engine(options: AskOptions) -> None:
    if options.batch_api and options.executor != PROCESSES:
        raise InputError(f"--batch-api: the command itself collects batches; remove --executor {options.executor}")
    if options.scheduler and options.executor == PROCESSES:
        raise InputError("--scheduler: processes of this machine have none; give --executor dask too")


def sut_settings(
    provider: str = "",
    base_urls: Sequence[str] = (),
    seed: int = 0,
    *,
    insecure_http: bool = False,
    keyless: bool = False,
) -> "Settings":
    """Return what systems are made with, of the environment's keys and addresses."""
    from runner.environment import settings_of, variables_of

    variables = variables_of(Path.cwd(), os.environ)
    settings = settings_of(variables, provider=provider, base_urls=base_urls, seed=seed, insecure_http=insecure_http)
    return replace(settings, keyless=keyless)
