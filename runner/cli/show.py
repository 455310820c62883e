"""`evals show`: one attempt on a screen."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from runner.cli.options import DiffFilter, ModelFilter, PromptFilter, Run, chosen_attempts
from runner.cli.paging import page
from runner.run.options import DEFAULT_DB, Db, Json

if TYPE_CHECKING:
    from runner.report.selection import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOptions:
    """The options of `evals show`."""

    run: Run = "latest"
    case: Annotated[str, Argument(help="The case's id. [default: all]")] = ""
    number: Annotated[int | None, Argument(help="The number of the attempt. [default: all]")] = None
    model: ModelFilter = ""
    prompt: PromptFilter = ""
    diff: DiffFilter = ""
    cases: Annotated[str, Option("--case", help="Only these cases, comma-separated.")] = ""
    outcome: Annotated[str, Option("--outcome", help="Only these outcomes, comma-separated.")] = ""
    failed: Annotated[bool, Option("--failed", help="Only attempts that failed.")] = False
    flip: Annotated[
        str, Option("--flip", help="Only answers that are right under one of two diff algorithms, such as v3:v4.")
    ] = ""
    full: Annotated[bool, Option("--full", help="Also print the prompt, the conversation and the answer.")] = False
    db: Db = DEFAULT_DB
    json: Json = False


def show(options: ShowOptions) -> None:
    """Show attempts: how each ended and why, one on a screen.

    A block that did not match stands beside the most similar place, with the differences marked.
    """
    from runner.console import put_json
    from runner.report.attempt import attempt_lines, with_question
    from runner.report.screen import screen_lines
    from runner.report.selection import selected
    from runner.storage.runs import find_run
    from runner.storage.store import Store
    from runner.suites import suite_named

    with closing(Store.open(options.db, create=False)) as store:
        run = find_run(store, options.run)
        # Its reading of the database ends before the database is closed, also where a pager is quit.
        with closing(selected(store, run, _selection(options))) as attempts:
            if options.json:
                put_json([with_question(store, run, record) for record in attempts])
                return
            # An error is raised before a pager starts.
            first = next(attempts)
            screen = suite_named(run["suite"]).screen
            further = None if screen is None else screen(store, run)

            def lines() -> Iterator[str]:
                for record in chain([first], attempts):
                    yield from screen_lines(store, run, record)
                    yield from further(record) if further is not None else ()
                    yield from attempt_lines(with_question(store, run, record)) if options.full else ()
                    yield ""

            page(lines())


def _selection(options: ShowOptions) -> "Selection":
    from runner.errors import InputError
    from runner.report.selection import Selection

    first, colon, second = options.flip.partition(":")
    if options.flip and not (first and colon and second):
        raise InputError(f"--flip: {options.flip!r} does not name two algorithms; give two, such as v3:v4")
    cases = ",".join(filter(None, (options.case, options.cases)))
    return Selection(
        chosen_attempts(options.model, options.prompt, options.diff, cases, options.outcome),
        options.number,
        options.failed,
        (first, second) if options.flip else None,
    )
