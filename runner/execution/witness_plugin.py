"""A pytest plugin that says how each test ended, under a seal that a forger would need the run's secret for.

It runs in the tested interpreter; nothing of ours can be imported there, and the interpreter may be as old as 3.9. The
secret lies in a file beside it, which it takes away before anything of the repository is imported. At the end it runs a
test of its own that must fail: where reports are patched so that everything passes, that one passes as well.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

try:
    from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    from _sha256 import sha256  # type: ignore[import-not-found, no-redef, unused-ignore]


class Canary(pytest.Item):
    """A test that must fail."""

    def runtest(self) -> None:
        """Fail."""
        raise AssertionError("this test must fail")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:  # noqa: ANN401, ARG002 - pytest's
        """Return what failed without the source of each frame, which takes longer to find than many a test takes."""
        return excinfo.getrepr(style="value")


class Witness:
    """What was seen of a run, and the secret that it is sealed with."""

    def __init__(self, secret: bytes, place: Path) -> None:
        """Take the secret, and the file to write at the end."""
        self._secret = secret
        self._place = place
        self._seen: list[tuple[str, str, str]] = []
        self._code: dict[str, tuple[Any, Any]] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note the code of each test."""
        for item in session.items:
            function = getattr(item, "function", None)
            self._code[item.nodeid] = (function, getattr(function, "__code__", None))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Note a test whose code is another than it was."""
        function, code = self._code.get(item.nodeid, (None, None))
        if getattr(function, "__code__", None) is not code:
            self._seen.append((item.nodeid, "code", "failed"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:  # noqa: ANN401 - pytest's
        """Note a phase of a test."""
        self._seen.append((str(report.nodeid), str(report.when), str(report.outcome)))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Run the test that must fail, and write all that was seen."""
        seen = [*self._seen]
        text = json.dumps({"seen": seen, "canary": _canary(session)})
        inner = sha256(self._secret + text.encode()).digest()
        sealed = {"text": text, "seal": sha256(self._secret + inner).hexdigest()}
        self._place.write_text(json.dumps(sealed), encoding="utf-8")


def _canary(session: pytest.Session) -> str:
    """Return how the test that must fail ended; "broken" where hooks of the repository cannot take such a test."""
    from _pytest.runner import runtestprotocol

    try:
        reports = runtestprotocol(Canary.from_parent(session, name="canary"), log=False)
    except Exception:  # noqa: BLE001 - whatever a hook of the repository raises
        return "broken"
    return "failed" if any(report.outcome == "failed" for report in reports) else "passed"


def pytest_configure(config: pytest.Config) -> None:
    """Take the secret away, and begin to watch."""
    key = Path(__file__).with_name("evals_witness.key")
    secret = key.read_bytes()
    key.unlink()
    place = Path(os.environ["EVALS_TRACE"]).with_name("witness.json")
    config.pluginmanager.register(Witness(secret, place), "evals-witness")
