"""A run with several edit tools shows each tool with each model; a run with one tool does not."""

from pathlib import Path

import orjson

from tests.in_process import evals

RIGHT, NONE = "sim/any?applied=1&valid=1&time=virtual", "sim/any?applied=0&valid=1&time=virtual"
TOOLS = ("replace-in-file", "hashline", "line-range")


def run(folder: Path, tools: str, *more: str) -> str:
    words = ("--edit-tool", tools, "--max-cases", 3, "-n", 1, "--db", folder / "e.db")
    done = evals("diff", f"{RIGHT},{NONE}", *words, *more, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_tool_with_each_model_has_its_rates_clocks_and_causes(tmp_path: Path) -> None:
    data = orjson.loads(run(tmp_path, ",".join(TOOLS), "--json"))

    figures = {(row["sut"], row["edit_tool"]): row for row in data["edit_tools"]}
    assert list(figures) == [(sut, tool) for sut in (RIGHT, NONE) for tool in TOOLS]
    assert [figures[RIGHT, tool]["right"] for tool in TOOLS] == [1, 1, 1]
    assert [figures[NONE, tool]["right"] for tool in TOOLS] == [0, 0, 0]
    assert figures[RIGHT, "hashline"]["causes"] == {}
    assert [figures[RIGHT, tool]["collateral"] for tool in TOOLS] == [0, 0, 0]
    assert figures[NONE, "hashline"]["collateral_lines"] is None
    assert all(sum(figures[NONE, tool]["causes"].values()) == 3 for tool in TOOLS)
    assert all(row["first_edit_ms"] > 0 for row in figures.values())


def test_the_table_names_tools_models_and_the_commonest_failure(tmp_path: Path) -> None:
    shown = run(tmp_path, "replace-in-file,hashline")

    table = shown.partition("edit tools by model")[2].partition("\n\n")[0]
    assert table.count("replace-in-file") == 2
    assert "(simulated)" in table
    assert [line.split()[-1] for line in table.splitlines()[2:4]] == ["-", "-"]


def test_a_run_with_one_tool_has_no_such_table(tmp_path: Path) -> None:
    assert "edit tools by model" not in run(tmp_path, "hashline")
