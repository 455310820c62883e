"""A pytest plugin that writes down which lines of a tree each test executes; it runs inside the tested interpreter.

Nothing of ours can be imported there, and the interpreter may be as old as 3.9. Lines of functions only: what a module
or a class body executes belongs to whoever imported it first. `$EVALS_TRACE` names the file to write.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

_CO_OPTIMIZED = 1


class _Tracer:
    """A trace function that collects lines by file, for files below one folder."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root) + os.sep
        self.lines: dict[str, set[int]] = {}
        self._names: dict[str, str | None] = {}

    def __call__(self, frame: FrameType, _event: str, _argument: object) -> "Callable[..., Any] | None":
        """Follow a frame, or not."""
        code = frame.f_code
        name = code.co_filename
        if name not in self._names:
            path = os.path.realpath(name)
            inside = path.startswith(self.root) and Path(path).is_file()
            self._names[name] = path[len(self.root) :] if inside else None
        kept = self._names[name]
        if kept is None or not code.co_flags & _CO_OPTIMIZED:
            return None
        add = self.lines.setdefault(kept, set()).add

        def follow(frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
            if event == "line":
                add(frame.f_lineno)
            return follow

        return follow


class _Recorder:
    """The plugin: what each phase of each test executed, and how it ended."""

    def __init__(self, out: str, root: str) -> None:
        self.out = out
        self.tracer = _Tracer(root)
        self.tests: dict[str, dict[str, Any]] = {}

    def _test(self, nodeid: str) -> dict[str, Any]:
        return self.tests.setdefault(nodeid, {"setup": {}, "call": {}, "outcomes": {}, "seconds": 0.0})

    def _traced(self, nodeid: str, phase: str) -> Generator[None, None, None]:
        self.tracer.lines = {}
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

    def pytest_sessionfinish(self) -> None:
        """Write everything down."""
        with Path(self.out).open("w", encoding="utf-8") as file:
            json.dump({"python": list(sys.version_info[:2]), "tests": self.tests}, file)


def pytest_configure(config: pytest.Config) -> None:
    """Begin, where a file to write is named."""
    out = os.environ.get("EVALS_TRACE")
    if out:
        config.pluginmanager.register(_Recorder(out, str(Path.cwd())), "evals-recorder")
