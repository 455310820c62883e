"""The options of `evals codrep run`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from runner.run.options import INTEGER_END, MAX_CASES, MODEL_IDS, PROMPTS, AskOptions, Jobs
from runner.shipped import each_shipped, shipped_or_none

PROMPT = "codrep/basic"
PARSER = "line-number"
# The tokens of a request where nobody says otherwise.
MAX_CONTEXT = 8000

DatasetFolder = Annotated[
    Path, Argument(metavar="DIR", help="A dataset folder, or its Tasks folder.", callback=shipped_or_none)
]

_SYSTEMS = "Who answers, comma-separated: predictors (ranker, formula, first, ...) and models such as openai/gpt-x."
_WINDOW = "Maximum tokens of a request; of a longer file the likeliest parts are shown."


@dataclass(frozen=True, slots=True, kw_only=True)
class CodrepOptions(AskOptions):
    """The options of `evals codrep run`, as given."""

    folders: Annotated[
        list[Path],
        Argument(
            metavar="DIR",
            help="Dataset folders with solutions, then models or predictors, as by --model-ids.",
            callback=each_shipped,
        ),
    ]
    # The arguments are folders, among which the command finds models.
    models: list[str] | None = field(init=False, default=None)
    model_ids: Annotated[str, Option(*MODEL_IDS, help=_SYSTEMS)] = "ranker"
    seed: Annotated[int, Option("--seed", help="The seed, sent and used by simulated models and by random.")] = 0
    limit: Annotated[
        int | None, Option(*MAX_CASES, min=1, help="The number of tasks to keep, drawn by --sample-seed.")
    ] = None
    sample_seed: Annotated[int, Option("--sample-seed", help="The seed of the draw of tasks.")] = 0
    max_context: Annotated[int, Option("--max-context", min=1, help=_WINDOW)] = MAX_CONTEXT
    prompts: Annotated[str, Option(*PROMPTS, help="Prompts or .md files, comma-separated.")] = PROMPT
    parser: Annotated[str, Option("--parser", "--parsing-function", help="The parser.")] = PARSER
    jobs: Jobs = 1

    def integers(self) -> dict[str, tuple[int | None, int]]:
        """The whole numbers that every run has, and those of CodRep."""
        # Not by `super()`: a slotted dataclass is another class than the one that it was written as.
        return {
            **AskOptions.integers(self),
            "--max-cases": (self.limit, 1),
            "--max-context": (self.max_context, 1),
            "--jobs": (self.jobs, 1),
            "--sample-seed": (self.sample_seed, -INTEGER_END),
        }
