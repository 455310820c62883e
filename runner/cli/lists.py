"""`evals models`, `prompts`, `parsers`, `algorithms` and `metrics`: what there is to choose from."""

import os
from dataclasses import dataclass
from pathlib import Path

from runner.run.options import InsecureHttp, Json, PriceTable, Wide


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsOptions:
    """The options of `evals models`."""

    prices: PriceTable = None
    insecure_http: InsecureHttp = False
    json: Json = False
    wide: Wide = False


def models(options: ModelsOptions) -> None:
    """List providers, keys and prices, and simulated models.

    Shows each provider's base URL, whether its key is present, and its priced models; of simulated models the rates.
    """
    from runner.console import put_json, show
    from runner.doctor.listing import models_data, models_document
    from runner.doctor.providers import provider_states
    from runner.environment import variables_of
    from runner.prices import load_prices

    table = load_prices(options.prices)
    variables = variables_of(Path.cwd(), os.environ)
    states = provider_states(variables, table, insecure_http=options.insecure_http)
    put_json(models_data(states, table.date)) if options.json else show(
        models_document(states, table.date), wide=options.wide
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """The options of a command that lists what comes with evals."""

    json: Json = False
    wide: Wide = False


def prompts(options: ListOptions) -> None:
    """List the prompts that come with evals."""
    _list("prompts", options)


def parsers(options: ListOptions) -> None:
    """List the parsers."""
    _list("parsers", options)


def algorithms(options: ListOptions) -> None:
    """List the algorithms that apply diffs."""
    _list("algorithms", options)


def metrics(options: ListOptions) -> None:
    """List the metrics of edits."""
    _list("metrics", options)


def _list(kind: str, options: ListOptions) -> None:
    from dataclasses import asdict

    from runner.console import put_json, show
    from runner.doctor.catalogue import CATALOGUES
    from runner.doctor.listing import entries_document

    entries = CATALOGUES[kind]()
    put_json([asdict(entry) for entry in entries]) if options.json else show(
        entries_document(kind, entries), wide=options.wide
    )
