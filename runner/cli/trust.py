"""`evals trust`: review what this project's files ask for, and remember the confirmation."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from runner.run.options import Json

if TYPE_CHECKING:
    from runner.trust import Sensitive


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustOptions:
    """The options of `evals trust`."""

    context: typer.Context
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask for confirmation; only on the command line.")] = False
    listing: Annotated[bool, Option("--list", help="List the trusted files of all projects.")] = False
    revoke: Annotated[bool, Option("--revoke", help="Stop trusting the files of this project.")] = False
    json: Json = False


def trust(options: TrustOptions) -> None:
    """Review what this project's files ask for, and trust it.

    Shows the settings of evals.toml and .env, here or above, that need trust. They are used once you confirm.
    """
    from runner.console import put_json, say
    from runner.errors import InputError
    from runner.trust import forget, is_trusted, remember, trusted_files, trusting

    if options.listing and options.revoke:
        raise InputError("--list: cannot be given with --revoke; leave one out")
    if options.listing:
        _show_files(trusted_files(os.environ), as_json=options.json)
        return
    asking = [_of_config(options.context), _of_dotenv()]
    sources = [source for source in asking if source is not None]
    if options.revoke:
        revoked = forget([source.file for source in sources], os.environ)
        put_json({"revoked": revoked}) if options.json else say(f"no longer trusted: {', '.join(revoked) or 'no file'}")
        return
    sensitive = [source for source in sources if source.settings]
    with trusting(everything=False):
        states = {source.file: is_trusted(source, os.environ) for source in sensitive}
    _show_settings(sensitive, states, as_json=options.json)
    if all(states.values()):
        say("these settings are trusted" if sensitive else "nothing here needs trust")
        return
    if not _confirmed(yes=options.yes and _typed(options.context)):
        say("nothing was trusted")
        return
    remember(sensitive, os.environ)
    say(f"trusted from now on, until they change: {', '.join(str(source.file) for source in sensitive)}")


def _of_config(context: typer.Context) -> "Sensitive | None":
    """Return what the project's evals.toml asks for; None if there is none."""
    sensitive: Sensitive | None = context.obj.defaults.sensitive
    return sensitive


def _of_dotenv() -> "Sensitive | None":
    """Return what the project's .env asks for; None if there is none."""
    from runner.environment import dotenv_of, sensitive_variables

    file, variables = dotenv_of(Path.cwd())
    return None if file is None else sensitive_variables(file, variables)


def _typed(context: typer.Context) -> bool:
    """Return whether --yes was typed: `yes = true` for paid runs must not also trust files."""
    source = context.get_parameter_source("yes")
    return source is not None and source.name == "COMMANDLINE"


def _confirmed(*, yes: bool) -> bool:
    from runner.console import say
    from runner.errors import InputError

    if yes:
        return True
    if not sys.stdin.isatty():
        raise InputError("trust: there is no terminal to confirm on; review the settings, and give --yes")
    say("use these settings from now on? [y/N]")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _show_files(trusted: Mapping[str, str], *, as_json: bool) -> None:
    from runner.console import harmless, put, put_json

    if as_json:
        put_json({"trusted": sorted(trusted)})
    else:
        put("".join(f"{harmless(file, lines=True)}\n" for file in sorted(trusted)))


def _show_settings(sensitive: "Sequence[Sensitive]", states: Mapping[Path, bool], *, as_json: bool) -> None:
    """Print one line per setting: file, name and value. Values cannot control the terminal."""
    from json import dumps

    from runner.cli.origins import without_credentials
    from runner.console import harmless, put, put_json

    if as_json:
        files = [
            {
                "file": str(source.file),
                "trusted": states[source.file],
                "settings": {name: without_credentials(value) for name, value in source.settings.items()},
            }
            for source in sensitive
        ]
        put_json({"files": files})
        return
    for source in sensitive:
        for name, value in source.settings.items():
            text = dumps(without_credentials(value), ensure_ascii=False)
            put(harmless(f"{source.file}: {name} = {text}", lines=True) + "\n")
