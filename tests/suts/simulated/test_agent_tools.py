"""Tools of coding agents as they declare them: which is taken for which role, and what it is then given."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diff_apply.tools.patch import apply_patch
from parsers.forms.patch import read_patch
from suts.simulated.agent_tools import AgentTurn, agent_turn
from suts.simulated.agent_words import AgentWords, agent_words
from suts.simulated.calls import NativeCall
from suts.simulated.patch_texts import patch_text
from suts.simulated.scripts import scripted
from suts.simulated.spec import parse_spec
from suts.simulated.tool_choice import FREE_FORM, declared
from suts.sut import Truth

BEFORE = "".join(f"line {number}\n" for number in range(20))
AFTER = BEFORE.replace("line 3\n", "it's 3\n").replace("line 17\n", "")
TRUTH = Truth("case", 1, path="a b.txt", blocks=(("line 3\n", "it's 3\n"), ("line 17\n", "")), before=BEFORE)
STRING: Mapping[str, object] = {"type": "string"}
ABSOLUTE = {"type": "string", "description": "The absolute path of the file."}
PATH = "a b.txt"
# Two agents whose shell is all that reads and writes; the second one is told of `apply_patch`.
SHELL = {"bash": {"type": "object", "properties": {"command": STRING}, "required": ["command"]}}
EXEC = {
    "exec_command": {"type": "object", "properties": {"cmd": STRING, "tty": {"type": "boolean"}}, "required": ["cmd"]},
    "view_image": {"type": "object", "properties": {"path": STRING}, "required": ["path"]},
}
LISTED = {
    "read_files": {
        "type": "object",
        "properties": {"files": {"type": "array", "items": {"type": "object", "properties": {"path": ABSOLUTE}}}},
    },
    "editor": {
        "type": "object",
        "properties": {"path": ABSOLUTE, "old_text": {"anyOf": [STRING, {"type": "null"}]}, "new_text": STRING},
    },
    "run_commands": {"type": "object", "properties": {"commands": {"type": "array", "items": STRING}}},
}


def turn_of(tools: Mapping[str, Mapping[str, object]], words: AgentWords | None = None, at: int = 0) -> AgentTurn:
    turn = agent_turn(tools, [""] * at, words)
    assert turn is not None
    return turn


def calls_of(tools: Mapping[str, Mapping[str, object]], words: AgentWords | None = None) -> list[NativeCall]:
    """All calls of a right attempt."""
    calls: list[NativeCall] = []
    while made := scripted(parse_spec("sim/any?applied=1"), TRUTH, turn_of(tools, words, len(calls))).calls:
        calls += made
    return calls


def arguments(calls: Sequence[NativeCall]) -> list[tuple[str, object]]:
    return [(call.name, json.loads(call.arguments)) for call in calls]


def test_an_agent_with_a_shell_alone_reads_and_writes_by_commands_that_are_right(tmp_path: Path) -> None:
    (tmp_path / PATH).write_text(BEFORE)

    commands = [json.loads(call.arguments)["command"] for call in calls_of(SHELL)]

    # As agents run what their model calls for.
    shown = [subprocess.run(["bash", "-c", words], cwd=tmp_path, capture_output=True, check=True) for words in commands]
    assert shown[0].stdout.decode() == BEFORE
    assert (tmp_path / PATH).read_text() == AFTER


def test_a_shell_that_has_a_patcher_edits_by_it_and_a_tool_for_images_reads_nothing() -> None:
    reading, patching = arguments(calls_of(EXEC, AgentWords(patches=True)))

    assert reading == ("exec_command", {"cmd": "cat 'a b.txt'"})
    assert patching == ("exec_command", {"cmd": f"apply_patch <<'EOF'\n{patch_text(PATH, BEFORE, AFTER)}\nEOF"})


def test_a_patcher_of_free_text_gets_the_patch_and_nothing_around_it() -> None:
    reading, patching = calls_of(EXEC | {"apply_patch": FREE_FORM})

    assert reading.name == "exec_command"
    assert patching == NativeCall("apply_patch", patch_text(PATH, BEFORE, AFTER), free=True)


def test_tools_that_only_a_script_may_call_are_called_by_one() -> None:
    described = (
        "declare const tools: { apply_patch(input: string): Promise<unknown>; };\n"
        "declare const tools: { exec_command(args: {\n  // What to run.\n  cmd: string;\n  tty?: boolean;\n"
        "}): Promise<unknown>; };\n"
    )
    script = {"type": "custom", "name": "exec", "description": described}
    inner = {"type": "namespace", "name": "functions", "tools": [script]}
    asked = {"model": "sim/any", "input": [{"type": "additional_tools", "role": "developer", "tools": [inner]}]}
    tools = declared("openai-responses", asked)

    reading, patching = calls_of(tools)

    patch = json.dumps(patch_text(PATH, BEFORE, AFTER))
    assert reading == NativeCall("exec", """text(await tools.exec_command({"cmd":"cat 'a b.txt'"}));""", free=True)
    assert patching == NativeCall("exec", f"text(await tools.apply_patch({patch}));", free=True)


def test_a_text_without_a_last_line_end_is_written_by_a_shell_and_without_one_by_a_patch() -> None:
    patcher = {"apply_patch": FREE_FORM, "view": {"properties": {"path": STRING}}}

    with_shell = turn_of(EXEC | patcher).call("write", (PATH, "x"))
    without = turn_of(patcher).call("write", (PATH, "x"))

    assert arguments([with_shell]) == [("exec_command", {"cmd": "printf '%s' x > 'a b.txt'"})]
    assert (without.name, without.arguments) == ("apply_patch", patch_text(PATH, "", "x"))


def test_parameters_that_are_lists_get_lists_and_absolute_paths_begin_with_the_folder() -> None:
    reading, first, second = arguments(calls_of(LISTED, AgentWords(folder="/room/work")))

    assert reading == ("read_files", {"files": [{"path": f"/room/work/{PATH}"}]})
    assert first == ("editor", {"path": f"/room/work/{PATH}", "old_text": "line 3\n", "new_text": "it's 3\n"})
    assert second[1] == {"path": f"/room/work/{PATH}", "old_text": "line 17\n", "new_text": ""}


def test_parameters_that_a_tool_requires_beside_those_of_its_role_get_a_value() -> None:
    required = {"properties": {"command": STRING, "background": {"type": "boolean"}}, "required": ["background"]}

    call = turn_of({"bash": required}).call("run", ("ls",))

    assert arguments([call]) == [("bash", {"background": False, "command": "ls"})]


def test_a_command_that_ends_the_work_is_the_last_call() -> None:
    calls = calls_of(SHELL, AgentWords(ending="echo DONE"))

    assert arguments(calls)[-1] == ("bash", {"command": "echo DONE"})


@pytest.mark.parametrize(
    "said, words",
    [
        pytest.param("I'm currently working in the directory: /room/work\n", AgentWords(folder="/room/work"), id="in"),
        pytest.param("  Working directory: /room/work\n  Is git: no", AgentWords(folder="/room/work"), id="named"),
        pytest.param("<cwd>/room/work</cwd>", AgentWords(folder="/room/work"), id="tag"),
        pytest.param("the working directory of a task/description", AgentWords(), id="no folder"),
        pytest.param(
            "finish your work by issuing the following command: `echo END`.", AgentWords(ending="echo END"), id="ending"
        ),
    ],
)
def test_the_folder_and_the_command_that_ends_the_work_are_read_in_the_instructions(
    said: str, words: AgentWords
) -> None:
    assert agent_words([], [said]) == words
    assert agent_words(["Use `apply_patch`."], []).patches


LINES = st.lists(st.sampled_from(["a", "b", "", "}"]), min_size=1, max_size=30)


@given(LINES, LINES)
def test_a_patch_makes_one_text_of_the_other_wherever_lines_repeat(old: list[str], new: list[str]) -> None:
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    patch = read_patch(patch_text(PATH, before, after))
    if before != after:
        assert apply_patch(patch.changes, {PATH: before}).changed == {PATH: after}


def test_a_file_without_text_is_added() -> None:
    patch = read_patch(patch_text(PATH, "", "x\ny\n"))

    assert apply_patch(patch.changes, {}).changed == {PATH: "x\ny\n"}
