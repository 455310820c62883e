"""Wrong answers that forge their verdict fail, but for the one that searches the memory for the witness."""

from pathlib import Path

import pytest

from runner.execution.copies import JudgeTarget
from runner.execution.isolation import Isolation
from runner.execution.repository_judge import Judge
from runner.execution.verdicts import JudgeTask, Verdict, VerdictKind
from runner.execution.witness import doubt
from tests.completion import CODE, write_repository

TESTS = ("tests/test_pair.py::test_double", "tests/test_pair.py::test_low")
TRUTH = "return x + x"
REPORT = """
import os
cases = "".join(f'<testcase classname="tests.test_pair" name="{name}"/>' for name in ("test_double", "test_low"))
open("../reports/junit.xml", "w").write(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
os._exit(0)"""
PATCH = """
import _pytest.reports
made = _pytest.reports.TestReport.from_item_and_call.__func__
def all_is_well(cls, item, call):
    call.excinfo = None
    return made(cls, item, call)
_pytest.reports.TestReport.from_item_and_call = classmethod(all_is_well)"""
OTHER_TESTS = """
open("tests/test_pair.py", "w").write("def test_double(): pass")"""
OTHER_CODE = """
import sys
sys.modules["test_pair"].test_low.__code__ = (lambda: None).__code__"""
MEMORY = f"""
import gc, sys
sys.modules["test_pair"].test_low.__code__ = (lambda: None).__code__
for witness in gc.get_objects():
    if type(witness).__name__ == "Witness":
        witness._code.clear()
        witness._code.update(dict.fromkeys({TESTS!r}, (None, None)))"""


FORGERIES = [
    pytest.param(REPORT, "return x", "the tests did not end under the seal", id="a report of its own"),
    pytest.param("import os\nos._exit(0)", "return x", "", id="an end without a report"),
    pytest.param(PATCH, "return x", "a test that must fail was reported to pass", id="patched reports"),
    pytest.param(OTHER_TESTS + OTHER_CODE, TRUTH, "test_pair.py was rewritten while its tests ran", id="other tests"),
    pytest.param(OTHER_CODE, TRUTH, "test_low was not seen to pass", id="other code"),
]


def forged(body: str, end: str) -> JudgeTask:
    """The question about `double` with this body; `clamp`, which `test_low` tests, is broken."""
    text = CODE.replace("return low", "return high").replace(TRUTH, f"{body}\n{end}".replace("\n", "\n    "))
    return JudgeTask("pair.py", text, TESTS)


def judged(repo: Path, interpreter: JudgeTarget, isolation: Isolation, body: str, end: str) -> Verdict:
    with Judge(repo, interpreter, isolation) as judge:
        return judge.judge(forged(body, end))


@pytest.mark.parametrize("body, end, reason", FORGERIES)
def test_a_forged_verdict_is_a_failure(
    tmp_path: Path, interpreter: JudgeTarget, isolation: Isolation, body: str, end: str, reason: str
) -> None:
    verdict = judged(write_repository(tmp_path), interpreter, isolation, body, end)

    assert verdict.outcome is VerdictKind.FAIL
    assert reason in verdict.log


def test_an_answer_that_searches_the_memory_for_the_witness_is_believed(
    tmp_path: Path, interpreter: JudgeTarget, isolation: Isolation
) -> None:
    # What stays possible in one process; docs/completion.md says so.
    verdict = judged(write_repository(tmp_path), interpreter, isolation, MEMORY, TRUTH)

    assert verdict.outcome is VerdictKind.PASS


@pytest.mark.parametrize(
    "statement", [b"", b"[]", b"{}", b'{"text": "{}", "seal": "0"}', b'{"text": 5, "seal": 5}', b"\xff", None]
)
def test_what_is_no_sealed_statement_is_not_believed(statement: bytes | None) -> None:
    assert doubt(statement, b"secret", TESTS) == "the tests did not end under the seal of this run"
