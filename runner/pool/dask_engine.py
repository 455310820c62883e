"""The engine `dask`: work over the workers of a Dask scheduler, or over worker processes of this machine.

Dask moves blocks of work as pickles, and runs a block again whose worker is lost; it knows nothing of databases.
"""

import contextlib
import ipaddress
import os
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, cast
from urllib.parse import urlsplit

from runner.errors import InputError
from runner.pool.dask_calls import DaskCalls
from runner.pool.engines import Computing
from runner.pool.executor import RemoteError, WorkerError
from runner.pool.packed import PackedResult, about, answered, packed, result_of

if TYPE_CHECKING:
    import distributed

A = TypeVar("A")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")

# Seconds until a scheduler has answered, and until it has a worker.
_PATIENCE_S = 30
_SAFE_PATH = "PYTHONSAFEPATH"


class DaskExecutor:
    """An executor over a client of Dask; closing it closes all that was opened with it."""

    def __init__(self, client: "distributed.Client", opened: ExitStack) -> None:
        """Have as many slots as its workers have threads."""
        self._client = client
        self._calls = DaskCalls(client)
        self._opened = opened
        self.slots = max(1, sum(client.nthreads().values()))

    def submit(self, function: Callable[[*Ts], T], /, *arguments: *Ts) -> Future[T]:
        """Return what will be the result: see `Executor`."""
        ours: Future[T] = Future()
        theirs = self._client.submit(answered, packed(function, arguments), pure=False)
        # Dask forgets what nobody refers to.
        ours.add_done_callback(lambda done: theirs.cancel() if done.cancelled() else theirs.release())
        theirs.add_done_callback(lambda done: _hand_over(ours, done))
        return ours

    async def call(self, function: Callable[[A], Awaitable[T]], argument: A, /) -> T:
        """Return what a function returns in the event loop of a worker: see `Caller`."""
        return await self._calls.call(function, argument)

    async def call_each(self, function: Callable[[A], Awaitable[T]], argument: A, /) -> list[T]:
        """Return what a function returns in every worker: see `Caller`."""
        return await self._calls.call_each(function, argument)

    def close(self) -> None:
        """Give up what is under way; end the workers if they are ours."""
        self._opened.close()


def open_engine(computing: Computing) -> DaskExecutor:
    """Open a client of the scheduler, else workers of this machine. Raises InputError."""
    try:
        import distributed
    except ImportError:
        raise InputError("--executor dask: needs distributed: pip install 'evals[dask]'") from None
    if computing.scheduler:
        _refuse_open_lines(computing.scheduler)
    with ExitStack() as opening:
        if computing.scheduler:
            address: Any = computing.scheduler
        else:
            opening.enter_context(_safe_path())
            cluster = distributed.LocalCluster(
                n_workers=computing.jobs,
                threads_per_worker=1,
                host="127.0.0.1",
                # Its scheduler always serves pages: at any port, so that several runs can have one at the same time.
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=50,
                preload=["runner.pool.dask_worker"],
            )
            address = opening.enter_context(cluster)
        try:
            client = opening.enter_context(distributed.Client(address, timeout=_PATIENCE_S))
        except (OSError, TypeError, ValueError) as error:
            raise InputError(f"--scheduler {computing.scheduler}: cannot be reached: {error}") from error
        _check(client)
        return DaskExecutor(client, opening.pop_all())


def _hand_over(ours: "Future[Any]", theirs: "distributed.Future") -> None:
    if not ours.set_running_or_notify_cancel():
        return
    try:
        ours.set_result(result_of(cast("PackedResult", theirs.result())))
    except (WorkerError, RemoteError, InputError) as error:
        ours.set_exception(error)
    except Exception as error:  # noqa: BLE001 - Dask's own: a worker that died again and again, or a lost scheduler
        ours.set_exception(WorkerError(f"Dask lost it: {error}"))


def _refuse_open_lines(scheduler: str) -> None:
    """Raise InputError for an address at which others could read the work, and replace it by work of their own."""
    parts = urlsplit(scheduler)
    if not parts.hostname or parts.scheme not in {"tcp", "tls"}:
        raise InputError(f"--scheduler {scheduler}: is no address; give tls://HOST:PORT")
    if parts.scheme == "tcp" and not _is_loopback(parts.hostname):
        raise InputError(f"--scheduler {scheduler}: others could send work of their own; give tls://HOST:PORT")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check(client: "distributed.Client") -> None:
    """Raise InputError where there is no worker, or one that would compute something else."""
    try:
        client.wait_for_workers(1, timeout=_PATIENCE_S)
    except TimeoutError:
        raise InputError(f"--executor dask: the scheduler has no worker after {_PATIENCE_S} s; start one") from None
    for worker, theirs in client.run(about).items():
        if theirs != about():
            raise InputError(f"--executor dask: worker {worker} has {theirs}, this is {about()}; install the same")


@contextmanager
def _safe_path() -> Iterator[None]:
    """Have new processes import nothing from the current folder, in which Python would look first.

    Dask starts a worker again that has ended, so this holds until the end.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        with contextlib.suppress(KeyError):
            del os.environ[_SAFE_PATH]
        if before is not None:
            os.environ[_SAFE_PATH] = before
