"""Prints long texts: through the user's pager on a terminal, plainly where the output is piped."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping

from runner.console import harmless, put

# Less quits where all fits on a screen, and leaves the text there.
_LESS = ("less", "-FX")


def page(lines: Iterable[str]) -> None:
    """Print lines of others' text, without control characters; data goes to stdout."""
    command = pager_of(os.environ) if sys.stdout.isatty() else []
    texts = (f"{harmless(line)}\n" for line in lines)
    if not command:
        for text in texts:
            put(text)
        return
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True, errors="replace") as process:  # noqa: S603 - theirs
        assert process.stdin is not None
        try:
            process.stdin.writelines(texts)
            process.stdin.close()
        except BrokenPipeError:
            # The reader has quit before the end.
            pass
        except KeyboardInterrupt:
            process.wait()
            raise


def pager_of(environment: Mapping[str, str]) -> list[str]:
    """Return the command of a pager, an empty list for none.

    `PAGER` is that of the process, which is the user's; a project's `.env` or evals.toml cannot set it. A program is
    looked for in the absolute folders of PATH alone, so none of the current folder is started.
    """
    try:
        command = shlex.split(environment["PAGER"]) if "PAGER" in environment else list(_LESS)
    except ValueError:
        return []
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    path = os.pathsep.join(folder for folder in folders if os.path.isabs(folder))  # noqa: PTH117 - a text, no path yet
    program = shutil.which(command[0], path=path) if command and path else None
    return [program, *command[1:]] if program and command[0] != "cat" else []
