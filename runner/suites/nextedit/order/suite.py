"""The suite that asks a model about pairs of edits, for the order of replays: `evals nextedit --order llm:MODEL`."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from runner.errors import InputError
from runner.metrics.sample import Sample
from runner.report.summary import Edits, summarize, summary_data
from runner.report.tables import document
from runner.run.suite import ReplayOptions, Report, Rescoring, Say, Suite
from runner.storage.runs import RunPlan
from runner.storage.store import Row, Store
from runner.suites.nextedit.order.pair_attempts import attempt, plan
from runner.suites.nextedit.order.pair_options import OrderOptions
from runner.suites.nextedit.order.pair_record import NAME


def samples(_store: Store, run: Row) -> Callable[[Row], Sample | None]:
    """Raise InputError: a relation is no edit."""
    raise InputError(f"run {run['run_id']}: its answers are relations of edits, and metrics score edits")


def replay(_store: Store, source: Row, _options: ReplayOptions, _say: Say) -> AbstractContextManager[Rescoring]:
    """Raise InputError: there is one way to read a relation."""
    raise InputError(f"run {source['run_id']}: its answers are relations of edits, which are read in one way only")


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """How many answers name a relation, and, where people were asked too, how many agree; clocks and cost."""
    summary = summarize(store, run, edits)
    return Report(summary_data(summary), document(summary))


SUITE: Suite[OrderOptions, RunPlan] = Suite(NAME, plan, attempt, samples, replay, report)
