"""What a JUnit report says."""

import pytest

from runner.execution.junit import JunitReport, read_report

REPORT = """<?xml version="1.0"?><testsuites><testsuite>
<testcase classname="tests.test_a" name="test_one"/>
<testcase classname="tests.test_a.TestB" name="test_two[x::y/z]">{}</testcase>
</testsuite></testsuites>"""
TWO = "tests/test_a.py::TestB::test_two[x::y/z]"


@pytest.mark.parametrize(
    "inside, report",
    [
        pytest.param("", JunitReport(2, None), id="passed"),
        pytest.param("<failure>no</failure>", JunitReport(1, TWO), id="failed"),
        pytest.param("<error/>", JunitReport(1, TWO), id="error"),
        pytest.param("<skipped/>", JunitReport(1, TWO), id="skipped"),
        pytest.param("<system-out>hm</system-out>", JunitReport(2, None), id="talkative"),
    ],
)
def test_a_test_that_did_not_pass_is_named_by_its_node_id(inside: str, report: JunitReport) -> None:
    data = REPORT.format(inside).encode()

    assert read_report(data, ["tests/test_a.py::test_one", TWO]) == report


def test_a_test_that_nobody_asked_for_goes_by_its_own_name() -> None:
    data = REPORT.format("<failure/>").encode()

    assert read_report(data, []) == JunitReport(1, "tests.test_a.TestB.test_two[x::y/z]")


def test_a_test_that_was_broken_off_has_not_passed() -> None:
    data = b'<testsuites><testsuite tests="0"><testcase time="0.0"/></testsuite></testsuites>'

    assert read_report(data, [TWO]) == JunitReport(0, None)


@pytest.mark.parametrize("data", [None, b"", b"<testsuites>", b"\xff", b"<!DOCTYPE x [<!ENTITY a 'b'>]>"])
def test_half_a_report_is_none(data: bytes | None) -> None:
    assert read_report(data, []) is None
