"""The form of a case file takes what the shipped files say, and whatever else a file may hold ends in findings."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prompts import PromptDetails
from runner.suites.diff_edit.case_form import CaseFile, DetailsFile, MessageFile
from runner.suites.diff_edit.cases import DiffEditCase, Skipped, load_cases, parse_case
from tests.any_json import ANY_JSON

SHIPPED = Path(__file__).parents[3] / "cases" / "diff_edit"


def test_a_shipped_case_says_what_its_file_says() -> None:
    folder = load_cases(SHIPPED)

    assert len(folder.cases) == len(list(SHIPPED.glob("*.json")))
    for case in folder.cases:
        values = json.loads(case.file.read_text(encoding="utf-8"))
        expected = values["expected_contents"]
        assert [(each.role, each.text) for each in case.messages] == [
            (each["role"], each["text"]) for each in values["messages"]
        ]
        assert case.details == PromptDetails(**values["system_prompt_details"])
        assert case.expected_contents == (tuple(expected) if isinstance(expected, list) else (expected,))
        assert (case.case_id, case.file_contents, case.file_path, case.original_message, case.language) == tuple(
            values[name]
            for name in ("test_id", "file_contents", "file_path", "original_diff_edit_tool_call_message", "language")
        )


@given(
    st.dictionaries(st.sampled_from(sorted(CaseFile.__struct_fields__)), ANY_JSON),
    st.dictionaries(st.sampled_from(sorted(DetailsFile.__struct_fields__)), ANY_JSON),
    st.dictionaries(st.sampled_from(sorted(MessageFile.__struct_fields__)), ANY_JSON),
)
def test_whatever_the_fields_hold_is_a_case_or_findings(
    fields: dict[str, Any], machine: dict[str, Any], said: dict[str, Any]
) -> None:
    values = json.loads((SHIPPED / "py_ini_line_numbers.json").read_text(encoding="utf-8"))
    values["system_prompt_details"] |= machine
    values["messages"][0] |= said
    values |= fields

    match parse_case(Path("one.json"), json.dumps(values).encode()):
        case DiffEditCase() as case:
            assert case.file_path == values["file_path"]
        case Skipped() as skipped:
            assert skipped.reason
        case tuple() as findings:
            assert all(finding.problem and finding.fix for finding in findings)
            assert findings
        case other:
            raise AssertionError(other)
