"""The options of `evals completion codev`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from typer import Argument, Option

from runner.run.options import AskOptions, Jobs, WeakSandbox

if TYPE_CHECKING:
    from runner.suites.completion.codev.rules import Checks

_PROMPTS = "Files prompts/*.jsonl, or folders of them [default: those of --codev-dir]; then models, as by --model-ids."
_DIR = "The folder that has Source_Code_Copy and metadatas."
_PREDICTIONS = "Score these predictions/*.jsonl (a file, or a folder above such); ask nobody."
_ALL = "Ask about every type of block; the original leaves WHILE, CATCH and others out."
_QUOTA = "Codev-Bench takes one answer to a task."
_CALLS = "The maximum number of calls at once. [default: 4]"
_PYTHON = "The interpreter that runs tests. [default: the repository's myenv, else the one that runs this program]"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodevOptions(AskOptions):
    """The options of `evals completion codev`, as given."""

    calm_slots: ClassVar[int] = 4

    prompts: Annotated[list[Path] | None, Argument(metavar="[PROMPTS]...", help=_PROMPTS)] = None
    # The arguments are prompts, among which the command finds models.
    models: list[str] | None = field(init=False, default=None)
    predictions: Annotated[Path | None, Option("--predictions", metavar="PATH", help=_PREDICTIONS)] = None
    out: Annotated[
        Path, Option("--out", metavar="DIR", help="Where <scene>/predictions, results and scores are written.")
    ] = Path("predicts")
    codev_dir: Annotated[Path | None, Option("--codev-dir", metavar="DIR", help=_DIR)] = None
    check_unittest: Annotated[bool, Option("--check-unittest", help="The tests must pass.")] = False
    check_indent: Annotated[bool, Option("--check-indent", help="No line may be indented less than the block.")] = False
    check_cross_line: Annotated[bool, Option("--check-cross-line", help="The response must stay within its line.")] = (
        False
    )
    check_empty: Annotated[bool, Option("--check-empty", help="The response must be empty.")] = False
    all_types: Annotated[bool, Option("--all-types", help=_ALL)] = False
    max_cases: Annotated[
        int | None, Option("--max-cases", "--limit", min=1, help="The maximum number of tasks of each file.")
    ] = None
    python: Annotated[str, Option("--python", help=_PYTHON)] = ""
    quota: Annotated[int, Option("--valid-attempts-per-case", "-n", help=_QUOTA)] = 1
    max_concurrency: Annotated[int | None, Option("--max-concurrency", "--slots", help=_CALLS)] = None
    max_tokens: Annotated[int, Option("--max-tokens", min=1, help="Maximum output tokens of an answer.")] = 1024
    jobs: Jobs = 2
    weak_sandbox: WeakSandbox = False

    @property
    def checks(self) -> "Checks":
        """What a response has to stand."""
        # Imported here, so that `--help` loads neither the rules nor what reads files for them.
        from runner.suites.completion.codev.rules import Checks

        return Checks(self.check_unittest, self.check_indent, self.check_cross_line, self.check_empty)

    @property
    def checked(self) -> bool:
        """Whether anything is to be checked."""
        return any((self.check_unittest, self.check_indent, self.check_cross_line, self.check_empty))

    @property
    def most_attempts(self) -> int:
        """The cap per lane: every answer is valid."""
        return self.quota

    def integers(self) -> dict[str, tuple[int | None, int]]:
        """The shared ones and those of this command."""
        own = {"--max-cases": (self.max_cases, 1), "--jobs": (self.jobs, 1)}
        return {**AskOptions.integers(self), **own}
