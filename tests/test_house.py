"""The limits that the house rules set and no linter holds: sizes, nesting, names, and one place for each concern."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("runner", "prompts", "parsers", "diff_apply", "suts")
LONGEST_FILE, LONGEST_FUNCTION, DEEPEST = 400, 60, 4
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "base", "core"}
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Every file of ours, tests included."""
    return {name(path): ast.parse(path.read_bytes()) for path in sources(*PACKAGES, "tests")}


@pytest.fixture(scope="module")
def functions(trees: dict[str, ast.Module]) -> list[tuple[str, Function]]:
    """Every function of these, with where it stands."""
    return [
        (f"{path}:{node.lineno} {node.name}", node)
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, Function)
    ]


@pytest.fixture(scope="module")
def callers(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """The files of the packages that call something, by how they write it."""
    found = defaultdict[str, set[str]](set)
    for path, tree in trees.items():
        if not path.startswith("tests/"):
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                    found[ast.unparse(node.func)].add(path)
    return found


def depth(node: ast.AST) -> int:
    """How many blocks stand in each other; an `elif` is no deeper than its `if`."""
    deepest = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, SCOPES):
            continue
        is_elif = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
        deepest = max(deepest, depth(child) + (isinstance(child, BLOCKS) and not is_elif))
    return deepest


def test_a_file_is_one_idea_of_at_most_400_lines() -> None:
    sizes = {name(path): path.read_bytes().count(b"\n") for path in sources(*PACKAGES, "tests")}

    assert {path: lines for path, lines in sizes.items() if lines > LONGEST_FILE} == {}


def test_a_function_fits_a_screen_of_60_lines(functions: list[tuple[str, Function]]) -> None:
    sizes = {where: (node.end_lineno or 0) - node.lineno + 1 for where, node in functions}

    assert {where: lines for where, lines in sizes.items() if lines > LONGEST_FUNCTION} == {}


def test_blocks_stand_in_each_other_four_deep_at_most(functions: list[tuple[str, Function]]) -> None:
    assert [where for where, node in functions if depth(node) > DEEPEST] == []


def test_no_file_has_a_name_that_says_nothing() -> None:
    parts = {name(path): {path.stem, *path.relative_to(ROOT).parts} for path in sources(*PACKAGES, "tests")}

    assert [path for path, words in parts.items() if words & VAGUE] == []


@pytest.mark.parametrize(
    "callee, places",
    [
        pytest.param("AsyncRetrying", {"runner/run/ask.py"}, id="retries"),
        pytest.param("print", set(), id="printing"),
        pytest.param("typer.echo", set(), id="printing by typer"),
        pytest.param(
            "sqlite3.connect", {"runner/storage/foreign.py", "runner/storage/store.py"}, id="opening databases"
        ),
        pytest.param("load_plugin", {"runner/run/resolve.py", "suts/registry.py"}, id="importing what a user names"),
        pytest.param("sys.path.append", {"suts/plugins.py"}, id="having the current folder importable"),
        pytest.param("Console", {"runner/console.py"}, id="drawing tables"),
    ],
)
def test_each_concern_has_its_place(callee: str, places: set[str], callers: dict[str, set[str]]) -> None:
    assert callers.get(callee, set()) == places
