"""Tries each endpoint of a run once, before anything is written or asked: does it resolve, connect, speak HTTP?

No model is asked, no prompt is sent, and nothing is recorded. An endpoint that has answered in the run before is not
tried again, and what answers within this process never is.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from typing import Any

from runner.errors import InputError
from runner.run.breaker import PATIENCE_S, Place, PreflightResult, not_ready, place_of
from runner.run.options import AskOptions
from runner.run.plan import Plan
from runner.run.redaction import redactor_for
from runner.storage.runs import answered_suts, find_run
from runner.storage.store import Store
from suts.replicated import replicas_of
from suts.sut import ErrorKind, Reachable, Sut, SutError
from suts.variants import plain_sut

# One look at an endpoint takes no longer than this, a slow name server included.
_LOOK_S = 12.0
# An endpoint without a connection is tried so often, after 0.5 and 1 second.
_TRIES = 3
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 2.0
_MAY_PASS = frozenset({ErrorKind.CONNECTION, ErrorKind.OVERLOADED, ErrorKind.SERVER})


def preflight(plan: Plan[Any], say: Callable[[str], None]) -> PreflightResult:
    """Return which endpoints of a plan respond. Raises InputError, in one line, if none does that could be asked.

    Where only some respond, those that do not are named, and the others are asked.
    """
    options = plan.options
    suts = [sut for sut in plan.suts if _can_be_tried(sut)]
    # The database is not opened for a run that has nothing to try.
    known = _answered_before(options) if suts else ()
    # Of several servers it is not known which of them answered.
    tried = [replica for sut in suts for replica in replicas_of(sut) if sut.name not in known or replica is not sut]
    if not tried:
        return PreflightResult(wait_s=options.wait_s)
    reach = asyncio.run(try_endpoints(tried, options.wait_s, say))
    failures = _lines(tried, reach.closed)
    if len(reach.closed) and not plan.local and all(_is_closed(sut, reach) for sut in plan.suts):
        raise InputError(f"{'; '.join(failures)}; no model was asked")
    partly = any(len(replicas_of(sut)) > 1 and not _is_closed(sut, reach) for sut in plan.suts)
    for line in failures:
        say(f"{line}; the other {'servers' if partly else 'models'} are asked")
    return reach


async def try_endpoints(suts: Sequence[Sut], wait_s: float, say: Callable[[str], None]) -> PreflightResult:
    """Try the endpoints of these systems, all at once; each for up to `wait_s` seconds while it is not ready."""
    places = {place_of(sut.endpoint): sut for sut in suts}
    async with asyncio.TaskGroup() as group:
        tasks = {place: group.create_task(_try(sut, wait_s, say)) for place, sut in places.items()}
    errors = {place: task.result() for place, task in tasks.items()}
    closed = {place: error for place, error in errors.items() if error is not None}
    return PreflightResult(frozenset(errors.keys() - closed.keys()), closed, wait_s)


async def _try(sut: Sut, wait_s: float, say: Callable[[str], None]) -> SutError | None:
    """Return why an endpoint cannot be asked; None if it can."""
    loop = asyncio.get_running_loop()
    began_s, pause_s, tries = loop.time(), _FIRST_WAIT_S, 0
    while True:
        error = await _look(sut)
        tries += 1
        if error is None or not error.retryable or error.kind not in _MAY_PASS:
            return error
        passed_s = loop.time() - began_s
        enough = tries >= _TRIES and error.kind is ErrorKind.CONNECTION
        if passed_s >= wait_s and (enough or passed_s + pause_s > PATIENCE_S):
            return not_ready(error, wait_s)
        if tries == 1 and wait_s:
            say(f"waiting up to {wait_s:g} s for {sut.endpoint.base_url}: {error}")
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_WAIT_S)


async def _look(sut: Sut) -> SutError | None:
    assert isinstance(sut, Reachable)
    try:
        async with asyncio.timeout(_LOOK_S):
            await sut.reach()
    except SutError as error:
        error.args = (redactor_for(sut).text(str(error)),)
        return error
    except TimeoutError:
        text = f"no connection to {sut.endpoint.base_url} within {_LOOK_S:g} s: check the network, and --base-url"
        return SutError(ErrorKind.CONNECTION, text)
    return None


def _can_be_tried(sut: Sut) -> bool:
    reachable = isinstance(plain_sut(replicas_of(sut)[0]), Reachable)
    return reachable and sut.endpoint.timed and not sut.endpoint.in_process


def _is_closed(sut: Sut, reach: PreflightResult) -> bool:
    """Return whether none of the servers of a system responds."""
    return all(place_of(replica.endpoint) in reach.closed for replica in replicas_of(sut))


def _answered_before(options: AskOptions) -> Collection[str]:
    """Return the systems of which the run that is resumed has an answer: these are known to answer.

    Raises InputError if there is no run to resume.
    """
    if not (options.resume or options.run_id) or not options.db.is_file():
        return ()
    with closing(Store.open(options.db, create=False)) as store:
        # Only --resume takes the beginning of an id.
        run_id = find_run(store, options.resume)["run_id"] if options.resume else options.run_id
        return answered_suts(store, run_id)


def _lines(suts: Sequence[Sut], closed: Mapping[Place, SutError]) -> list[str]:
    """Return a line for each endpoint that does not respond: which models are there, and why."""
    lines: list[str] = []
    for place, error in closed.items():
        names = [sut.name for sut in suts if place_of(sut.endpoint) == place]
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        lines.append(f"{names[0]}{more}: {error}")
    return lines
