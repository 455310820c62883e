"""The options of `evals completion run`."""

from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, ClassVar

from typer import Argument, Option

from runner.run.agent_options import AgentOptions
from runner.run.options import MAX_CASES, PROMPTS, AskOptions, Jobs, WeakSandbox
from runner.shipped import shipped_or_none

DEFAULT_CONTEXT = 16_000

_PROMPTS = "Prompts, comma-separated: basic, an .md file, fim/FAMILY such as fim/qwen2.5-coder, fim/suffix."
_CHAINS = "Parse chains, comma-separated, each scored separately: raw, repaired, trimmed, block, whole, codev."
_SCENES = "Scenes, comma-separated: 1.1, 1.2, 1.3, 2.1, 2.2, 3, 4; `all` for every one."
_REPO = (
    "The root of the repository; {repo} stands for the name of each of several."
    " [default: the folder beside FILE that has its name]"
)
_PYTHON = (
    "The interpreter that has pytest and what the tests need; {repo} stands for the name of each of several"
    " repositories. [default: the one that runs this program]"
)
_CONTEXT = "The maximum tokens of a question: text at the far ends is left out. [default: 16000]"
_RELEASED = "Only tasks of repositories whose commit was first released after this day; undated ones are left out."
_CASES = "The maximum number of tasks, drawn in turn from each scene and type of block."
_QUOTA = "The number of answers to each task; every answer of a model is valid."
_CALLS = "The maximum number of calls at once. [default: 4]"

Repo = Annotated[Path | None, Option("--repo", help=_REPO)]
DataSet = Annotated[Path, Argument(metavar="FILE", help="A data set.", callback=shipped_or_none)]
ReleasedAfter = Annotated[datetime | None, Option("--released-after", formats=["%Y-%m-%d"], help=_RELEASED)]
Python = Annotated[str, Option("--python", help=_PYTHON)]
Scenes = Annotated[str, Option("--scenes", help=_SCENES)]
Chains = Annotated[str, Option("--parser", "--chains", "--parsing-function", help=_CHAINS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionOptions(AgentOptions):
    """The options of `evals completion run`, as given."""

    calm_slots: ClassVar[int] = 4

    file: DataSet
    repo: Repo = None
    python: Python = ""
    prompts: Annotated[str, Option(*PROMPTS, help=_PROMPTS)] = "basic"
    parser: Chains = "raw,repaired"
    quota: Annotated[int, Option("--valid-attempts-per-case", "--samples", "-n", help=_QUOTA)] = 1
    scenes: Scenes = "all"
    released_after: ReleasedAfter = None
    max_cases: Annotated[int | None, Option(*MAX_CASES, min=1, help=_CASES)] = None
    max_context: Annotated[int | None, Option("--max-context", min=1, help=_CONTEXT)] = None
    max_concurrency: Annotated[int | None, Option("--max-concurrency", "--slots", help=_CALLS)] = None
    max_tokens: Annotated[int, Option("--max-tokens", min=1, help="Maximum output tokens of an answer.")] = 2048
    jobs: Jobs = 2
    weak_sandbox: WeakSandbox = False

    @property
    def most_attempts(self) -> int:
        """The cap per lane: every answer of a model is valid, an attempt of an agent need not be."""
        return AskOptions.most_attempts.__get__(self) if self.agents else self.quota

    @property
    def scene_names(self) -> frozenset[str] | None:
        """The scenes, None for all. Raises InputError for an unknown one."""
        from runner.suites.completion.scenes import scenes_of

        return scenes_of(self.scenes)

    @property
    def first_day(self) -> date | None:
        """The day of `--released-after`."""
        return self.released_after and self.released_after.date()

    @property
    def most_context(self) -> int:
        """The maximum tokens of a question."""
        return self.max_context or DEFAULT_CONTEXT

    def integers(self) -> dict[str, tuple[int | None, int]]:
        """The shared ones and those of this command."""
        own = {"--max-cases": (self.max_cases, 1), "--max-context": (self.max_context, 1), "--jobs": (self.jobs, 1)}
        return {**AskOptions.integers(self), **own}
