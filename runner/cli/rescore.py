"""`evals rescore`: add metrics to a stored run."""

from contextlib import closing
from dataclasses import dataclass, field

from runner.cli.options import Metrics, Run, metric_names
from runner.run.options import DEFAULT_DB, Db, Json, Wide


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoreOptions:
    """The options of `evals rescore`."""

    run: Run = "latest"
    metrics: Metrics = field(default_factory=lambda: ["es-token,es-line,sari,nes"])
    db: Db = DEFAULT_DB
    json: Json = False
    wide: Wide = False


def rescore(options: RescoreOptions) -> None:
    """Add metrics to a stored run.

    The metrics compare stored results with expected ones, for cases that have them.
    """
    from runner.console import put_json, say, show
    from runner.run.rescore import rescore_run
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites import suite_named

    with closing(Store.open(options.db, create=False)) as store:
        run = find_run(store, options.run)
        suite = suite_named(run["suite"])
        count = rescore_run(suite, store, run, metric_names(options.metrics))
        report = suite.report(store, run, None)
        if options.json:
            put_json(report.data)
        else:
            say(f"{count} scorings of run {run['run_id']} scored")
            show(report.document, wide=options.wide)
