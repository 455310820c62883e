"""`evals nextedit new-system`: a file to begin a system of one's own with."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSystemOptions:
    """The options of `evals nextedit new-system`."""

    name: Annotated[str, Argument(metavar="NAME", help="The name of the system, and of its file: NAME.py.")]


def new_system(options: NewSystemOptions) -> None:
    """Write NAME.py, a system that runs: change it to make your own.

    It can be asked as a file, and over HTTP; docs/nextedit.md describes questions and answers.
    """
    from runner.cli.new_files import write_new
    from runner.errors import InputError
    from runner.suites.nextedit.systems.template import template_of

    path = Path(options.name.removesuffix(".py")).with_suffix(".py")
    if not path.stem.isidentifier():
        raise InputError(f"NAME: {options.name!r} is no name of a Python file; give letters, digits and underscores")
    write_new(path, template_of(path), f"evals nextedit --sut {path}")
