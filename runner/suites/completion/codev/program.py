"""`evals completion codev` from its options to its files: ask or take predictions, write, judge, compare."""

from dataclasses import dataclass, replace
from time import monotonic

from runner.console import say
from runner.run.execute import execute, say_resume
from runner.run.preview import Preview
from runner.suites.completion.codev.files import CodevOutcome, write_judged, write_predictions, write_tables
from runner.suites.completion.codev.inputs import check, read_predictions
from runner.suites.completion.codev.judges import judges_of
from runner.suites.completion.codev.judging import RepositoryJudges
from runner.suites.completion.codev.metadatas import CodevDir
from runner.suites.completion.codev.options import CodevOptions
from runner.suites.completion.codev.predicted import predicted
from runner.suites.completion.codev.suite import SUITE
from runner.suites.completion.codev.verdicts_kept import keep_verdicts


@dataclass(frozen=True, slots=True)
class Done:
    """How it ended: the exit code, what was written, and what was planned where models were to be asked."""

    exit_code: int
    outcomes: tuple[CodevOutcome, ...] = ()
    preview: Preview | None = None


def run_codev(options: CodevOptions) -> Done:
    """Do it all. Raises InputError before anything is asked or written; BadRowsError names several rows."""
    if options.predictions is None:
        return _ask(options)
    check(options)
    outcomes = read_predictions(options, say)
    if options.dry_run:
        for outcome in outcomes:
            say(f"{outcome.mode}: {len(outcome.predictions)} predictions of {outcome.model}; nobody is asked")
        return Done(0)
    return Done(0, _written(outcomes, options))


def _ask(options: CodevOptions) -> Done:
    """Ask every model for every task, or go on with that, and write what is there."""
    executed = execute(SUITE, options)
    if not executed.run_id:
        return Done(executed.exit_code, preview=executed.preview)
    tasks = executed.plan.detail.tasks
    written = _written(predicted(options.db, executed.run_id, tasks, executed.plan.suts), options)
    if options.checked:
        keep_verdicts(options.db, executed.run_id, written)
    say_resume(executed)
    return Done(executed.exit_code, written, executed.preview)


def _written(outcomes: list[CodevOutcome], options: CodevOptions) -> tuple[CodevOutcome, ...]:
    """The predictions, judged where anything is to be checked; all of it in the original's files."""
    folder = None if options.codev_dir is None else CodevDir(options.codev_dir)
    written = []
    with RepositoryJudges(options.checks, folder, judges_of(options)) as bench:
        for outcome in outcomes:
            write_predictions(outcome, options.out)
            written.append(_judged(outcome, bench, options) if options.checked else outcome)
    if options.checked and written:
        write_tables(written, options.out)
    return tuple(written)


def _judged(outcome: CodevOutcome, bench: RepositoryJudges, options: CodevOptions) -> CodevOutcome:
    say(f"{outcome.mode}: checking {len(outcome.predictions)} predictions of {outcome.model}")
    pairs = [(prediction.task, prediction.reply) for prediction in outcome.predictions]
    began = monotonic()
    verdicts = bench.judged(
        pairs, options.jobs, lambda line: say(f"{monotonic() - began:4.0f} s: {outcome.mode}: {line}")
    )
    broken = sum(verdict.told is None or verdict.ours is None for verdict in verdicts)
    if broken:
        why = f"the tests of {broken} predictions break off with the truth too: no exit code shows it"
        say(f"{outcome.mode}: {why}")
    judged = replace(outcome, judged=tuple(verdicts))
    write_judged(judged, options.out)
    return judged
