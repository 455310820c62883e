"""Reads the database for the server, in one thread of its own: drawing a page never stops the news of a run."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self, TypeVar

from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.view.filters import Query
from runner.view.progress import RunProgress, progress_of
from runner.view.site import Drawn, draw, no_database, page_templates
from runner.view.unified import unified

Result = TypeVar("Result")


class Reader:
    """One connection that only reads, opened with the first page: a run that begins may still have to make the file."""

    def __init__(self, db: Path) -> None:
        """Name the database."""
        self._db = db
        self._store: Store | None = None
        self._thread = ThreadPoolExecutor(1, "pages")

    def __enter__(self) -> Self:
        """Return the reader; its thread loads what pages need."""
        self._thread.submit(_prepare)
        return self

    def __exit__(self, *_exception: object) -> None:
        """Close the connection in its thread, and end that."""
        self._thread.submit(self._close).result()
        self._thread.shutdown()

    async def page(self, parts: Sequence[str], query: Query) -> Drawn:
        """Return the page of an address."""
        return await self._read(lambda store: draw(store, parts, query), no_database)

    async def progress(self, run_id: str) -> RunProgress | None:
        """Return how far a run is; None while there is no database. Raises InputError for an unknown run."""
        return await self._read(lambda store: progress_of(store, find_run(store, run_id)), lambda _db: None)

    async def _read(self, read: Callable[[Store], Result], otherwise: Callable[[Path], Result]) -> Result:
        def work() -> Result:
            if self._store is None and not self._db.exists():
                return otherwise(self._db)
            self._store = self._store or Store.open_to_read(self._db)
            return read(self._store)

        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()


def _prepare() -> None:
    """Load what the first page of each kind would load."""
    for name in page_templates().list_templates(["html"]):
        page_templates().get_template(name)
    unified("before", "after")
