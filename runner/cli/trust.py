"""`evals trust`: review what this project's files ask for, and remember that it may count."""

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
class Options:
    """The options of `evals trust`."""

    context: typer.Context
    yes: Annotated[bool, Option("--yes", "-y", help="Trust them without being asked; only on the command line.")] = (
        False
    )
    listing: Annotated[bool, Option("--list", help="List the files that are trusted, of all projects.")] = False
    revoke: Annotated[bool, Option("--revoke", help="Trust the files of this project no longer.")] = False
    json: Json = False


def trust(options: Options) -> None:
    """Review what this project's files ask for, and trust it.

    Shows the settings of evals.toml and .env, here or above, that need trust; they count once you agree.
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
    found = [each for each in asking if each is not None]
    if options.revoke:
        gone = forget([each.file for each in found], os.environ)
        put_json({"revoked": gone}) if options.json else say(f"trusted no longer: {', '.join(gone) or 'no file was'}")
        return
    wanted = [each for each in found if each.settings]
    with trusting(everything=False):
        states = {each.file: is_trusted(each, os.environ) for each in wanted}
    _show_settings(wanted, states, as_json=options.json)
    if all(states.values()):
        say("these settings are trusted" if wanted else "nothing here needs trust")
        return
    if not _agreed(yes=options.yes and _typed(options.context)):
        say("nothing was trusted")
        return
    remember(wanted, os.environ)
    say(f"trusted from now on, until they change: {', '.join(str(each.file) for each in wanted)}")


def _of_config(context: typer.Context) -> "Sensitive | None":
    """What the project's evals.toml asks for; None where there is none."""
    sensitive: Sensitive | None = context.obj.defaults.sensitive
    return sensitive


def _of_dotenv() -> "Sensitive | None":
    """What the project's .env asks for; None where there is none."""
    from runner.environment import dotenv_of, sensitive_variables

    file, found = dotenv_of(Path.cwd())
    return None if file is None else sensitive_variables(file, found)


def _typed(context: typer.Context) -> bool:
    """Whether --yes was typed: `yes = true` for paid runs must not trust files, too."""
    source = context.get_parameter_source("yes")
    return source is not None and source.name == "COMMANDLINE"


def _agreed(*, yes: bool) -> bool:
    from runner.console import say
    from runner.errors import InputError

    if yes:
        return True
    if not sys.stdin.isatty():
        raise InputError("trust: no terminal is there to ask on; review the settings, and give --yes")
    say("let these settings count from now on? [y/N]")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _show_files(trusted: Mapping[str, str], *, as_json: bool) -> None:
    from runner.console import harmless, put, put_json

    if as_json:
        put_json({"trusted": sorted(trusted)})
    else:
        put("".join(f"{harmless(file, lines=True)}\n" for file in sorted(trusted)))


def _show_settings(wanted: "Sequence[Sensitive]", states: Mapping[Path, bool], *, as_json: bool) -> None:
    """File, setting and value, a line each; nothing in a value can steer the terminal."""
    from json import dumps

    from runner.cli.origins import without_credentials
    from runner.console import harmless, put, put_json

    if as_json:
        files = [
            {
                "file": str(each.file),
                "trusted": states[each.file],
                "settings": {name: without_credentials(value) for name, value in each.settings.items()},
            }
            for each in wanted
        ]
        put_json({"files": files})
        return
    for each in wanted:
        for name, value in each.settings.items():
            shown = dumps(without_credentials(value), ensure_ascii=False)
            put(harmless(f"{each.file}: {name} = {shown}", lines=True) + "\n")
