"""The program of a foreign tool: its command, and digests of the files that the command names."""

import shlex
import shutil
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from runner.calls import EXEC
from runner.errors import InputError


@dataclass(frozen=True, slots=True)
class ToolProgram:
    """A command, and the digests of the files that it names, by their words."""

    words: tuple[str, ...]
    digests: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """The name of the tool: `exec:` and the command, in one form."""
        return f"{EXEC}{shlex.join(self.words)}"


def program_of(name: str, folder: Path, search_path: str) -> ToolProgram:
    """Return the program of `exec:CMD`, whose words are split as by a shell. Raises InputError."""
    try:
        words = tuple(shlex.split(name.removeprefix(EXEC)))
    except ValueError as error:
        raise InputError(f"--edit-tool: {name!r}: {error}; close the quotes") from None
    if not words:
        raise InputError("--edit-tool: exec: names no program; write exec:CMD, such as 'exec:python tool.py'")
    if (program := shutil.which(words[0], path=search_path)) is None:
        raise InputError(f"--edit-tool: {name!r}: {words[0]} is no program; give its path, or install it")
    # An interpreter that is looked up is not the tool; a program that is the only word is.
    files = [(word, folder / word) for word in words[1:]]
    if "/" in words[0] or len(words) == 1:
        files.insert(0, (words[0], Path(program)))
    return ToolProgram(words, tuple((word, _digest(path)) for word, path in files if path.is_file()))


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            digest = sha256()
            while piece := file.read(1 << 20):
                digest.update(piece)
    except OSError as error:
        raise InputError(f"--edit-tool: {path}: cannot be read ({error.strerror}); give a file that can be") from error
    return digest.hexdigest()
