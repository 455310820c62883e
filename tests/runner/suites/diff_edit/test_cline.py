import sys
from collections.abc import Container
from typing import Any

import pytest

import diff_apply
import parsers
import prompts
from diff_apply import DIFF_ALGORITHMS
from parsers import PARSERS
from parsers.blocks import ToolCall
from runner.errors import InputError
from runner.suites.diff_edit.cline import ClineScore, error_code, score_message, valid_for_cline
from tests.vectors import files, rows

ALIASES = {"parser": parsers.ALIASES, "algorithm": diff_apply.ALIASES, "prompt": prompts.ALIASES}
ORIGINAL = "def foo():\n    return 1\n"
GOOD = "------- SEARCH\n    return 1\n=======\n    return 2\n+++++++ REPLACE"


def edit(path: str = "a.py", diff: str = GOOD) -> str:
    return f"<replace_in_file>\n<path>{path}</path>\n<diff>\n{diff}\n</diff>\n</replace_in_file>"


def score(message: str) -> ClineScore:
    return score_message(message, ORIGINAL, "a.py", "parseAssistantMessageV2", "diff-06-26-25")


def _ours(case: dict[str, Any]) -> dict[str, Any]:
    """Our result of a recorded step, in the form of the recording; a refusal has no stream."""
    algorithm = case["diff_apply_file"] or case["diff_edit_function"]
    try:
        ours = score_message(case["message"], case["original"], case["file_path"], case["parsing_function"], algorithm)
    except InputError:
        return {"has_stream": False}
    result: dict[str, Any] = {
        "has_stream": True,
        "success": ours.success,
        "toolCalls": [{"name": call.name, "input": call.params} for call in ours.tool_calls],
    }
    if ours.error is not None:
        return result | {"error": ours.error}
    return result | {"diffEdit": ours.diff_edit, "diffEditSuccess": ours.diff_edit_success}


@pytest.mark.conformance
def test_every_recorded_step_has_the_recorded_result(capsys: pytest.CaptureFixture[str]) -> None:
    wrong: list[str] = []
    total = refused = 0
    for path in files("cline", "eval_cases*.jsonl*"):
        recorded = path.with_name(path.name.replace("cases", "expected", 1))
        expected = {row["id"]: row for row in rows(recorded)}
        for case in rows(path):
            theirs = {key: value for key, value in expected[case["id"]].items() if key not in {"id", "replacements"}}
            total += 1
            if not theirs["has_stream"]:
                refused += 1
                theirs = {"has_stream": False}
            if _ours(case) != theirs:
                wrong.append(case["id"])

    with capsys.disabled():
        counts = f"{total - len(wrong)} of {total} scoring steps, {refused} of them refusals before a call"
        sys.stdout.write(f"\neval: {counts}\n")
    assert total > 0
    assert not wrong


@pytest.mark.parametrize(
    "message, error, code",
    [
        pytest.param("no call", "no_tool_calls", 1, id="no_call"),
        pytest.param(edit() + edit(), "multi_tool_calls", 8, id="two_calls"),
        pytest.param(edit() + "<read_file>", "multi_tool_calls", 8, id="an_unfinished_second_call_counts"),
        pytest.param("<read_file><path>a.py</path></read_file>", "wrong_tool_call", 6, id="another_tool"),
        pytest.param("<replace_in_file><path>a.py</path>", "tool_call_params_undefined", 9, id="no_diff"),
        pytest.param(edit(path=" "), "tool_call_params_undefined", 9, id="an_empty_path"),
        pytest.param(edit(path="b.py"), "wrong_file_edited", 7, id="another_file"),
        pytest.param(edit(path="./a.py"), "wrong_file_edited", 7, id="another_spelling"),
        pytest.param(edit(path="b.py", diff=""), "tool_call_params_undefined", 9, id="parameters_before_the_file"),
    ],
)
def test_the_first_rule_that_applies_wins(message: str, error: str, code: int) -> None:
    result = score(message)

    assert (result.error, result.error_code) == (error, code)
    assert not result.success
    assert not result.succeeded
    assert result.diff_edit_success is None


def test_a_good_edit_applies() -> None:
    result = score(f"Sure. {edit()}")

    assert result.succeeded
    assert result.error_code is None
    assert result.tool_calls == (ToolCall("replace_in_file", {"path": "a.py", "diff": GOOD}),)
    assert result.applied is not None
    assert result.applied.text == "def foo():\n    return 2\n"


def test_a_diff_that_does_not_apply_is_a_success_without_a_code() -> None:
    result = score(edit(diff=GOOD.replace("return 1", "return 3")))

    assert result.success
    assert result.error_code is None
    assert result.diff_edit_success is False
    assert not result.succeeded
    assert result.error_text


def test_a_truncated_answer_is_scored_like_a_complete_one() -> None:
    message = edit()[: edit().index("\n+++++++ REPLACE")]

    assert score(message).succeeded


@pytest.mark.parametrize(
    "original, path, parser, algorithm, named",
    [
        pytest.param("", "a.py", "xml-tools-v2", "v3", "file", id="no_file"),
        pytest.param(ORIGINAL, "", "xml-tools-v2", "v3", "path", id="no_path"),
        pytest.param(ORIGINAL, "a.py", "parseAssistantMessageV9", "v3", "parseAssistantMessageV9", id="parser"),
        pytest.param(ORIGINAL, "a.py", "xml-tools-v2", "nope", "nope", id="algorithm"),
        pytest.param(
            ORIGINAL, "a.py", "xml-tools-v2", "constructNewFileContentV3", "constructNewFile", id="a_name_of_replays"
        ),
    ],
)
def test_what_the_original_refused_before_asking_is_bad_input(
    original: str, path: str, parser: str, algorithm: str, named: str
) -> None:
    with pytest.raises(InputError, match=named):
        score_message(edit(), original, path, parser, algorithm)


@pytest.mark.parametrize(
    "error, valid",
    [
        (None, True),
        ("no_tool_calls", False),
        ("wrong_tool_call", False),
        ("wrong_file_edited", False),
        ("multi_tool_calls", True),
        ("tool_call_params_undefined", True),
        ("llm_stream_error", True),
        ("missing_original_diff_edit_tool_call_message", True),
    ],
)
def test_all_but_three_errors_count_as_valid(error: str | None, valid: bool) -> None:
    assert valid_for_cline(error) is valid


@pytest.mark.parametrize(
    "error, code", [(None, None), ("api_error", 5), ("other_error", 99), ("llm_stream_error", 99), ("anything", 99)]
)
def test_unknown_errors_share_one_code(error: str | None, code: int | None) -> None:
    assert error_code(error) == code


@pytest.mark.parametrize(
    "kind, name, ours",
    [
        ("parser", "parseAssistantMessageV1", "xml-tools-v1"),
        ("parser", "parseAssistantMessageV2", "xml-tools-v2"),
        ("parser", "parseAssistantMessageV3", "xml-tools-v3"),
        ("algorithm", "diff-06-26-25", "diff-06-26-25"),
        ("algorithm", "constructNewFileContentV1", "v1"),
        ("algorithm", "constructNewFileContentV2", "v2"),
        ("algorithm", "constructNewFileContentV3", "v3"),
        ("algorithm", "constructNewFileContent", "v3"),
        ("prompt", "basicSystemPrompt", "basic"),
        ("prompt", "claude4SystemPrompt", "strict"),
        ("prompt", "constructNewFileContent", "constructNewFileContent"),
    ],
)
def test_the_original_s_names_have_names_of_ours(kind: str, name: str, ours: str) -> None:
    assert ALIASES[kind].get(name, name) == ours
    known: dict[str, Container[str]] = {"parser": PARSERS, "algorithm": DIFF_ALGORITHMS}
    assert kind not in known or ours in known[kind]
