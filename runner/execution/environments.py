"""Environments of pinned packages for the tests of answers: made once, kept in the cache, found again by their digest.

Only wheels are installed, so that no program of a package runs outside of a cell. Nothing is installed that is not
pinned: what a package needs beside itself must be pinned too. A cell sees an environment, and cannot write to it.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

from runner.errors import InputError
from runner.execution import stale_dirs
from runner.execution.pins import Pins
from runner.execution.untrusted_files import remove
from runner.user_folders import cache_folder

_ABOUT = "import os, sys, sysconfig; print(os.path.realpath(sys.executable), sys.version, sysconfig.get_platform())"
_INSTALL = ("install", "--no-deps", "--only-binary", ":all:", "--no-compile", "--no-input", "--requirement")
_STATED = "pins.txt"
_LONGEST_WORD = 300


def pinned_python(pins: Pins, python: str, environ: Mapping[str, str], say: Callable[[str], None]) -> str:
    """Return the interpreter of the environment with these packages, which is made if it is not there yet.

    `python` is what it is made from. Raises InputError where that is impossible, such as for a package that pip does
    not find, and where a package is missing that another needs.
    """
    place = cache_folder(environ) / "environments"
    final = place / _digest(pins, python, environ)
    if not final.is_dir():
        say(f"an environment with {len(pins.lines)} packages of {pins.file} is made in {final}")
        _make(pins, python, environ, final)
    return str(final / "bin" / "python")


def _digest(pins: Pins, python: str, environ: Mapping[str, str]) -> str:
    """Return the name of an environment: that of its packages, and of the interpreter that it is made from."""
    about = _output_of([python, "-I", "-c", _ABOUT], environ, f"--python {python}: is no Python interpreter")
    return sha256(f"1\n{about}\n{pins.digest}".encode()).hexdigest()[:32]


def _make(pins: Pins, python: str, environ: Mapping[str, str], final: Path) -> None:
    """Make it elsewhere, and move it to its place once it is whole, unless another process was first."""
    final.parent.mkdir(parents=True, exist_ok=True)
    stale_dirs.sweep(final.parent, remove)
    folder = Path(mkdtemp(prefix=stale_dirs.prefix("environment"), dir=final.parent))
    try:
        stated, program = folder / _STATED, str(folder / "bin" / "python")
        _output_of([python, "-I", "-m", "venv", str(folder)], environ, f"--env {pins.file}: venv failed")
        stated.write_text("".join(f"{line}\n" for line in pins.lines), encoding="utf-8")
        pip = [program, "-I", "-m", "pip", "--disable-pip-version-check"]
        _output_of([*pip, *_INSTALL, str(stated)], environ, f"--env {pins.file}: pip installs no such wheels")
        _output_of([*pip, "check"], environ, f"--env {pins.file}: a package is missing")
        compiling = [program, "-I", "-m", "compileall", "-q", "-s", str(folder), "-p", str(final), str(folder / "lib")]
        # What does not compile is no module of this Python.
        subprocess.run(compiling, env=dict(environ), capture_output=True, check=False)  # noqa: S603 - our own words
        _settle(folder, final)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _settle(folder: Path, final: Path) -> None:
    try:
        folder.rename(final)
    except OSError:
        if not final.is_dir():
            raise


def _output_of(words: Sequence[str], environ: Mapping[str, str], failure: str) -> str:
    """Return what a command prints that succeeds. Raises InputError with its last words."""
    try:
        done = subprocess.run(  # noqa: S603 - the person's interpreter
            list(words), env=dict(environ), cwd=os.sep, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise InputError(f"{failure} ({error.strerror}); give another") from None
    if done.returncode != 0:
        lines = (done.stderr + done.stdout).decode(errors="replace").strip().splitlines()
        errors = [line for line in lines if line.startswith("ERROR: ")] or lines or ["it says nothing"]
        raise InputError(f"{failure} ({errors[-1].removeprefix('ERROR: ')[:_LONGEST_WORD]}); fix the pins")
    return done.stdout.decode(errors="replace").strip()
