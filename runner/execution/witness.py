"""What is believed of a run of tests: a sealed statement, a test that must fail, and tests that stayed as they were.

The answer runs in the process of its tests, so it can reach all that is there, the seal's secret included: an answer
that searches the memory for it is believed. What is refused is everything less: a report written by the answer, an end
without a report, patched reports, and tests that were rewritten, in their files or in memory.
"""

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Final

from runner.json_texts import parse_json

PLUGIN: Final = "evals_witness"
KEY: Final = "evals_witness.key"
STATEMENT: Final = "witness.json"
SECRET_BYTES: Final = 32


def plugin_source() -> bytes:
    """Return the plug-in that writes the statement."""
    return files("runner.execution").joinpath("witness_plugin.py").read_bytes()


def doubt(statement: bytes | None, secret: bytes, tests: Sequence[str]) -> str | None:
    """Return why a statement that all `tests` have passed is not believed; None where it is."""
    seen = _opened(statement, secret)
    if seen is None:
        return "the tests did not end under the seal of this run"
    phases, canary = seen
    if canary == "passed":
        return "a test that must fail was reported to pass"
    failed = {test for test, _, outcome in phases if outcome == "failed"}
    passed = {test for test, phase, outcome in phases if (phase, outcome) == ("call", "passed")} - failed
    missing = sorted(_names(tests) - _names(passed))
    return f"{missing[0]} was not seen to pass" if missing else None


def _names(tests: Iterable[str]) -> set[str]:
    """Return node ids without the folders of their files: pytest's root may be another than the repository's."""
    return {"::".join((path.rpartition("/")[2], *names)) for path, *names in (test.split("::") for test in tests)}


def _opened(statement: bytes | None, secret: bytes) -> tuple[list[tuple[str, str, str]], str] | None:
    try:
        sealed = parse_json(statement or b"", json.loads)
        text = str(sealed["text"])
        inner = sha256(secret + text.encode()).digest()
        if sealed["seal"] != sha256(secret + inner).hexdigest():
            return None
        value = json.loads(text)
        return [(str(test), str(phase), str(outcome)) for test, phase, outcome in value["seen"]], str(value["canary"])
    except (ValueError, LookupError, TypeError):
        return None
