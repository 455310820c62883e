"""A conversation is written for each tool in that tool's form, and no model sees the syntax of another."""

import re
from pathlib import Path

import pytest

from runner.edit_tools import EDIT_TOOLS, native
from runner.edit_tools.history import UnrenderableError, rendered
from runner.edit_tools.native_writing import native_calls
from runner.edit_tools.prompt import prompt_of
from runner.suites.diff_edit.cases import DiffEditCase, load_cases
from runner.suites.diff_edit.tools import messages_for

NAMES = [name for name in EDIT_TOOLS if not name.endswith("+")]
FILE = "a = 1\nb = 2\nc = 3\n"
EDIT = """I change b.

<replace_in_file>
<path>src/a.py</path>
<diff>
------- SEARCH
b = 2
=======
b = 20
+++++++ REPLACE
</diff>
</replace_in_file>"""
DISPLAY = '<final_file_content path="src/a.py">\na = 1\nb = 20\nc = 3\n\n</final_file_content>'
TURNS = [
    ("user", "<task>\nSet b and c.\n</task>\n\n<environment_details>\n# Mode\nACT\n</environment_details>"),
    ("assistant", "I look first.\n\n<read_file>\n<path>src/a.py</path>\n</read_file>"),
    ("user", f"[read_file for 'src/a.py'] Result:\n\n{FILE}"),
    ("assistant", EDIT),
    ("user", f"[replace_in_file for 'src/a.py'] Result:\n\nSaved.\n\n{DISPLAY}"),
]
# What only this tool writes.
SYNTAX = {
    "replace-in-file": r"<replace_in_file>|^[-<]{3,} SEARCH$(?!\n.*)|<read_file>|\[\w+ for '",
    "aider-diff": r"^<{5,9} SEARCH",
    "aider-udiff": r"^```diff",
    "apply-patch": r"^\*\*\* Begin Patch",
    "v4a": "<apply_diff>",
    "text-editor": "<str_replace_based_edit_tool>",
    "opencode-edit": "<oldString>",
    "hashline": "<edit_lines>",
    "hashline-patch": "<patch_lines>",
    "line-range": "<replace_lines>",
}


def foreign(text: str, name: str) -> list[str]:
    return [tool for tool, syntax in SYNTAX.items() if tool != name and re.search(syntax, text, re.MULTILINE)]


@pytest.fixture(scope="module")
def shipped() -> tuple[DiffEditCase, ...]:
    return load_cases(Path("cases/diff_edit")).cases


@pytest.mark.parametrize("name", NAMES)
def test_no_variant_sees_the_syntax_of_another(name: str, shipped: tuple[DiffEditCase, ...]) -> None:
    tool = EDIT_TOOLS[name]

    texts = [message.text for case in shipped for message in messages_for(case, tool)]
    texts += [prompt_of(tool).render(case.details) for case in shipped]
    texts += [turn.text for turn in rendered(TURNS, tool, "src/a.py", "a = 1\nb = 20\nc = 3\n")]

    assert [found for text in texts if (found := foreign(text, name))] == []


@pytest.mark.parametrize("name", NAMES)
def test_an_edit_of_the_conversation_is_written_with_the_tool(name: str) -> None:
    tool = EDIT_TOOLS[name]

    turns = rendered(TURNS, tool, "src/a.py", "a = 1\nb = 20\nc = 3\n")

    assert [turn.role for turn in turns] == [role for role, _ in TURNS]
    assert tool.write("src/a.py", FILE, FILE.replace("2", "20")).strip() in turns[3].text
    assert tool.show("src/a.py", FILE) in turns[2].text


@pytest.mark.parametrize("name", NAMES)
def test_natively_an_edit_is_a_call_with_a_result_and_no_text_has_the_form(
    name: str, shipped: tuple[DiffEditCase, ...]
) -> None:
    tool = native(EDIT_TOOLS[name])
    turns = rendered(TURNS, tool, "src/a.py", "a = 1\nb = 20\nc = 3\n")

    (call,), (result,) = turns[3].calls, turns[4].results
    assert (call.name, call.id, turns[3].text) == (tool.declaration.name, result.call_id, "I change b.")
    assert call == native_calls(name, tool.write("src/a.py", FILE, FILE.replace("2", "20")))[0]
    assert tool.show("src/a.py", "a = 1\nb = 20\nc = 3\n") in result.text
    texts = [text for case in shipped for message in messages_for(case, tool) for text in message.texts]
    texts += [text for turn in turns for text in (turn.text, *(result.text for result in turn.results))]
    # What stands in the argument of a tool that takes a text is described in its prompt, and nowhere shown as a call.
    assert [found for text in texts if (found := foreign(text, ""))] == []
    prompts = [prompt_of(tool).render(case.details) for case in shipped]
    assert [found for text in prompts if (found := foreign(text, name))] == []
    assert not any(re.search(f"</?{call.name}>", text) for text in prompts)


def test_a_native_edit_without_a_result_is_refused() -> None:
    with pytest.raises(UnrenderableError, match="an edit has no result"):
        rendered(TURNS[:4], native(EDIT_TOOLS["v4a"]), "src/a.py", FILE)


@pytest.mark.parametrize("name", NAMES)
def test_the_file_to_edit_stands_in_the_conversation_as_it_is(name: str, shipped: tuple[DiffEditCase, ...]) -> None:
    tool = EDIT_TOOLS[name]

    for case in shipped:
        texts = [message.text for message in messages_for(case, tool)]
        assert any(tool.show(case.file_path, case.file_contents) in text for text in texts)


@pytest.mark.parametrize(
    "words, why",
    [
        pytest.param(EDIT, "before the file is displayed", id="an edit of an unknown file"),
        pytest.param("Use <replace_in_file> here.", "is read as a call|another tool|before the file", id="its syntax"),
        pytest.param("I call replace_in_file next.", "another tool", id="its name"),
    ],
)
def test_what_cannot_be_written_for_a_tool_is_refused_by_name(words: str, why: str) -> None:
    with pytest.raises(UnrenderableError, match=why):
        rendered([("user", "Do it."), ("assistant", words)], EDIT_TOOLS["hashline"], "src/a.py", FILE)
