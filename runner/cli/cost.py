"""`evals cost` and `evals prices`: what runs cost, and what models cost."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from runner.cli.options import Run
from runner.run.options import DEFAULT_DB, Db, Json, PriceTable, Wide


@dataclass(frozen=True, slots=True, kw_only=True)
class CostOptions:
    """The options of `evals cost`."""

    run: Run = "latest"
    db: Db = DEFAULT_DB
    json: Json = False
    wide: Wide = False


def cost(options: CostOptions) -> None:
    """Reconcile what a run cost, for each model.

    Compares list prices with what providers report and with what was reserved.
    """
    from dataclasses import asdict

    from runner.console import put_json, show
    from runner.report.costs import cost_document, costs
    from runner.storage.runs import find_run
    from runner.storage.store import Store

    with closing(Store.open(options.db, create=False)) as store:
        run = find_run(store, options.run)
        models = costs(store, run)
        if options.json:
            rows = [
                {**asdict(model), "difference_usd": model.difference_usd, "at_most_usd": model.at_most_usd}
                for model in models
            ]
            put_json({"run_id": run["run_id"], "models": rows})
        else:
            show(cost_document(run, models), wide=options.wide)


@dataclass(frozen=True, slots=True, kw_only=True)
class PricesOptions:
    """The options of `evals prices`."""

    models: Annotated[list[str] | None, Argument(help="Show only models whose id contains one of these texts.")] = None
    prices: PriceTable = None
    source: Annotated[
        Path | None, Option("--from", help="Take newer prices from this file, in the format of evals or of litellm.")
    ] = None
    save: Annotated[Path | None, Option("--save", help="Write the refreshed table to this file.")] = None
    json: Json = False
    wide: Wide = False


def prices(options: PricesOptions) -> None:
    """Show the dated price table, or refresh it from a file."""
    from runner.console import put_json, say, show
    from runner.errors import InputError
    from runner.prices import load_prices
    from runner.report.price_tables import as_data, price_document, refreshed, write_table

    if options.save is not None and options.source is None:
        raise InputError("--save: writes a refreshed table; give the newer prices with --from")
    table = load_prices(options.prices)
    if options.source is not None:
        table = refreshed(table, options.source)
    if options.save is not None:
        write_table(table, options.save)
        say(
            f"{len(table.models)} prices of {table.date} written to {options.save};"
            f" use them with --prices {options.save}"
        )
        return
    parts = options.models or [""]
    selected = {name: price for name, price in table.models.items() if any(part in name for part in parts)}
    if options.json:
        put_json(as_data(table.date, selected))
    else:
        show(price_document(table.date, selected), wide=options.wide)
