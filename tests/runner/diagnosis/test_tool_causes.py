"""Failures of edit tools have causes: what one that searches would have to forgive, else what the tool itself said."""

import json
from pathlib import Path

import pytest

from diff_apply.result import DiffError
from diff_apply.tools.refusal import Cause, EditError
from parsers.blocks import ToolCall
from parsers.forms.answers import FORMS
from runner.diagnosis.causes import Relaxation, Unforgivable
from runner.diagnosis.failure import FailedDiff
from runner.diagnosis.tool_causes import diagnose_call, is_of_tool
from runner.edit_tools import EDIT_TOOLS
from tests.in_process import evals

FILE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
RIGHT = FILE.replace("return 2", "return 22")
# The file as a model remembers it that has lost the indentation, and as one that has made it up.
SHIFTED = FILE.replace("    return 2", "        return 2")
INVENTED = "def ten():\n    return 10\n\n\ndef six():\n    return 6\n"


def call_of(tool: str, before: str, after: str) -> str:
    """The text of the call that makes an edit, as scoring finds it in an answer."""
    answer = EDIT_TOOLS[tool].write("a.py", before, after)
    (call,) = (block for block in FORMS[tool].about("a.py").parse(answer) if isinstance(block, ToolCall))
    return call.params["diff"]


def refused(tool: str, call: str) -> FailedDiff:
    return FailedDiff(FILE, call, (RIGHT,), tool)


def blocks_of(tool: str, call: str) -> dict[str, str]:
    """What scoring records of a refusal."""
    with pytest.raises(DiffError) as error:
        EDIT_TOOLS[tool].algorithm(FILE, call)
    assert isinstance(error.value, EditError)
    return {"cause": str(error.value.cause)}


@pytest.mark.parametrize(
    "tool, cause",
    [
        pytest.param("text-editor", Cause.NOT_FOUND, id="text-editor"),
        pytest.param("aider-diff", Cause.NO_MATCH, id="aider-diff"),
        pytest.param("opencode-edit", Cause.NOT_FOUND, id="opencode-edit"),
        pytest.param("apply-patch", Cause.LINES_NOT_FOUND, id="apply-patch"),
        pytest.param("hashline", Cause.STALE_HASH, id="hashline"),
        pytest.param("hashline-patch", Cause.STALE_TAG, id="hashline-patch"),
    ],
)
def test_an_edit_of_invented_text_has_the_cause_of_its_tool(tool: str, cause: Cause) -> None:
    call = call_of(tool, INVENTED, INVENTED.replace("return 6", "return 66"))

    assert diagnose_call(refused(tool, call), blocks_of(tool, call)).cause is cause


def test_where_a_tool_searches_the_cause_is_what_it_would_have_to_forgive() -> None:
    call = call_of("text-editor", SHIFTED, SHIFTED.replace("return 2", "return 22"))

    diagnosis = diagnose_call(refused("text-editor", call), blocks_of("text-editor", call))

    assert (diagnosis.cause, diagnosis.right) == ((Relaxation.INDENTATION,), True)


def test_an_edit_that_was_applied_has_the_wrong_intent_and_one_without_a_cause_is_not_explained() -> None:
    applied = FailedDiff(FILE, "<path>a.py</path>", (RIGHT,), "line-range", edited=FILE + "more\n")

    assert diagnose_call(applied, []).cause is Unforgivable.WRONG_INTENT
    for blocks in (None, {}, {"cause": "of another version"}, {"reason": "malformed"}):
        assert diagnose_call(refused("line-range", "no call"), blocks).cause is Unforgivable.UNEXPLAINED


def test_answers_are_those_of_a_tool_by_their_parser() -> None:
    assert [is_of_tool(parser) for parser in ("hashline", "exec:mine", "xml-tools-v2", "native-calls", "", None)] == [
        True, True, False, False, False, False,
    ]  # fmt: skip


def test_a_run_with_several_tools_is_diagnosed_by_each(tmp_path: Path) -> None:
    tools = "replace-in-file,text-editor,hashline"
    model = "sim/any?applied=0&time=virtual&truncated=0"
    ran = evals("diff", model, "--edit-tool", tools, "--max-cases", 2, "-n", 4, "--parallel", cwd=tmp_path)
    assert ran.returncode == 0

    data = json.loads(evals("diagnose", "latest", "--json", cwd=tmp_path).stdout)
    shown = evals("diagnose", "latest", cwd=tmp_path).stdout

    causes = {
        part["diff_algorithm"]: {name for row in part["causes"] for name in row["cause"]} for part in data["algorithms"]
    }
    assert set(causes) == {"v4", "text-editor", "hashline"}
    assert "not_found" in causes["text-editor"]
    assert causes["hashline"] & {"stale_hash", "line_out_of_range"}
    assert "unreadable blocks" not in causes["text-editor"] | causes["hashline"]
    assert "not found" in shown
