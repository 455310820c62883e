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
    from runner.console import put, say
    from runner.errors import InputError
    from runner.suites.nextedit.systems.template import template_of

    path = Path(options.name.removesuffix(".py")).with_suffix(".py")
    if not path.stem.isidentifier():
        raise InputError(f"NAME: {options.name!r} is no name of a Python file; give letters, digits and underscores")
    if path.exists():
        raise InputError(f"NAME: there is a file {path} already; give another name")
    try:
        path.write_text(template_of(path), encoding="utf-8")
    except OSError as error:
        raise InputError(f"NAME: {path} cannot be written ({error.strerror}); name a folder that is there") from error
    say(f"try it: evals nextedit --sut {path}")
    put(f"{path}\n")
