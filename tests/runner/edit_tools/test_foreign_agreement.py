"""Foreign tools behind `exec:` make of edits what ours make of them, right ones and wrong ones."""

import json
import random
from collections.abc import Callable, Iterator

import pytest

from diff_apply.tools.refusal import EditError
from parsers.blocks import ToolCall
from parsers.forms.call_tags import tagged
from runner.edit_tools import EDIT_TOOLS
from runner.edit_tools.tool import EditTool
from runner.execution.isolation import Isolation
from tests.runner.edit_tools.foreign import foreign, needs_node
from tests.runner.edit_tools.test_right_answers import LINES, PATH

Edit = tuple[str, str]


def file_of(draw: random.Random) -> str:
    end = draw.choice(("\n", "\r\n", "\n", "\r"))
    lines = draw.choices((*LINES, "a\U0001f600\tb\tc", "\u2028x"), k=draw.randrange(12))
    return end.join(lines) + end * draw.randrange(2)


def of_lines(draw: random.Random) -> Edit:
    """A file, and an answer that replaces lines of it, some of which it does not have."""
    text = file_of(draw)
    count = text.count("\n") + 1

    def one() -> dict[str, object]:
        start = draw.randint(0, count + 1)
        new = "".join(f"{row}\n" for row in draw.choices(LINES, k=draw.randrange(3)))
        return {"start_line": start, "end_line": start + draw.randint(-2, 2), "new_text": new}

    if draw.random() < 0.3:
        ranges = json.dumps([one() for _ in range(draw.randint(1, 3))])
        return text, tagged("replace_lines", {"path": PATH, "ranges": ranges})
    values = {name: str(value) for name, value in one().items() if draw.random() < 0.97}
    return text, tagged("replace_lines", {"path": PATH, **values})


def of_texts(draw: random.Random) -> Edit:
    """A file, and an answer that replaces a text of it, which may be there never, once or more often."""
    text = file_of(draw)
    at = draw.randint(0, len(text))
    old = text.replace("\r\n", "\n")[at : at + draw.choice((1, 4, 12, 40))] if draw.random() < 0.9 else "not there"
    new = "\n".join(draw.choices(LINES, k=draw.randrange(3)))
    values = {"command": draw.choice(("str_replace",) * 6 + ("insert", "create", "drop")), "path": PATH}
    values |= {"old_str": old, "new_str": new, "insert_line": str(draw.randint(-1, 12))}
    return text, tagged("str_replace_based_edit_tool", {name: values[name] for name in values if draw.random() < 0.97})


def made_of(tool: EditTool, edit: Edit) -> Iterator[object]:
    """Yield what a tool reads in an answer, and what comes of it: a file, or the cause of a refusal."""
    before, answer = edit
    for block in tool.parser.about(PATH).parse(answer):
        yield block
        if isinstance(block, ToolCall) and "path" in block.params:
            try:
                yield tool.algorithm(before, block.params["diff"]).text
            except EditError as error:
                yield error.cause


def kinds_of_results(
    name: str, program: str, draws: Callable[[random.Random], Edit], count: int, isolation: Isolation
) -> set[object]:
    """The types of what came of some edits by our tool, with which the program agreed in each of them."""
    draw = random.Random(7)
    causes = set[object]()
    with foreign(program, isolation) as tool:
        for _ in range(count):
            edit = draws(draw)
            ours, theirs = ([*made_of(each, edit)] for each in (EDIT_TOOLS[name], tool))
            assert theirs == ours, edit
            causes |= {type(ours[-1])}
    return causes


TOOLS = [
    pytest.param("line-range", "line_range.py", of_lines, id="python"),
    pytest.param("text-editor", "text_editor.mjs", of_texts, id="node", marks=needs_node),
]


@pytest.mark.parametrize("name, program, draws", TOOLS)
def test_a_foreign_tool_does_what_ours_does(
    name: str, program: str, draws: Callable[[random.Random], Edit], isolation: Isolation
) -> None:
    # Files and refusals were both among them.
    assert len(kinds_of_results(name, program, draws, 60, isolation)) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("name, program, draws", TOOLS)
def test_a_foreign_tool_does_what_ours_does_in_a_thousand_edits(
    name: str, program: str, draws: Callable[[random.Random], Edit], isolation: Isolation
) -> None:
    assert len(kinds_of_results(name, program, draws, 1000, isolation)) >= 2
