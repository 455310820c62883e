"""A pytest plugin that writes down which lines of a tree each test executes; it runs inside the tested interpreter.

Nothing of ours can be imported there, and the interpreter may be as old as 3.9. Lines of functions only: what a module
or a class body executes belongs to whoever imported it first. `$EVALS_TRACE` names the file to write.
"""

import dis
import json
import os
import sys
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

_CO_OPTIMIZED = 1
_ENOUGH = 50_000


class _Tracer:
    """A trace function that collects lines by file, for files below one folder.

    What has been seen whole is not followed any more, nor a function of which very many lines in a row told nothing
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
    """The plugin: what each phase of each test executed, and how it ended."""

    def __init__(self, out: str, root: str, *, follow: bool) -> None:
        self.out = out
        self.tracer = _Tracer(root)
        self.follow = follow
        self.tests: dict[str, dict[str, Any]] = {}
        self.uncollected: dict[str, str] = {}

    def _test(self, nodeid: str) -> dict[str, Any]:
        return self.tests.setdefault(nodeid, {"setup": {}, "call": {}, "outcomes": {}, "seconds": 0.0, "why": ""})

    def _traced(self, nodeid: str, phase: str) -> Generator[None, None, None]:
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
        lines = {name: sorted(found) for name, found in self.tracer.lines.items() if found}
        self._test(nodeid)[phase] = lines

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        """Trace the fixtures."""
        yield from self._traced(item.nodeid, "setup")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Trace the test."""
        yield from self._traced(item.nodeid, "call")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep how a phase ended; an expected failure is no pass."""
        test = self._test(report.nodeid)
        test["outcomes"][report.when] = "xfail" if hasattr(report, "wasxfail") else report.outcome
        test["seconds"] += report.duration
        if report.failed:
            test["why"] = _why(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what could not be collected, and why."""
        if report.failed:
            self.uncollected[report.nodeid] = _why(report)

    def pytest_sessionfinish(self) -> None:
        """Write everything down."""
        with Path(self.out).open("w", encoding="utf-8") as file:
            json.dump({"tests": self.tests, "uncollected": self.uncollected}, file)


def _why(report: "pytest.TestReport | pytest.CollectReport") -> str:
    """The line that tells what went wrong: a test's first that is marked as the error, a file's last."""
    lines = [line.strip() for line in report.longreprtext.splitlines() if line.strip()]
    marked = [line[1:].strip() for line in lines if line.startswith("E ")]
    return (marked or lines or [""])[0 if isinstance(report, pytest.TestReport) else -1]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let lines not be followed, for tests that a trace function disturbs."""
    parser.addoption("--evals-untraced", action="store_true")


def pytest_configure(config: pytest.Config) -> None:
    """Begin, where a file to write is named."""
    out = os.environ.get("EVALS_TRACE")
    if out:
        config.pluginmanager.register(
            _Recorder(out, str(Path.cwd()), follow=not config.getoption("--evals-untraced")), "evals-recorder"
        )
