"""`evals cost` and `evals prices`: what runs cost, and what models cost."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from runner.cli.options import DEFAULT_DB, Db, Json, Run


def cost(run: Run = "latest", db: Db = DEFAULT_DB, json: Json = False) -> None:
    """Reconcile a run's cost per model: list prices, what providers report, what was set aside."""
    from dataclasses import asdict

    from runner.console import put_json, show
    from runner.report.costs import cost_document, costs
    from runner.storage.runs import find_run
    from runner.storage.store import Store

    with closing(Store.open(db, create=False)) as store:
        found_run = find_run(store, run)
        found = costs(store, found_run)
        if json:
            rows = [
                {**asdict(one), "difference_usd": one.difference_usd, "at_most_usd": one.at_most_usd} for one in found
            ]
            put_json({"run_id": found_run["run_id"], "models": rows})
        else:
            show(cost_document(found_run, found))


def prices(
    models: Annotated[list[str] | None, typer.Argument(help="Only models whose id contains one of these.")] = None,
    table: Annotated[Path | None, typer.Option("--prices", help="A table in place of the snapshot.")] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Take newer prices from this file: ours, or litellm's form.")
    ] = None,
    save: Annotated[Path | None, typer.Option("--save", help="Write the refreshed table here.")] = None,
    json: Json = False,
) -> None:
    """Show the dated price table; refresh it from a file."""
    from runner.console import put_json, say, show
    from runner.errors import InputError
    from runner.prices import load_prices
    from runner.report.price_tables import as_data, price_document, refreshed, write_table

    if save is not None and source is None:
        raise InputError("--save: writes a refreshed table; give the newer prices with --from")
    known = load_prices(table)
    if source is not None:
        known = refreshed(known, source)
    if save is not None:
        write_table(known, save)
        say(f"{len(known.models)} prices of {known.date} written to {save}; use them with --prices {save}")
        return
    wanted = models or []
    shown = {name: one for name, one in known.models.items() if not wanted or any(part in name for part in wanted)}
    if json:
        put_json(as_data(known.date, shown))
    else:
        show(price_document(known.date, shown))
