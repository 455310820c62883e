"""The variables of the process and of the nearest `.env` above the working folder, and which of the two each is of."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from runner.errors import InputError
from runner.input_files import LARGEST_SETTINGS, read_text
from runner.trust import Sensitive, is_trusted
from runner.trust_policy import variable_needs_trust

if TYPE_CHECKING:
    from suts.settings import Settings


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables of the process and of the nearest .env; `trusted` says that the user trusts what the file says."""

    process: Mapping[str, str]
    file: Path | None = None
    of_file: Mapping[str, str] = field(default_factory=dict)
    trusted: bool = True

    @property
    def merged(self) -> dict[str, str]:
        """All of them; the file's never override."""
        return {**self.of_file, **self.process}

    @property
    def untrusted(self) -> frozenset[str]:
        """The names of variables that only the file sets, unless the user trusts it."""
        return frozenset() if self.trusted else frozenset(self.of_file.keys() - self.process.keys())

    def place(self, names: tuple[str, ...]) -> str:
        """Return the first of these that is set, and where: `OPENAI_API_KEY (environment)`; "" where none is."""
        name = next((name for name in names if self.merged.get(name, "").strip()), "")
        if not name:
            return ""
        return f"{name} ({'environment' if name in self.process else self.file})"


def variables_of(folder: Path, environ: Mapping[str, str]) -> Variables:
    """Return the variables as a command that starts in `folder` sees them.

    Raises InputError for a .env that is no text, or a record of trusted files that cannot be read.
    """
    file, values = dotenv_of(folder)
    if file is None:
        return Variables(environ)
    return Variables(environ, file, values, is_trusted(sensitive_variables(file, values), environ))


def sensitive_variables(file: Path, values: Mapping[str, str]) -> Sensitive:
    """Return what a .env says that counts only once it is trusted."""
    return Sensitive(
        file, {name: value for name, value in values.items() if variable_needs_trust(name, value, file.parent)}
    )


def settings_of(
    variables: Variables,
    *,
    provider: str = "",
    base_urls: Sequence[str] = (),
    seed: int = 0,
    insecure_http: bool = False,
) -> "Settings":
    """Return what systems under test are made with; a variable that may not be used is reported once.

    With several base URLs a model is at each of them.
    """
    from runner.console import say
    from suts.settings import Settings

    reported: set[str] = set()

    def report_unused(variable: str) -> None:
        if variable not in reported:
            reported.add(variable)
            assert variables.file is not None
            say(unused(variables.file, [variable]))

    return Settings(
        provider=provider,
        base_url=base_urls[0] if base_urls else "",
        replicas=tuple(base_urls) if len(base_urls) > 1 else (),
        insecure_http=insecure_http,
        environment=variables.merged,
        untrusted=variables.untrusted,
        network=variables.process,
        report_unused=report_unused,
        seed=seed,
    )


def unused(file: Path, names: list[str]) -> str:
    """Return the line about settings of a project's file that are not used."""
    label = file.name if file.parent == Path.cwd() else str(file)
    return f"{label}: {', '.join(names)}: not used, this folder is not trusted; review with `evals trust`"


def dotenv_of(folder: Path) -> tuple[Path | None, dict[str, str]]:
    """Return the first `.env` in `folder` or above, and what it says; None where there is none.

    A file of another user that we may not read is skipped. Raises InputError for a file that is not text.
    """
    home = folder.resolve()
    for place in (home, *home.parents):
        file = place / ".env"
        # The first question is what a folder above that is closed to us would answer with an error.
        if os.access(file, os.R_OK) and file.is_file():
            from dotenv import dotenv_values

            try:
                values = dotenv_values(stream=StringIO(read_text(file, LARGEST_SETTINGS)))
                return file, {name: value for name, value in values.items() if value is not None}
            except UnicodeDecodeError as error:
                raise InputError(f"{file}: not UTF-8 text: {error.reason}; rewrite it, or move it away") from error
            except OSError as error:
                raise InputError(f"{file}: cannot be read ({error.strerror}); move it away") from error
    return None, {}
