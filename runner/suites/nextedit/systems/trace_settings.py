"""The checkpoints of TRACE, as the options name them, and the interpreter that runs them."""

import subprocess
from dataclasses import replace
from pathlib import Path

from runner.errors import InputError
from runner.suites.nextedit.options import TraceOptions
from runner.suites.nextedit.systems.module_cell import ModuleSettings
from runner.suites.nextedit.systems.trace import Checkpoints, TraceSettings

_LIBRARIES = ("torch", "transformers")


def checkpoints_of(options: TraceOptions) -> Checkpoints:
    """The three checkpoints. Raises InputError where one is not named or does not exist."""
    return Checkpoints(
        _checkpoint("invoker", options.invoker_model_path, options.trace_models),
        _checkpoint("locator", options.locator_model_path, options.trace_models),
        _checkpoint("generator", options.generator_model_path, options.trace_models),
        options.trace_bases,
    )


def trace_settings(options: TraceOptions, modules: ModuleSettings) -> TraceSettings:
    """How TRACE is run. Raises InputError, also where checkpoints need libraries that are not installed."""
    # Checkpoints may lie in a tree; their answers are made from the texts that they are asked about.
    modules = replace(modules, trees=())
    checkpoints = checkpoints_of(options)
    if options.trace_python:
        modules = replace(modules, python=str(options.trace_python))
    missing = _missing(modules.python) if checkpoints.neural else ""
    if missing:
        raise InputError(
            f"--model-ids trace: {modules.python} has no {missing}; install it, or name another interpreter with "
            "--trace-python"
        )
    return TraceSettings(checkpoints, options.device, modules)


def _checkpoint(part: str, path: Path | None, folder: Path | None) -> Path:
    option = f"--{part}-model-path"
    if path is None and folder is not None:
        path = next((file for file in (folder / part, folder / f"{part}.bin") if file.exists()), folder / part)
    if path is None:
        raise InputError(
            f"--model-ids trace: the {part} is not named; name it with {option}, or all three by --trace-models"
        )
    if not path.exists():
        raise InputError(f"--model-ids trace: {path} is not there; name the {part} with {option} or --trace-models")
    return path


def _missing(python: str) -> str:
    """The first library that an interpreter lacks, "" if it has all."""
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
