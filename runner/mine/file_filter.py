"""Which files are mined: by language, by extension, by size; by default the sources of programs."""

import os
from dataclasses import dataclass
from pathlib import PurePosixPath

from runner.errors import InputError
from runner.syntax import LANGUAGES, language_of

# Prose, data and settings; and pages whose scripts are a text within a text, so that their comments are not known.
_NO_SOURCES = frozenset({
    "gitattributes",
    "gitignore",
    "gomod",
    "gosum",
    "html",
    "ini",
    "json",
    "latex",
    "markdown",
    "properties",
    "requirements",
    "rst",
    "svelte",
    "toml",
    "vue",
    "xml",
    "yaml",
})  # fmt: skip
SOURCES = LANGUAGES - _NO_SOURCES


@dataclass(frozen=True, slots=True)
class FileFilter:
    """Languages, extensions (without dots; None = any), and the maximum size of a file in bytes."""

    languages: frozenset[str]
    extensions: frozenset[str] | None
    max_bytes: int

    def language(self, path: bytes) -> str | None:
        """Return the language of a file that passes the filter, None for any other."""
        name = os.fsdecode(path)
        language = language_of(name)
        if language not in self.languages:
            return None
        return language if self.extensions is None or _extension(name) in self.extensions else None


def file_filter(languages: str, extensions: str, max_bytes: int, *, default: frozenset[str] = SOURCES) -> FileFilter:
    """Return the filter that the options describe: comma-separated names, case-insensitive, "" for the default.

    An extension alone selects files of any language. Raises InputError for a language or extension not known.
    """
    names, endings = _names(languages), frozenset(name.removeprefix(".") for name in _names(extensions))
    for name in sorted(names - LANGUAGES):
        raise InputError(f"--languages: {name!r} is none of {', '.join(sorted(LANGUAGES))}")
    for ending in sorted(endings):
        if language_of(f"x.{ending}") is None:
            raise InputError(f"--ext: no language is known by {ending!r}; name it as in `--ext py,java`")
    return FileFilter(names or (LANGUAGES if endings else default), endings or None, max_bytes)


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip().lower() for name in text.split(",") if name.strip())


def _extension(name: str) -> str:
    return PurePosixPath(name).suffix.removeprefix(".").lower()
