"""The options of `evals nextedit` for TRACE: where its three checkpoints are, and on what they run."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from runner.suites.nextedit.systems.module_cell import ModuleSettings
    from runner.suites.nextedit.systems.trace import TraceSettings

Folder = Annotated[
    Path | None, typer.Option("--trace-models", metavar="DIR", help="A folder with invoker, locator and generator.")
]
Invoker = Annotated[
    Path | None, typer.Option(metavar="PATH", envvar="INVOKER_MODEL_PATH", help="TRACE's first checkpoint.")
]
Locator = Annotated[
    Path | None, typer.Option(metavar="PATH", envvar="LOCATOR_MODEL_PATH", help="TRACE's second checkpoint.")
]
Generator = Annotated[
    Path | None, typer.Option(metavar="PATH", envvar="GENERATOR_MODEL_PATH", help="TRACE's third checkpoint.")
]
Bases = Annotated[
    Path | None, typer.Option("--trace-bases", metavar="DIR", help="Folders of the models TRACE was trained from.")
]
Device = Annotated[str, typer.Option(envvar="DEVICE", help="The torch device of TRACE.")]
Interpreter = Annotated[
    Path | None, typer.Option("--trace-python", metavar="PATH", help="An interpreter that has torch and transformers.")
]
_LIBRARIES = ("torch", "transformers")
_PARTS = ("invoker", "locator", "generator")


def trace_settings(given: "Mapping[str, Any]", modules: "ModuleSettings") -> "TraceSettings":
    """The three checkpoints as the options name them.

    Raises InputError where one is not named or not there, and where one needs libraries that are not installed.
    """
    from dataclasses import replace

    from runner.errors import InputError
    from runner.suites.nextedit.systems.trace import Checkpoints, TraceSettings

    # Checkpoints may lie in a tree; what they say is made of the texts that they are asked about.
    modules = replace(modules, trees=())
    invoker, locator, generator = (_checkpoint(part, given) for part in _PARTS)
    checkpoints = Checkpoints(invoker, locator, generator, given["trace_bases"])
    if given["trace_python"]:
        modules = replace(modules, python=str(given["trace_python"]))
    missing = _missing(modules.python) if checkpoints.neural else ""
    if missing:
        raise InputError(
            f"--sut trace: {modules.python} has no {missing}; install it, or name another interpreter with "
            "--trace-python"
        )
    return TraceSettings(checkpoints, given["device"], modules)


def _checkpoint(part: str, given: "Mapping[str, Any]") -> Path:
    from runner.errors import InputError

    option = f"--{part}-model-path"
    path: Path | None = given[f"{part}_model_path"]
    folder: Path | None = given["trace_models"]
    if path is None and folder is not None:
        path = next((each for each in (folder / part, folder / f"{part}.bin") if each.exists()), folder / part)
    if path is None:
        raise InputError(f"--sut trace: the {part} is not named; name it with {option}, or all three by --trace-models")
    if not path.exists():
        raise InputError(f"--sut trace: {path} is not there; name the {part} with {option} or --trace-models")
    return path


def _missing(python: str) -> str:
    """The first library that an interpreter lacks, "" if it has all."""
    from runner.errors import InputError

    # The interpreter may be older than its option -P, which keeps the current folder off its path.
    words = (
        "import sys; sys.path[:] = filter(None, sys.path); import importlib.util as known; "
        "print(next((name for name in sys.argv[1:] if not known.find_spec(name)), ''))"
    )
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter that was named
            [python, "-c", words, *_LIBRARIES], capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise InputError(f"--trace-python {python}: is no Python interpreter ({error})") from error
    return done.stdout.strip()
