"""The options of `evals edit run`, and what its other commands share with it."""

import os
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from runner.errors import InputError
from runner.execution.pins import Pins, read_pins
from runner.run.agent_options import AgentOptions
from runner.run.options import DIFF_APPLY, MAX_CASES, PARSER, PROMPTS, Jobs, WeakSandbox
from runner.shipped import shipped_or_none

_PROMPTS = "Prompts or .md files; one that names replace_in_file is answered by a diff, any other by the whole file."
ALL = "all"
_INSTRUCTIONS = "Where problems have several instructions: their names, comma-separated; each is a prompt of its own."
_PYTHON = "The interpreter that has what Python's tests need. [default: the one that runs this program]"
_ENV = "Pinned packages for Python's tests: a requirements file of NAME==VERSION lines; made once, then kept."
_COMMAND = "How another language's tests are run: js='node {test}'; may be repeated."

File = Annotated[
    Path,
    Argument(
        metavar="FILE",
        help="Problems, one JSON object a line: problem, lang, origin, instruction, reference, test.",
        callback=shipped_or_none,
    ),
]
Commands = Annotated[list[str] | None, Option("--command", metavar="LANG=WORDS", help=_COMMAND)]
Python = Annotated[str, Option("--python", help=_PYTHON)]
Env = Annotated[Path | None, Option("--env", metavar="FILE", help=_ENV)]
Timeout = Annotated[float, Option("--timeout", min=0.1, help="Maximum seconds for one run of a test.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditOptions(AgentOptions):
    """The options of `evals edit run`, as given."""

    file: File
    max_problems: Annotated[int | None, Option(*MAX_CASES, min=1, help="The maximum number of problems.")] = None
    prompts: Annotated[str, Option(*PROMPTS, help=_PROMPTS)] = "edit/whole-file"
    parser: Annotated[str, Option(*PARSER, help="The parser of answers that are calls.")] = "xml-tools-v2"
    diff_apply: Annotated[
        str, Option(*DIFF_APPLY, help="The diff algorithms of answers that are calls, comma-separated.")
    ] = "v4"
    instructions: Annotated[str, Option("--instructions", help=_INSTRUCTIONS)] = ALL
    command: Commands = None
    python: Python = ""
    env: Env = None
    timeout: Timeout = 10.0
    jobs: Jobs = 2
    weak_sandbox: WeakSandbox = False

    @property
    def path(self) -> str:
        """The folders in which programs are looked for."""
        from runner.execution.script_judge import search_path

        return search_path(os.environ)

    @property
    def pins(self) -> Pins | None:
        """The packages that are pinned. Raises InputError where the file says something else."""
        return pins_of(self.env)


def pins_of(file: Path | None) -> Pins | None:
    """Return the packages that a file pins, if one is given. Raises InputError."""
    return None if file is None else read_pins(file)


def check_options(options: EditOptions) -> None:
    """Raise InputError for what is missing, and for numbers that no run can have."""
    if not options.model_ids.strip():
        raise InputError("--model-ids: is missing; name models, such as sim/careful")
    if not isfinite(options.timeout):
        raise InputError(f"--timeout: is {options.timeout}; give seconds, such as 10")
