"""A pytest plugin that writes down which lines of a tree each test executes; it runs inside the tested interpreter.

Nothing of ours can be imported there, and the interpreter may be as old as 3.9. Lines of functions only: what a module
or a class body executes belongs to what imported it first. `$EVALS_TRACE` names the file to write, in JSON lines;
`evals_known.json` beside the plugin holds the node ids of tests that are not to be run.
"""

import dis
import json
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

_CO_OPTIMIZED = 1
_ENOUGH = 50_000
_KNOWN = "evals_known.json"
# How many times what may pass while a test is idle may pass by the clock at all.
_BUSY = 5
_IDLE_S = 1.0
_LOOK_S = 0.2


class _Tracer:
    """A trace function that collects lines by file, for files below one folder.

    What has been seen whole is not followed any more, nor a function of which very many lines in a row had nothing
    new: most of the time goes to lines that are executed again and again.
    """

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root) + os.sep
        self.lines: dict[str, set[int]] = {}
        self._names: dict[str, str | None] = {}
        # By the ids of code objects, whose hash is a digest of all that they hold; each is kept, so that its id is.
        self._whole: set[int] = set()
        self._idle: dict[int, int] = {}
        self._lines_of: dict[int, tuple[CodeType, frozenset[int]]] = {}

    def begin(self) -> None:
        """Forget what was seen."""
        self.lines = {}
        self._whole = set()
        self._idle = {}

    def __call__(self, frame: FrameType, _event: str, _argument: object) -> "Callable[..., Any] | None":
        """Follow a frame, or not."""
        code = frame.f_code
        kept = self._kept(code.co_filename)
        key = id(code)
        if kept is None or key in self._whole or not code.co_flags & _CO_OPTIMIZED:
            return None
        seen = self.lines.setdefault(kept, set())
        if key not in self._lines_of:
            self._lines_of[key] = code, _executable(code)
        all_lines = self._lines_of[key][1]

        idle = self._idle

        def follow(frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
            if event != "line":
                return follow
            if frame.f_lineno in seen:
                idle[key] = idle.get(key, 0) + 1
                enough = idle[key] > _ENOUGH
            else:
                seen.add(frame.f_lineno)
                idle[key] = 0
                enough = all_lines <= seen
            if enough:
                self._whole.add(key)
                frame.f_trace_lines = False
            return follow

        return follow

    def _kept(self, name: str) -> "str | None":
        """The path of a file within the folder; None for others, and for what is no file."""
        if name not in self._names:
            path = os.path.realpath(name)
            inside = path.startswith(self.root) and Path(path).is_file()
            self._names[name] = path[len(self.root) :] if inside else None
        return self._names[name]


def _executable(code: CodeType) -> frozenset[int]:
    """The lines of a function, without that of its head, which is not executed by a call."""
    lines = frozenset(line for _, line in dis.findlinestarts(code) if line)
    return lines - {code.co_firstlineno} or lines


class _Recorder:
    """The plugin: what each phase of each test executed, and how it ended.

    Each is written down as it ends, and each beginning before: of a run that breaks off the rest is known, and what
    broke it off. Written by the process that began alone, not by what a test has forked.
    """

    def __init__(self, out: str, root: str, *, follow: bool) -> None:
        self.out = out
        self.tracer = _Tracer(root)
        self.follow = follow
        self.process = os.getpid()
        self.test: dict[str, Any] = {}

    def _write(self, row: dict[str, Any]) -> None:
        if os.getpid() == self.process:
            with open(self.out, "ab") as file:  # noqa: PTH123 - whatever tests have put in the place of pathlib
                file.write(json.dumps(row).encode() + b"\n")

    def _traced(self, phase: str) -> Generator[None, None, None]:
        if not self.follow:
            yield
            return
        self.tracer.begin()
        before = sys.gettrace()
        threading.settrace(self.tracer)
        sys.settrace(self.tracer)
        try:
            yield
        finally:
            sys.settrace(before)
            threading.settrace(before)
        self.test[phase] = {name: sorted(lines) for name, lines in self.tracer.lines.items() if lines}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Record which test begins."""
        self.test = {"setup": {}, "call": {}, "outcomes": {}, "seconds": 0.0, "why": ""}
        self._write({"begins": nodeid})

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self) -> Generator[None, None, None]:
        """Trace the fixtures."""
        yield from self._traced("setup")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self) -> Generator[None, None, None]:
        """Trace the test."""
        yield from self._traced("call")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep how a phase ended; an expected failure is no pass, nor is one of which any part (a subtest) is none."""
        outcomes = self.test["outcomes"]
        if outcomes.get(report.when, "passed") == "passed":
            outcomes[report.when] = "xfail" if hasattr(report, "wasxfail") else report.outcome
        self.test["seconds"] += report.duration
        if report.failed:
            self.test["why"] = _why(report)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Record how the test ended."""
        self._write({"ended": nodeid, **self.test})

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Record which file is imported."""
        if isinstance(collector, pytest.File):
            self._write({"begins": collector.nodeid})

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what could not be collected, and why."""
        self._write({"collected": report.nodeid, "why": _why(report) if report.failed else ""})

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: "list[pytest.Item]") -> None:
        """Leave out what is known."""
        known = frozenset(json.loads(Path(__file__).with_name(_KNOWN).read_text(encoding="ascii")))
        items[:] = [item for item in items if item.nodeid not in known]

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Record whether all tests were run."""
        self._write({"exit": int(exitstatus)})


def _why(report: "pytest.TestReport | pytest.CollectReport") -> str:
    """Return the line that says what went wrong: a test's first that is marked as the error, a file's last."""
    lines = [line.strip() for line in report.longreprtext.splitlines() if line.strip()]
    marked = [line[1:].strip() for line in lines if line.startswith("E ")]
    line = (marked or lines or [""])[0 if isinstance(report, pytest.TestReport) else -1]
    return line.encode("utf-8", "backslashreplace").decode()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let lines not be followed, for tests that a trace function disturbs; and let nothing take too long."""
    parser.addoption("--evals-untraced", action="store_true")
    parser.addoption("--evals-patience", type=float, default=0.0)
    parser.addoption("--evals-idle", type=float, default=0.0)


def pytest_configure(config: pytest.Config) -> None:
    """Begin, where a file to write is named."""
    out = os.environ.get("EVALS_TRACE")
    if not out:
        return
    Path(out).touch()
    if config.getoption("--evals-patience"):
        _watch(out, config.getoption("--evals-patience"), config.getoption("--evals-idle"))
    recorder = _Recorder(out, str(Path.cwd()), follow=not config.getoption("--evals-untraced"))
    config.pluginmanager.register(recorder, "evals-recorder")


def _watch(out: str, most_s: float, idle_s: float) -> None:
    """Kill this process when nothing has been written for too long.

    From a process that is no child of it: a thread, a timer or a child would be seen by tests that look for such.
    """
    watched = os.getpid()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that some plug-in has started threads
        child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    if os.fork() == 0:
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        with suppress(OSError):
            _wait_for_silence(out, watched, most_s, idle_s)
            os.kill(watched, signal.SIGKILL)
    os._exit(0)


def _wait_for_silence(out: str, watched: int, most_s: float, idle_s: float) -> None:
    """Wait until nothing was written while `watched` has had so much of the processor, or has long been idle.

    By the clock alone, what a busy machine makes slow would be taken for something that has no end.
    """
    size, since, spent, awake = -1, 0.0, 0.0, 0
    while True:
        now = os.stat(out).st_size  # noqa: PTH116 - of a fork, which is to do as little as can be
        state, used = _look(watched)
        if now != size:
            size, since, spent, awake = now, time.monotonic(), used, 0
        awake += state != "S"
        waited = time.monotonic() - since
        is_idle = used - spent < _IDLE_S and awake * _LOOK_S < waited / 2
        if used - spent > most_s or waited > (idle_s if is_idle else _BUSY * idle_s):
            return
        time.sleep(_LOOK_S)


def _look(process: int) -> "tuple[str, float]":
    """Return the state of a process and its processor seconds; nothing on systems that do not report them."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return "S", 0.0
    # The second field is a name in brackets, with whatever in it.
    fields = stat.rpartition(")")[2].split()
    return fields[0], sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
