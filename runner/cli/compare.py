"""`evals compare`: variants of one run or of several, paired by case."""

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from typer import Argument, Option

from runner.cli.options import METRICS
from runner.run.options import DEFAULT_DB, Db, Json, Wide


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """The options of `evals compare`."""

    runs: Annotated[
        list[str] | None, Argument(help="The runs: ids, prefixes of ids, or `latest`, which is the default.")
    ] = None
    by: Annotated[
        str,
        Option(
            "--by",
            help="Comma-separated: model, prompt, parser, calls, algorithm, edit-tool, endpoint, context, run; or "
            "variant, for all pairs.",
        ),
    ] = "model,prompt,parser,calls,algorithm,edit-tool,run"
    metrics: Annotated[
        list[str] | None,
        Option(*METRICS, help="Comma-separated figures: right, wrong, applied, valid, metrics, clocks, cost_usd."),
    ] = None
    effect: Annotated[
        float,
        Option("--effect", help="State how many cases would show this difference, in points or in the figure's unit."),
    ] = 10.0
    db: Db = DEFAULT_DB
    json: Json = False
    wide: Wide = False


def compare(options: CompareOptions) -> None:
    """Compare variants on common cases: differences and tests."""
    from runner.cli.options import metric_names
    from runner.console import put_json, show
    from runner.report.compared_runs import compared_runs
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites import suite_named

    with closing(Store.open(options.db, create=False)) as store:
        runs = [find_run(store, name) for name in options.runs or ["latest"]]
        metrics = metric_names(options.metrics) if options.metrics else []
        cluster = suite_named(runs[0]["suite"]).cluster(runs[0])
        compared = compared_runs(store, runs, options.by, metrics, cluster)
        effect = compared.checked(options.effect)
        put_json(compared.data(effect)) if options.json else show(compared.document(effect), wide=options.wide)
