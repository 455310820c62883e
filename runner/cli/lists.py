"""`evals models`, `prompts`, `parsers`, `algorithms` and `metrics`: what there is to choose from."""

import os
from pathlib import Path
from typing import Annotated

import typer

from runner.cli.options import InsecureHttp, Json

Prices = Annotated[Path | None, typer.Option("--prices", help="A price table in place of the snapshot.")]


def models(prices: Prices = None, insecure_http: InsecureHttp = False, json: Json = False) -> None:
    """List the providers: base URL, key present or not, priced models; and the simulated models with their rates."""
    from runner.console import put_json, show
    from runner.doctor.listing import models_data, models_document
    from runner.doctor.providers import provider_states
    from runner.environment import variables_of
    from runner.prices import load_prices

    table = load_prices(prices)
    states = provider_states(variables_of(Path.cwd(), os.environ), table, insecure_http=insecure_http)
    put_json(models_data(states, table.date)) if json else show(models_document(states, table.date))


def prompts(json: Json = False) -> None:
    """List the prompts that come with evals."""
    _list("prompts", json=json)


def parsers(json: Json = False) -> None:
    """List the parsers."""
    _list("parsers", json=json)


def algorithms(json: Json = False) -> None:
    """List the diff algorithms."""
    _list("algorithms", json=json)


def metrics(json: Json = False) -> None:
    """List the metrics of edits."""
    _list("metrics", json=json)


def _list(kind: str, *, json: bool) -> None:
    from dataclasses import asdict

    from runner.console import put_json, show
    from runner.doctor.catalogue import CATALOGUES
    from runner.doctor.listing import entries_document

    entries = CATALOGUES[kind]()
    put_json([asdict(one) for one in entries]) if json else show(entries_document(kind, entries))
