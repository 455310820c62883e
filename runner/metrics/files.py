"""Reads a sample from files."""

from collections.abc import Sequence
from pathlib import Path

from runner.errors import InputError
from runner.input_files import read_bytes
from runner.languages import language_named, language_of_files
from runner.metrics.sample import Sample


def read_sample(origin: Path, references: Sequence[Path], hypothesis: Path, lang: str = "") -> Sample:
    """Return the sample of these files, in language `lang`, else in the one of their names.

    Raises InputError naming the file, or `--lang`.
    """
    names = [str(path) for path in (hypothesis, *references, origin)]
    language = language_named(lang, "--lang") if lang else language_of_files(names)
    return Sample(_read(origin), tuple(map(_read, references)), _read(hypothesis), language)


def _read(path: Path) -> str:
    try:
        return read_bytes(path).decode()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give a text file") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}; convert the file to UTF-8") from None
