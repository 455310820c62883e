"""The named wordings are complete, and filling them never expands what a case says."""

import hashlib
import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts import PROMPTS, Prompt, PromptDetails, PromptError, UnknownPromptError, load

DETAILS = PromptDetails(
    cwd_value="/home/ada/shop",
    os_value="Linux 6.8",
    shell_value="/bin/zsh",
    home_value="/home/ada",
    mcp_string="## weather\n- get_alerts",
)
MARKERS = ("------- SEARCH", "=======", "+++++++ REPLACE")


# The others ask for something else than an edit, and their suites test them.
EDITING = [name for name in PROMPTS if "/" not in name]


@pytest.fixture(params=EDITING)
def prompt(request: pytest.FixtureRequest) -> Prompt:
    return load(request.param)


@pytest.mark.parametrize("name", PROMPTS)
def test_every_registered_name_loads_under_its_name(name: str) -> None:
    assert load(name).name == name
    assert load(name).render(DETAILS)


def test_a_prompt_for_edits_says_all_that_an_agent_must_know(prompt: Prompt) -> None:
    assert len(prompt.wording) > 5_000


def test_the_digest_is_that_of_the_wording(prompt: Prompt) -> None:
    assert prompt.digest == hashlib.sha256(prompt.wording.encode()).hexdigest()[:8]


def test_the_wordings_differ() -> None:
    assert len({load(name).digest for name in PROMPTS}) == len(PROMPTS)


def test_a_filled_prompt_has_no_placeholder_left(prompt: Prompt) -> None:
    text = prompt.render(replace(DETAILS, browser_use=True, user_custom_instructions="Be brief."))

    assert "{{" not in text
    assert "<!--" not in text


def test_a_filled_prompt_says_what_the_machine_is(prompt: Prompt) -> None:
    text = prompt.render(DETAILS)

    for value in ("/home/ada/shop", "Linux 6.8", "/bin/zsh", "/home/ada", "## weather\n- get_alerts"):
        assert value in text


def test_the_markers_are_taught_as_lines_of_their_own(prompt: Prompt) -> None:
    lines = prompt.render(DETAILS).split("\n")

    assert all(lines.count(marker) >= 2 for marker in MARKERS)
    assert len({lines.count(marker) for marker in MARKERS}) == 1


@pytest.mark.parametrize(
    "tool",
    ["execute_command", "read_file", "write_to_file", "replace_in_file", "search_files", "attempt_completion"],
)
def test_the_tools_are_named(prompt: Prompt, tool: str) -> None:
    assert tool in prompt.render(DETAILS)


def test_the_examples_close_every_tag_that_they_open(prompt: Prompt) -> None:
    calls = re.findall(r"^<replace_in_file>$.*?^</replace_in_file>$", prompt.wording, re.MULTILINE | re.DOTALL)

    assert calls
    for call in calls:
        assert re.findall(r"^<(\w+)>", call, re.MULTILINE) == ["replace_in_file", "path", "diff"]
        assert re.findall(r"</(\w+)>$", call, re.MULTILINE) == ["path", "diff", "replace_in_file"]


def test_the_browser_is_mentioned_only_when_there_is_one(prompt: Prompt) -> None:
    with_browser = prompt.render(replace(DETAILS, browser_use=True, width=1280, height=801))

    assert "browser_action" in with_browser
    assert "1280 x 801" in with_browser
    assert "browser" not in prompt.render(DETAILS).lower()


def test_custom_instructions_are_the_last_part_and_left_out_when_blank(prompt: Prompt) -> None:
    with_wish = prompt.render(replace(DETAILS, user_custom_instructions="Answer in French."))

    assert with_wish.rstrip().endswith("Answer in French.")
    assert prompt.render(replace(DETAILS, user_custom_instructions=" \n")) == prompt.render(DETAILS)
    assert with_wish.startswith(prompt.render(DETAILS))


def test_an_empty_mcp_string_leaves_its_section_out(prompt: Prompt) -> None:
    assert "weather" not in prompt.render(replace(DETAILS, mcp_string=""))
    assert not re.search(r"^MCP servers", prompt.render(replace(DETAILS, mcp_string="")), re.IGNORECASE | re.MULTILINE)


@pytest.mark.parametrize(
    "value",
    ["{{home_value}}", "<!-- if browser_use -->\nx\n<!-- end -->\n", r"\1 \g<0>", "{cwd_value} %s $HOME", "{{nope}}"],
)
def test_what_a_case_says_is_never_expanded(value: str) -> None:
    prompt = Prompt("p", "a {{cwd_value}} b\n<!-- if mcp_string -->\n{{mcp_string}}|\n<!-- end -->\nz\n")

    text = prompt.render(replace(DETAILS, cwd_value=value, mcp_string=value))

    assert text == f"a {value} b\n{value}|\nz\n"


@given(value=st.text(alphabet="{}_<!->if end\nhomevalu\\1"), flag=st.booleans())
def test_any_value_is_inserted_as_it_is(value: str, *, flag: bool) -> None:
    prompt = Prompt("p", "{{home_value}}\n<!-- if browser_use -->\n{{cwd_value}}\n<!-- end -->\n")

    text = prompt.render(replace(DETAILS, cwd_value=value, home_value=value, browser_use=flag))

    assert text == f"{value}\n" + (f"{value}\n" if flag else "")


def test_every_field_of_the_details_can_be_placed() -> None:
    wording = "".join(f"{{{{{field.name}}}}}|" for field in fields(PromptDetails))

    assert Prompt("p", wording).render(DETAILS).count("|") == len(fields(PromptDetails))


@pytest.mark.parametrize(
    "wording, message",
    [
        pytest.param("{{cwd}}", "unknown field 'cwd'", id="unknown-placeholder"),
        pytest.param("<!-- if mood -->\nx\n<!-- end -->\n", "unknown field 'mood'", id="unknown-condition"),
        pytest.param("<!-- if browser_use -->\nx\n", "without its 'end'", id="open-section"),
        pytest.param("x\n<!-- end -->\n", "an 'end' without its 'if'", id="end-without-if"),
        pytest.param(
            "<!-- if browser_use -->\n<!-- if width -->\nx\n<!-- end -->\n<!-- end -->\n",
            "an 'if' within another",
            id="nested",
        ),
    ],
)
def test_a_wording_that_cannot_be_filled_is_refused(wording: str, message: str) -> None:
    with pytest.raises(PromptError, match=message) as caught:
        Prompt("mine", wording)

    assert str(caught.value).startswith("prompt mine: ")
    assert "\n" not in str(caught.value)


def test_braces_that_are_no_placeholder_stay() -> None:
    assert Prompt("p", "{{ x }} {cwd_value} ${{}} {{}}").render(DETAILS) == "{{ x }} {cwd_value} ${{}} {{}}"


def test_a_file_of_the_users_is_a_prompt_named_after_it(tmp_path: Path) -> None:
    path = tmp_path / "terse.md"
    path.write_text("Edit {{cwd_value}} \u2728.\n", encoding="utf-8")

    prompt = load(str(path))

    assert prompt.name == "terse"
    assert prompt.render(DETAILS) == "Edit /home/ada/shop \u2728.\n"


def test_line_ends_of_a_checkout_do_not_change_the_digest(tmp_path: Path) -> None:
    (tmp_path / "lf.md").write_bytes(b"one\ntwo\n")
    (tmp_path / "crlf.md").write_bytes(b"one\r\ntwo\r\n")

    assert load(str(tmp_path / "lf.md")).digest == load(str(tmp_path / "crlf.md")).digest


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(
        UnknownPromptError, match=r"no prompt is called 'basik'; did you mean basic\? There are basic, strict"
    ):
        load("basik")


@pytest.mark.parametrize(
    "content, message", [(None, "No such file"), (b"\xff\xfe", "is not UTF-8")], ids=["missing", "latin"]
)
def test_a_file_that_cannot_be_read_is_named_in_one_line(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "mine.md"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(PromptError, match=message) as caught:
        load(str(path))

    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_whose_name_no_record_can_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m\udcff.md"
    path.write_text("Edit.", encoding="utf-8")

    with pytest.raises(PromptError, match="its name is not UTF-8; rename the file"):
        load(str(path))


def test_importing_the_prompts_loads_nothing_heavy() -> None:
    code = "import sys, prompts; print({'tree_sitter', 'numpy', 'openai', 'rich'} & set(sys.modules))"

    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert seen.stdout == "set()\n"
