"""How the tests of each language are run: ours for Python, a command of the user for any other."""

import shlex
from collections.abc import Iterable

from runner.errors import InputError
from runner.languages import language_named

PYTHON = "python"
PLACE = "{test}"

Command = tuple[str, ...]

# Java wants a file to be called as the class in it that is run.
_NAMES = {"java": "Main.java"}
_SUFFIXES = {
    "bash": "sh",
    "csharp": "cs",
    "haskell": "hs",
    "javascript": "js",
    "julia": "jl",
    "kotlin": "kt",
    "perl": "pl",
    "python": "py",
    "ruby": "rb",
    "rust": "rs",
    "typescript": "ts",
}


def file_name(language: str | None) -> str:
    """Return what a problem's file is called, for models and for commands."""
    if language is None:
        return "answer.txt"
    return _NAMES.get(language, f"answer.{_SUFFIXES.get(language, language)}")


def commands_of(texts: Iterable[str]) -> dict[str, Command]:
    """Return the commands by language ("" for text), from `LANG=WORDS` split as by a shell. Raises InputError."""
    commands: dict[str, Command] = {}
    for text in texts:
        name, equals, words = text.partition("=")
        try:
            parts = tuple(shlex.split(words))
        except ValueError as error:
            raise InputError(f"--command: {text!r}: {error}; close the quotes") from None
        if not (name.strip() and equals and any(PLACE in part for part in parts)):
            raise InputError(f"--command: {text!r} is not LANG=WORDS with {PLACE} in them; write js='node {PLACE}'")
        language = language_named(name.strip(), "--command") or ""
        if commands.setdefault(language, parts) != parts:
            raise InputError(f"--command: two are given for {name.strip()}; leave one out")
    return commands
