"""What the user has trusted of projects' files: digests of settings, remembered outside of the projects.

A digest covers exactly the settings that need trust (see `trust_policy`): a changed one asks again, any other may
change freely. It does not cover the programs and modules that the settings name.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from runner.errors import InputError
from runner.user_folders import state_folder

# Set for the length of a command that was given --trust: variables of `.env` are read where no option reaches.
_TRUSTING: ContextVar[bool] = ContextVar("trusting", default=False)


@dataclass(frozen=True, slots=True)
class Sensitive:
    """The settings of a project's file that count only once they are trusted, by the file's own words for them."""

    file: Path
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 of names and values."""
        return hashlib.sha256(json.dumps(self.settings, sort_keys=True).encode()).hexdigest()


@contextmanager
def trusting(*, everything: bool) -> Iterator[None]:
    """Trust every file within the context, or only what is remembered."""
    token = _TRUSTING.set(everything)
    try:
        yield
    finally:
        _TRUSTING.reset(token)


def is_trusted(sensitive: Sensitive, environ: Mapping[str, str]) -> bool:
    """Return whether these settings count. Raises InputError for a record that cannot be read."""
    if not sensitive.settings or _TRUSTING.get():
        return True
    return trusted_files(environ).get(str(sensitive.file.resolve())) == sensitive.digest


def trusted_files(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the digests that are remembered, by resolved path. Raises InputError for a record that cannot be read."""
    record = _record(environ)
    try:
        stored = json.loads(record.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError(f"{record}: cannot be read ({error}); remove it, and trust your projects again") from error
    if not isinstance(stored, dict) or not all(isinstance(digest, str) for digest in stored.values()):
        raise InputError(f"{record}: is not a record of trusted files; remove it, and trust your projects again")
    return stored


def remember(trusted: Iterable[Sensitive], environ: Mapping[str, str]) -> None:
    """Trust these settings as they are now. Raises InputError where the record cannot be written."""
    _write(environ, trusted_files(environ) | {str(settings.file.resolve()): settings.digest for settings in trusted})


def forget(files: Iterable[Path], environ: Mapping[str, str]) -> list[str]:
    """Trust these files no longer; those that were trusted. Raises InputError where the record cannot be written."""
    known = trusted_files(environ)
    removed = [str(file.resolve()) for file in files if str(file.resolve()) in known]
    if removed:
        _write(environ, {file: digest for file, digest in known.items() if file not in removed})
    return removed


def _record(environ: Mapping[str, str]) -> Path:
    return state_folder(environ) / "trusted.json"


def _write(environ: Mapping[str, str], trusted: Mapping[str, str]) -> None:
    """Replace the record in one step. A new temporary file is the user's alone (mode 0600)."""
    import tempfile

    record = _record(environ)
    try:
        record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=record.parent, prefix=record.name)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(trusted, file, indent=2, sort_keys=True)
        Path(name).replace(record)
    except OSError as error:
        raise InputError(f"{record}: cannot be written ({error.strerror}); make its folder writable") from error
