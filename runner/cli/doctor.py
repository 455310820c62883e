"""`evals doctor`: what is installed, which settings are found and where, and whether models answer."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runner.cli.options import DEFAULT_DB, BaseUrl, Db, InsecureHttp, Json

if TYPE_CHECKING:
    from runner.doctor.ping import Ping
    from runner.environment import Variables
    from runner.trust import Sensitive
    from suts.settings import Settings

_MODELS = "Models to look at, parted by commas: can they be asked?"


def doctor(
    context: typer.Context,
    model_ids: Annotated[str, typer.Option("--model-ids", "--sut", help=_MODELS)] = "",
    provider: Annotated[str, typer.Option(help="Read every id as this provider's.")] = "",
    base_url: BaseUrl = "",
    insecure_http: InsecureHttp = False,
    ping: Annotated[bool, typer.Option("--ping", help="Ask each of the models for one token.")] = False,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds to wait for a model.")] = 30.0,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Check the installation, keys, endpoints and the database; ask models if told to. Exit 1 if something is bad."""
    from dataclasses import asdict

    from runner.console import put_json, show
    from runner.doctor.installation import database, installation, settings
    from runner.doctor.providers import provider_states
    from runner.doctor.report import health_document
    from runner.environment import settings_of, variables_of
    from runner.errors import InputError
    from runner.prices import load_prices

    if ping and not model_ids:
        raise InputError("--ping: whom? name models with --model-ids")
    variables = variables_of(Path.cwd(), os.environ)
    checks = [*installation(os.environ), *settings(_files(context, variables), os.environ), database(db)]
    states = provider_states(variables, load_prices(), insecure_http=insecure_http)
    how = settings_of(variables, provider=provider, base_url=base_url, insecure_http=insecure_http)
    pings = _pings(model_ids, how, timeout if ping else None) if model_ids else []
    if json:
        told = {"checks": [asdict(one) for one in checks], "providers": [asdict(one) for one in states]}
        put_json({**told, "models": [asdict(one) for one in pings]})
    else:
        show(health_document(checks, states, pings))
    if any(one.state == "bad" for one in checks) or any(one.error for one in pings):
        raise typer.Exit(1)


def _files(context: typer.Context, variables: "Variables") -> "list[tuple[str, Path | None, Sensitive | None]]":
    """Each kind of file that settings come from: the one that is read, if any, and what of it needs trust."""
    from runner.environment import sensitive_variables
    from runner.user_folders import config_file

    user, project = config_file(os.environ), context.obj.defaults.sensitive
    dotenv = variables.file
    return [
        ("your evals.toml", user if user is not None and user.is_file() else None, None),
        ("evals.toml", project.file if project is not None else None, project),
        (".env", dotenv, None if dotenv is None else sensitive_variables(dotenv, variables.of_file)),
    ]


def _pings(model_ids: str, settings: "Settings", timeout_s: float | None) -> "list[Ping]":
    """What becomes of each id: refused, found, or asked where there is a time to wait."""
    import asyncio
    import time

    from runner.console import say
    from runner.doctor.ping import Ping, ping_all
    from runner.run.redaction import short_key_warning
    from runner.run.resolve import split_models
    from suts.registry import resolve
    from suts.settings import UnknownSutError

    refused, suts = [], []
    for name in split_models(model_ids):
        try:
            suts.append(resolve(name, settings))
        except UnknownSutError as error:
            refused.append(Ping(name, "", "", error=str(error)))
    if warning := short_key_warning(suts):
        say(warning)
    if timeout_s is None:
        return [*(Ping(sut.name, sut.endpoint.base_url, sut.endpoint.key_fingerprint) for sut in suts), *refused]
    return [*asyncio.run(ping_all(suts, time.monotonic_ns, timeout_s)), *refused]
