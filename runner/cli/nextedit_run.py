"""A run of `evals nextedit`: executed, then shown as its report shows it, its result files written."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from runner.suites.nextedit.options import NextEditOptions

if TYPE_CHECKING:
    from runner.report.run_report import Report
    from runner.suites.nextedit.run_replays import RunReplay


def run_and_show(options: NextEditOptions, output_dir: Path | None) -> int:
    """Replay the commits, write result files into `output_dir`, show the report; return the exit code."""
    from runner.console import put_json
    from runner.run.execute import execute, say_resume
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites.nextedit.report import report_with
    from runner.suites.nextedit.run_replays import known_replays
    from runner.suites.nextedit.suite import SUITE

    executed = execute(SUITE, options)
    if options.dry_run and options.json:
        put_json(executed.preview.data)
    if not executed.run_id:
        return executed.exit_code
    with closing(Store.open(options.db)) as store:
        run = find_run(store, executed.run_id)
        replays = known_replays(store, run)
        report = report_with(store, run, replays)
    _write(replays, output_dir)
    _show(report, options)
    code = executed.exit_code or _say_failures(replays)
    say_resume(executed)
    return code


def _write(replays: "Sequence[RunReplay]", folder: Path | None) -> None:
    from runner.suites.nextedit.results import write_replay

    for replay in replays if folder is not None else ():
        assert folder is not None
        write_replay(replay.replay, replay.name, replay.commit.origin.project, folder)


def _show(report: "Report", options: NextEditOptions) -> None:
    from runner.console import put_json, show

    if options.json:
        data = dict(report.data)
        systems = data.pop("nextedit")
        put_json({**data, "systems": systems})
    else:
        show(report.with_tables(all_tables=False), wide=options.wide)


def _say_failures(replays: "Sequence[RunReplay]") -> int:
    """Print which systems failed at every question; return the exit code for that, 0 if none did."""
    from runner.console import say
    from runner.suites.nextedit.summary import failure

    failed = False
    for name in dict.fromkeys(replay.name for replay in replays):
        trouble = failure([replay.replay for replay in replays if replay.name == name])
        if trouble is not None:
            failed = True
            # The last line of a traceback is what happened.
            say(f"{name} failed at every question: {trouble.reason}: {trouble.message.splitlines()[-1]}")
    return int(failed)
