"""Engines by their names: what a command computes with, besides its own process. Another engine is one file.

A package that has one names its `open_engine` in the entry point group `evals.engines`: a function of `Computing` that
returns an `Executor`, of which nothing is left once it is closed.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import cast

from runner.errors import InputError
from runner.pool import PROCESSES
from runner.pool.executor import Executor
from runner.pool.processes import Processes

GROUP = "evals.engines"


@dataclass(frozen=True, slots=True)
class Computing:
    """What computes: an engine, how many processes of it, and the address of its scheduler, "" for one of its own."""

    jobs: int = 1
    executor: str = PROCESSES
    scheduler: str = ""

    @contextmanager
    def opened(self) -> Iterator[Executor]:
        """Open the engine. Raises InputError where there is none of this name, or it cannot be reached."""
        executor = _engine(self.executor)(self)
        try:
            yield executor
        finally:
            executor.close()


Engine = Callable[[Computing], Executor]


def open_processes(computing: Computing) -> Executor:
    """Return processes of this machine. Raises InputError for a scheduler, of which they have none."""
    if computing.scheduler:
        raise InputError("--scheduler: processes of this machine have none; give --executor dask too")
    return Processes(computing.jobs)


# A module, whose `open_engine` it is, is imported when its engine is asked for.
ENGINES: Mapping[str, Engine | str] = MappingProxyType({PROCESSES: open_processes, "dask": "runner.pool.dask_engine"})


def _engine(name: str) -> Engine:
    from importlib.metadata import entry_points

    others = {point.name: point for point in entry_points(group=GROUP)}
    if name in ENGINES:
        engine = ENGINES[name]
        return cast("Engine", import_module(engine).open_engine) if isinstance(engine, str) else engine
    if name in others:
        return cast("Engine", others[name].load())
    raise InputError(f"--executor: no engine is called {name!r}; there are {', '.join([*ENGINES, *sorted(others)])}")
