"""`evals tool new` writes a tool that runs as it is, in each language."""

import subprocess
from pathlib import Path

import pytest

from diff_apply.tools.refusal import EditError
from parsers.blocks import ToolCall
from runner.edit_tools.foreign_wire import declared_in
from runner.edit_tools.new_tool import template_of, without_types
from runner.edit_tools.own_tool import declare
from tests.in_process import evals
from tests.runner.edit_tools.foreign import foreign, needs_node

BEFORE = "\ufeffone \U0001f600\r\ntwo\r\none\r\n"
TOOLS = ["mine.py", pytest.param("mine.mjs", marks=needs_node)]


@pytest.mark.parametrize("name", TOOLS)
def test_a_new_tool_makes_the_edits_that_it_writes_and_refuses_others(name: str, tmp_path: Path) -> None:
    assert evals("tool", "new", name, cwd=tmp_path).stdout == f"{name}\n"

    with foreign(str(tmp_path / name)) as tool:
        for after in (
            "",
            "\ufeffone \U0001f601\r\ntwo\r\none\r\n",
            f"x{BEFORE}",
            f"{BEFORE}\n",
            BEFORE.replace("one\r", ""),
        ):
            (call,) = tool.parser.about("a.txt").parse(tool.write("a.txt", BEFORE, after))
            assert isinstance(call, ToolCall)
            assert tool.algorithm(BEFORE, call.params["diff"]).text == after
        with pytest.raises(EditError, match="occurs 2 times") as refused:
            tool.algorithm(BEFORE, "<path>a.txt</path><old>one</old><new>$&</new>")
        assert tool.algorithm(BEFORE, "<path>a.txt</path><old>two</old><new>$&</new>").text == BEFORE.replace(
            "two", "$&"
        )
        assert "occurs 2 times" in tool.explain(refused.value)
        assert BEFORE in tool.show("a.txt", BEFORE)


@needs_node
def test_the_typescript_is_the_javascript_with_types(tmp_path: Path) -> None:
    typed, plain = (template_of(tmp_path / name) for name in ("mine.ts", "mine.mjs"))
    (tmp_path / "mine.mjs").write_text(plain)

    assert without_types(typed) == plain != typed
    assert "type " not in plain.replace("type: ", "").replace("types", "")
    assert subprocess.run(["node", "--check", "mine.mjs"], cwd=tmp_path, check=False).returncode == 0


def test_the_template_declares_what_the_protocol_asks_for() -> None:
    assert declared_in(declare()).names == ("path", "old", "new")


@pytest.mark.parametrize(
    "name, why",
    [
        pytest.param("mine.rb", "end it in .py, .ts, .mjs", id="language"),
        pytest.param("there.py", "there is a file there.py already", id="there"),
        pytest.param("nowhere/mine.py", "cannot be written", id="folder"),
    ],
)
def test_a_name_that_does_not_do_is_one_line(name: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "there.py").touch()

    ended = evals("tool", "new", name, cwd=tmp_path)

    assert (ended.returncode, why in ended.stderr, (tmp_path / "there.py").read_text()) == (2, True, "")
