"""`evals doctor`: what is installed, which settings are found and where, and whether models answer."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runner.cli.options import DEFAULT_DB, Db, Json

if TYPE_CHECKING:
    from runner.doctor.ping import Ping
    from runner.doctor.providers import Variables

_MODELS = "Models to look at, parted by commas: can they be asked?"


def doctor(
    model_ids: Annotated[str, typer.Option("--model-ids", "--sut", help=_MODELS)] = "",
    provider: Annotated[str, typer.Option(help="Read every id as this provider's.")] = "",
    base_url: Annotated[str, typer.Option(help="Where an OpenAI-compatible server answers.")] = "",
    ping: Annotated[bool, typer.Option("--ping", help="Ask each of the models for one token.")] = False,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds to wait for a model.")] = 30.0,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Check the installation, keys, endpoints and the database; ask models if told to. Exit 1 if something is bad."""
    from dataclasses import asdict

    from runner.cli.defaults import find_file
    from runner.console import put_json, show
    from runner.doctor.installation import database, installation, settings
    from runner.doctor.providers import provider_states, variables_of
    from runner.doctor.report import health_document
    from runner.errors import InputError
    from runner.prices import load_prices

    if ping and not model_ids:
        raise InputError("--ping: whom? name models with --model-ids")
    variables = variables_of(Path.cwd(), os.environ)
    checks = [*installation(os.environ), *settings(find_file(Path.cwd()), variables.file), database(db)]
    states = provider_states(variables, load_prices())
    pings = _pings(model_ids, (provider, base_url), variables, timeout if ping else None) if model_ids else []
    if json:
        told = {"checks": [asdict(one) for one in checks], "providers": [asdict(one) for one in states]}
        put_json({**told, "models": [asdict(one) for one in pings]})
    else:
        show(health_document(checks, states, pings))
    if any(one.state == "bad" for one in checks) or any(one.error for one in pings):
        raise typer.Exit(1)


def _pings(model_ids: str, where: tuple[str, str], variables: "Variables", timeout_s: float | None) -> "list[Ping]":
    """What becomes of each id: refused, found, or asked where there is a time to wait."""
    import asyncio
    import time

    from runner.console import say
    from runner.doctor.ping import Ping, ping_all
    from runner.run.redaction import short_key_warning
    from runner.run.resolve import split_models
    from suts.registry import resolve
    from suts.settings import Settings, UnknownSutError

    told = Settings(provider=where[0], base_url=where[1], environment=variables.merged)
    refused, suts = [], []
    for name in split_models(model_ids):
        try:
            suts.append(resolve(name, told))
        except UnknownSutError as error:
            refused.append(Ping(name, "", "", error=str(error)))
    if warning := short_key_warning(suts):
        say(warning)
    if timeout_s is None:
        return [*(Ping(sut.name, sut.endpoint.base_url, sut.endpoint.key_fingerprint) for sut in suts), *refused]
    return [*asyncio.run(ping_all(suts, time.monotonic_ns, timeout_s)), *refused]
