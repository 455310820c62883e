"""`evals view`: the pages of a database in a browser, live while a run goes on."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from runner.run.options import DEFAULT_DB, Db

DEFAULT_PORT = 8722


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewOptions:
    """The options of `evals view`."""

    database: Annotated[Path | None, Argument(metavar="DB", help="The database file. [default: that of --db]")] = None
    db: Db = DEFAULT_DB
    port: Annotated[
        int, Option("--port", min=0, max=65535, help="The port; another one where it is taken. 0 takes a free one.")
    ] = DEFAULT_PORT
    no_browser: Annotated[bool, Option("--no-browser", help="Do not open the pages in the browser.")] = False
    rebuild: Annotated[
        bool, Option("--rebuild", help="Count the summary tables again first, and print what was wrong.")
    ] = False
    until_input_ends: Annotated[
        bool, Option("--until-input-ends", help="End with the standard input, for a program that starts the server.")
    ] = False


def view(options: ViewOptions) -> None:
    """Show runs, attempts and cases in a browser, until interrupted.

    Serves pages on this machine alone, live while a run goes on; the database is only read.
    """
    import asyncio
    from contextlib import suppress

    from runner.console import put, say
    from runner.storage.store import Store
    from runner.view.serving import open_browser, serve_until

    db = options.database or options.db
    if not options.until_input_ends:
        # A run that is about to begin may still have to make the file; anything else is a wrong name.
        Store.open(db, create=False).close()
    if options.rebuild:
        _rebuild(db)

    def ready(address: str) -> None:
        put(f"{address}\n")
        say(f"serving {db}; Ctrl-C ends it")
        if not options.no_browser:
            open_browser(address, os.environ, sys.platform)

    with suppress(KeyboardInterrupt):
        asyncio.run(serve_until(db, options.port, ready, sys.stdin if options.until_input_ends else None))


def _rebuild(db: Path) -> None:
    """Count the summary tables again, and print what was wrong."""
    from contextlib import closing

    from runner.console import say
    from runner.storage.store import Store
    from runner.storage.tallies import rebuild_tallies

    with closing(Store.open(db)) as store:
        wrong = rebuild_tallies(store)
    for name, count in wrong.items():
        say(f"{name}: {count} counts were wrong and are counted again")
    if not wrong:
        say("the summary tables are right")
