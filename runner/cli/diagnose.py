"""`evals diagnose`: why the edits of a run failed, and which leniency of the editing tool would pay."""

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from typer import Option

from runner.cli.options import DiffFilter, ModelFilter, PromptFilter, Run, chosen_attempts
from runner.run.options import DEFAULT_DB, Db, Json, Wide


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnoseOptions:
    """The options of `evals diagnose`."""

    run: Run = "latest"
    model: ModelFilter = ""
    prompt: PromptFilter = ""
    diff: DiffFilter = ""
    markdown: Annotated[bool, Option("--markdown", help="Print Markdown.")] = False
    db: Db = DEFAULT_DB
    json: Json = False
    wide: Wide = False


def diagnose(options: DiagnoseOptions) -> None:
    """Show why edits failed, and which leniency would pay.

    No model is asked. For each failed answer, finds the smallest set of differences that a tool would have to
    forgive, and whether the file would then be the expected one.
    """
    from runner.console import put, put_json, show
    from runner.diagnosis.attempts import attempts
    from runner.diagnosis.counts import as_data, counted, failure_data
    from runner.diagnosis.tables import diagnosis_document
    from runner.document import markdown
    from runner.report.tables import SIMULATED
    from runner.storage.runs import find_run, is_simulated
    from runner.storage.store import Store

    with closing(Store.open(options.db, create=False)) as store:
        run = find_run(store, options.run)
        chosen = chosen_attempts(options.model, options.prompt, options.diff)
        scored = list(attempts(store, run, chosen))
        simulated = is_simulated(store, run["run_id"])
    counts = counted(scored)
    document = diagnosis_document(f"run {run['run_id']}: why edits failed", counts, [SIMULATED] if simulated else [])
    if options.json:
        failures = [failure_data(attempt) for attempt in scored if attempt.diagnosis]
        put_json({"run_id": run["run_id"], "simulated": simulated, "algorithms": as_data(counts), "failures": failures})
    elif options.markdown:
        put(markdown(document))
    else:
        show(document, wide=options.wide)
