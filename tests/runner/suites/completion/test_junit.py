"""What a JUnit report says."""

from pathlib import Path

import pytest

from runner.suites.completion.junit import Report, read_report

REPORT = """<?xml version="1.0"?><testsuites><testsuite>
<testcase classname="tests.test_a" name="test_one"/>
<testcase classname="tests.test_a.TestB" name="test_two[x::y/z]">{}</testcase>
</testsuite></testsuites>"""
TWO = "tests/test_a.py::TestB::test_two[x::y/z]"


@pytest.mark.parametrize(
    "inside, report",
    [
        pytest.param("", Report(2, None), id="passed"),
        pytest.param("<failure>no</failure>", Report(1, TWO), id="failed"),
        pytest.param("<error/>", Report(1, TWO), id="error"),
        pytest.param("<skipped/>", Report(1, TWO), id="skipped"),
        pytest.param("<system-out>hm</system-out>", Report(2, None), id="talkative"),
    ],
)
def test_a_test_that_did_not_pass_is_named_by_its_node_id(tmp_path: Path, inside: str, report: Report) -> None:
    (tmp_path / "r.xml").write_text(REPORT.format(inside))

    assert read_report(tmp_path / "r.xml", ["tests/test_a.py::test_one", TWO]) == report


def test_a_test_that_nobody_asked_for_goes_by_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "r.xml").write_text(REPORT.format("<failure/>"))

    assert read_report(tmp_path / "r.xml", []) == Report(1, "tests.test_a.TestB.test_two[x::y/z]")


@pytest.mark.parametrize("text", [None, "", "<testsuites>"])
def test_half_a_report_is_none(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "r.xml").write_text(text)

    assert read_report(tmp_path / "r.xml", []) is None
