"""All tests of a repository, run once under the tracing plug-in: in as many sessions of pytest as it takes.

A test that ends its session, or does not end itself, costs only itself: it is noted, and the next session goes on with
those behind it.
"""

import json
import re
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from runner.errors import InputError
from runner.execution.copies import Copy
from runner.execution.repository_judge import Judge
from runner.execution.sandbox import ProcessLimits, Ran
from runner.json_texts import parse_json

ALL_THE_SAME = "--continue-on-collection-errors"
_GIGABYTE = 1 << 30
_WHOLE = frozenset({0, 1, 5})
# In pytest, or in a plug-in or a `conftest.py`: the line of the exception behind its traceback.
_INNER = re.compile(r"INTERNALERROR> ([A-Za-z_][\w.]*: .+)")
_OF_OPTIONS = re.compile(r"unrecognized arguments|[Mm]issing required plugins|Unknown config option")
_OF_A_COPY = re.compile(r"\S*/evals-\S*/tree/")
_TRACE = "trace.json"
_ENDED = b'{"ended": '
_KILLED = frozenset({-9, 128 + 9})


Say = Callable[[str], object]


def silent(_line: str) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one test may take, or the import of one file, and how long a whole session of all tests, in seconds.

    `test_s` are of the processor, `idle_s` by the clock, while it is idle. `most_broken` is how many tests may end the
    session they are in. `quiet_s` is how long a session may go on before a line says how far it is.
    """

    test_s: float = 30.0
    idle_s: float = 120.0
    session_s: float = 6 * 3600.0
    most_broken: int = 50
    quiet_s: float = 15.0


@dataclass(slots=True)
class Pass:
    """What the tests did that ended; why files could not be collected; what else broke its session off, and how."""

    tests: dict[str, Any] = field(default_factory=dict)
    uncollected: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    @property
    def broken_files(self) -> frozenset[str]:
        """The files whose import broke the session off."""
        return frozenset(name for name in self.broken if "::" not in name)


@dataclass(slots=True)
class _Session:
    """What one session wrote down: `under_way` is the test or the file that had begun and not ended."""

    tests: dict[str, Any] = field(default_factory=dict)
    uncollected: dict[str, str] = field(default_factory=dict)
    under_way: str | None = None
    whole: bool = False


def run_all(
    judge: Judge, patience: Patience, left_out: Collection[str] = (), words: tuple[str, ...] = (), say: Say = silent
) -> Pass:
    """Run all tests but those left out, which may be files, with further `words` for pytest; `say` how far they are.

    Where files cannot be imported no test is run, unless `words` have `ALL_THE_SAME`. Raises InputError where nothing
    can be.
    """
    result = Pass()
    while True:
        known = sorted({*result.tests, *result.broken, *left_out})
        without = [f"--ignore={path}" for path in known if "::" not in path]
        session, ran = _run(judge, patience, known, [*words, *without], say)
        result.tests |= session.tests
        result.uncollected |= session.uncollected
        if session.whole or (session.uncollected and ALL_THE_SAME not in words):
            return result
        if session.under_way is None or ran.timed_out:
            raise _refused(ran)
        result.broken[session.under_way] = _how_broken(ran, patience)
        if result.broken_files and ALL_THE_SAME not in words:
            return result
        if len(result.broken) > patience.most_broken:
            reason = f"{len(result.broken)} times all tests were ended, such as by {session.under_way}"
            raise InputError(f"the tests cannot be run: {reason}: {result.broken[session.under_way]}; fix these tests")


def _run(judge: Judge, patience: Patience, known: list[str], words: list[str], say: Say) -> tuple[_Session, Ran]:
    limits = ProcessLimits(patience.session_s, patience.session_s, memory_bytes=8 * _GIGABYTE, file_bytes=4 * _GIGABYTE)
    tracer = files("runner.suites.completion").joinpath("tracer.py").read_bytes()
    plugins = {"evals_tracer.py": tracer, "evals_known.json": json.dumps(known).encode()}
    fixed = ["-q", "-p", "evals_tracer", "--maxfail=0"]
    fixed += [f"--evals-patience={patience.test_s}", f"--evals-idle={patience.idle_s}"]
    with judge.copy() as copy:
        with _saying(copy, patience, say):
            ran = copy.run(None, "", [*fixed, *words], limits, plugins)
        written = copy.report(_TRACE)
    if written is None:
        raise _refused(ran)
    return _session(written), ran


@contextmanager
def _saying(copy: Copy, patience: Patience, say: Say) -> Iterator[None]:
    """Say how many tests have ended while the block runs, at regular intervals."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(patience.quiet_s):
            # The run clears the folder of reports when it begins.
            written = copy.report(_TRACE) or b""
            say(f"tests that have ended in this session: {written.count(_ENDED)}")

    # A signal may end the program at any moment: no thread of this kind keeps it alive.
    thread = threading.Thread(target=watch, name="session-progress", daemon=True)
    try:
        thread.start()
        yield
    finally:
        ended.set()


def _session(written: bytes) -> _Session:
    result = _Session()
    for row in _rows(written):
        if "begins" in row:
            result.under_way = row["begins"]
        elif "collected" in row:
            result.under_way = None
            if row["why"]:
                result.uncollected[row["collected"]] = row["why"]
        elif "ended" in row:
            result.under_way = None
            result.tests[row["ended"]] = row
        else:
            result.whole = row["exit"] in _WHOLE
    return result


def _rows(written: bytes) -> Iterator[dict[str, Any]]:
    """The rows, without one that was cut off."""
    for line in written.splitlines():
        try:
            yield parse_json(line, json.loads)
        except ValueError:
            return


def _refused(ran: Ran) -> InputError:
    reason = _reason(ran)
    fix = "fix that, or give another --python"
    if _OF_OPTIONS.search(reason):
        fix = "give --python an interpreter that has the plug-in it is of, or --install a command that installs it"
    elif "ModuleNotFoundError" in reason:
        fix = "give --python an interpreter that has it, or --install a command that installs it"
    return InputError(f"the tests cannot be run: {reason}; {fix}")


def _how_broken(ran: Ran, patience: Patience) -> str:
    if ran.exit_code in _KILLED and ran.wall_s > min(patience.test_s, patience.idle_s):
        return f"no end within {patience.test_s:g} s of the processor, or {patience.idle_s:g} s in which it is idle"
    return "; ".join((f"all tests ended with exit code {ran.exit_code}", *_error_lines(ran)[-1:]))


def _reason(ran: Ran) -> str:
    """Return the line that says why: an error in pytest itself, else the last that speaks of one, or else the last."""
    if ran.timed_out:
        return f"no end after {ran.wall_s:.0f} s"
    reason = [f"exit code {ran.exit_code}", *_printed(ran)[-1:], *_error_lines(ran)][-1]
    return _OF_A_COPY.sub("", reason)


def _error_lines(ran: Ran) -> list[str]:
    printed = _printed(ran)
    inner = [match[1] for line in printed if (match := _INNER.match(line))]
    return inner or [line for line in printed if "error:" in line.lower() and "usage:" not in line]


def _printed(ran: Ran) -> list[str]:
    lines = (ran.stdout + ran.stderr).decode(errors="replace").splitlines()
    return [line.strip() for line in lines if line.strip()]
