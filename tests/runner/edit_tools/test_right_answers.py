"""What a right model writes with a tool makes the edit, whatever the file, but for the tool's own faults."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diff_apply.tools.aider_files import universal
from diff_apply.tools.refusal import EditError
from parsers.blocks import ToolCall
from runner.edit_tools import EDIT_TOOLS

PATH = "src/notes.txt"
# Lines of eleven languages, some of them often the same.
LINES = (
    *(
        "def load(path):",
        "    return path",
        "",
        "\treturn nil",
        "func main() {",
        "}",
        "int main(void)",
        "{",
        "  count: 1,",
    ),
    *("key: value", "- item", "# Title", "let x = 1;", "export const a = (b) => b;", "public void run() {", '{"a": 1}'),
    *(
        "fn sum(v: &[i32]) -> i32 {",
        "    v.iter().sum()",
        "<p class='a'>",
        ".b { margin: 0 }",
        "SELECT 1;",
        "na\u00efve \u2713",
    ),
)
line = st.sampled_from(LINES)


def edited(lines: list[str], at: int, count: int, new: list[str]) -> list[str]:
    start = at % (len(lines) + 1)
    return [*lines[:start], *new, *lines[start + count :]]


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str]:
    """A file before and after one or two edits, with any line end, with or without a last newline."""
    before = draw(st.lists(line, min_size=1, max_size=14))
    after = before
    for _ in range(draw(st.integers(1, 2))):
        after = edited(after, draw(st.integers(0, 20)), draw(st.integers(0, 3)), draw(st.lists(line, max_size=3)))
    # The ends of new lines are those of the file, so it has one; and Aider loses a blank line at the end of a block.
    end, last = draw(st.sampled_from(("\n", "\r\n"))), draw(st.booleans())
    return tuple(end.join(["first", *text, "last"]) + end * last for text in (before, after))  # type: ignore[return-value] # two


def ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def ended_alike(text: str) -> str:
    return ended(text)[:-1] + "\r\n" if "\r\n" in text and not text.endswith("\n") else ended(text)


# What a tool makes of the whole file beside the edit, as its original does.
FAULTS: dict[str, Callable[[str], str]] = {
    "aider-diff": lambda text: ended(universal(text)),
    "aider-udiff": lambda text: ended(universal(text)),
    "aider-whole": ended,
    "apply-patch": ended_alike,
    "text-editor": lambda text: universal(text).expandtabs(),
}


def answer_read(name: str, before: str, after: str) -> ToolCall | None:
    tool = EDIT_TOOLS[name]
    blocks = tool.parser.about(PATH).parse(f"I change it.\n\n{tool.write(PATH, before, after)}")
    calls = [block for block in blocks if isinstance(block, ToolCall)]
    return calls[0] if len(calls) == 1 and calls[0].params.get("path") == PATH else None


@pytest.mark.parametrize("name", [name for name in EDIT_TOOLS if not name.endswith("+")])
@settings(max_examples=120, deadline=None)
@given(pair=edits())
def test_a_right_answer_gives_the_file_after_the_edit(name: str, pair: tuple[str, str]) -> None:
    before, after = pair
    fault = FAULTS.get(name, str)
    if fault(before) == fault(after) or not before.strip() or not after.strip():
        return

    call = answer_read(name, before, after)

    assert call is not None
    assert not call.partial
    assert fault(EDIT_TOOLS[name].algorithm(before, call.params["diff"]).text) == fault(after)


@pytest.mark.parametrize("name", EDIT_TOOLS)
def test_an_edit_of_one_line_of_two_is_right_with_every_tool(name: str) -> None:
    before, after = "alpha beta gamma = 1\nb\n", "alpha beta gamma = 2\nb\n"
    call = answer_read(name, before, after)

    assert call is not None
    assert EDIT_TOOLS[name].algorithm(before, call.params["diff"]).text == after


@pytest.mark.parametrize("name", EDIT_TOOLS)
def test_tags_in_a_file_are_text_whatever_the_tool_calls_its_parameters(name: str) -> None:
    before = "<form>\n<input>\n<path>a</path>\n</input>\n<b>1</b>\n</form>\n"
    after = before.replace("<b>1</b>", "<input>\n{}\n</input>")

    call = answer_read(name, before, after)

    assert call is not None
    assert EDIT_TOOLS[name].algorithm(before, call.params["diff"]).text == after


@pytest.mark.parametrize(
    "name, before, after",
    [
        pytest.param("text-editor", "a\n\tb\n", "c\n\tb\n", id="tabs become blanks"),
        pytest.param("text-editor", "a\r\nb\r\n", "c\r\nb\r\n", id="CRLF becomes LF"),
        pytest.param("aider-diff", "a\r\nb\r\n", "c\r\nb\r\n", id="CRLF becomes LF there, too"),
    ],
)
def test_the_checked_form_refuses_what_the_tool_damages(name: str, before: str, after: str) -> None:
    call = answer_read(name, before, after)
    assert call is not None

    damaged = EDIT_TOOLS[name].algorithm(before, call.params["diff"]).text

    assert damaged != after
    with pytest.raises(EditError, match="nothing was changed"):
        EDIT_TOOLS[f"{name}+"].algorithm(before, call.params["diff"])


def test_the_checked_form_refuses_an_edit_of_several_places() -> None:
    before = "x = compute(1)\na\nx = compute(1)\n"
    answer = f"```diff\n--- {PATH}\n+++ {PATH}\n@@ @@\n-x = compute(1)\n+y = compute(1)\n```\n"

    assert EDIT_TOOLS["aider-udiff"].algorithm(before, answer).text == before.replace("x", "y")
    with pytest.raises(EditError, match="several places"):
        EDIT_TOOLS["aider-udiff+"].algorithm(before, answer)
