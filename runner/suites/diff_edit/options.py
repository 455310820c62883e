"""The options of `evals diff`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from runner.run.agent_options import AgentOptions
from runner.run.options import DIFF_APPLY, MAX_CASES, PARSER, PROMPTS
from runner.shipped import shipped_or_none


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions(AgentOptions):
    """The options of `evals diff`, as given."""

    cases: Annotated[Path, Option("--cases", "--test-path", help="A folder of cases.", callback=shipped_or_none)] = (
        Path("cases/diff_edit")
    )
    max_cases: Annotated[int | None, Option(*MAX_CASES, min=1, help="The maximum number of cases.")] = None
    max_context: Annotated[
        int | None, Option("--max-context", min=1, help="Skip cases of more prompt tokens than this.")
    ] = None
    prompts: Annotated[str, Option(*PROMPTS, help="Prompts or .md files, comma-separated.")] = "basic"
    parser: Annotated[str, Option(*PARSER, help="The parser.")] = "xml-tools-v2"
    diff_apply: Annotated[
        str,
        Option(*DIFF_APPLY, help="Diff algorithms, comma-separated."),
    ] = "v4"
    calls: Annotated[
        str, Option("--calls", help="How edits are called, comma-separated: xml in the text, or native.")
    ] = "xml"
    edit_tool: Annotated[
        str,
        Option(
            "--edit-tool",
            help="Edit tools, comma-separated; each but the default has its own prompt, parser and algorithm. "
            "exec:CMD is a program of your own.",
        ),
    ] = "replace-in-file"
    recover: Annotated[
        int,
        Option("--recover", min=0, help="Send the error of a refused edit back, for at most so many further turns."),
    ] = 0
    validity: Annotated[str, Option("--validity", help="strict, or cline for the original's rule.")] = "strict"
    open_pages: Annotated[
        bool, Option("--open", help="Show the run in a browser while it goes on, as `evals view` does.")
    ] = False
    recorded: Annotated[bool, Option("--replay", help="Score each case's recorded message; ask nobody.")] = False

    @property
    def most_attempts(self) -> int:
        """The cap per lane; a recorded message is scored once."""
        return 1 if self.recorded else self.cap or 10 * self.quota

    @property
    def lane_quota(self) -> int:
        """The quota per lane; a recorded message is scored once."""
        return 1 if self.recorded else self.quota
