"""`evals doctor`: what is installed, which settings are found and where, and whether models answer."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from runner.run.options import DEFAULT_DB, MODEL_IDS, BaseUrls, Db, InsecureHttp, Json, Models, Provider, Wide

if TYPE_CHECKING:
    from runner.doctor.ping import Ping
    from runner.environment import Variables
    from runner.trust import Sensitive


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """The options of `evals doctor`."""

    context: typer.Context
    models: Models = None
    model_ids: Annotated[
        str, Option(*MODEL_IDS, help="Models to check, comma-separated: their names, keys and endpoints.")
    ] = ""
    provider: Provider = ""
    base_url: BaseUrls = None
    insecure_http: InsecureHttp = False
    ping: Annotated[bool, Option("--ping", help="Ask each model for one token.")] = False
    timeout: Annotated[float, Option("--timeout", min=0.001, help="Maximum seconds to wait for a model.")] = 30.0
    db: Db = DEFAULT_DB
    json: Json = False
    wide: Wide = False


def doctor(options: DoctorOptions) -> None:
    """Check the installation, keys, endpoints and the database.

    Asks models only with --ping. The exit code is 1 if something is wrong.
    """
    from dataclasses import asdict

    from runner.console import put_json, show
    from runner.doctor.installation import database, installation, network, settings
    from runner.doctor.providers import provider_states
    from runner.doctor.report import health_document
    from runner.environment import variables_of
    from runner.errors import InputError
    from runner.prices import load_prices

    if options.ping and not options.model_ids:
        raise InputError("--ping: needs models to ask; name them with --model-ids")
    variables = variables_of(Path.cwd(), os.environ)
    checks = [
        *installation(os.environ),
        *settings(_files(options.context, variables), os.environ),
        *network(variables.process),
        database(options.db),
    ]
    states = provider_states(variables, load_prices(), insecure_http=options.insecure_http)
    pings = _pings(options, variables) if options.model_ids else []
    if options.json:
        put_json(
            {
                "checks": [asdict(check) for check in checks],
                "providers": [asdict(state) for state in states],
                "models": [asdict(ping) for ping in pings],
            }
        )
    else:
        show(health_document(checks, states, pings), wide=options.wide)
    if any(check.state == "bad" for check in checks) or any(ping.error for ping in pings):
        raise typer.Exit(1)


def _files(context: typer.Context, variables: "Variables") -> "list[tuple[str, Path | None, Sensitive | None]]":
    """Return each kind of settings file: its path if it exists, and its settings that need trust."""
    from runner.environment import sensitive_variables
    from runner.user_folders import config_file

    user, project = config_file(os.environ), context.obj.defaults.sensitive
    dotenv = variables.file
    return [
        ("your evals.toml", user if user is not None and user.is_file() else None, None),
        ("evals.toml", project.file if project is not None else None, project),
        (".env", dotenv, None if dotenv is None else sensitive_variables(dotenv, variables.of_file)),
    ]


def _pings(options: DoctorOptions, variables: "Variables") -> "list[Ping]":
    """Return the state of each model id: refused, resolved, or asked with --ping."""
    from runner.doctor.ping import model_states
    from runner.environment import settings_of

    settings = settings_of(
        variables, provider=options.provider, base_urls=options.base_url or (), insecure_http=options.insecure_http
    )
    return model_states(options.model_ids, settings, options.timeout if options.ping else None)
